import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, runLine } from '../command-line.ts';

/** Certificates and log entries name it for ever. */
export const PORT = 47_080;
export const ISSUER = `http://localhost:${PORT}`;
export const REGISTRY = `localhost:${PORT}`;

/** What each release wrote, by its version: kept for ever. */
export const RELEASES = join(import.meta.dirname, 'releases');
export const RELEASE_VERSIONS: readonly string[] = readdirSync(RELEASES);

/** Which program wrote a folder, as the folder says itself. */
export type Release = { readonly version: string; readonly written_at: string };

export function releaseOf(version: string): Release {
  return JSON.parse(readFileSync(join(RELEASES, version, 'release.json'), 'utf8'));
}

/** A copy of what a release wrote, in a folder of its own: the data folder in `data`, everything else in `files`. */
export type Copy = {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a line in `files`. */
  run(...line: readonly string[]): Promise<Ran>;
};

/** Copies what a release wrote into an empty folder, with the modes that git does not keep. */
export function copyRelease(version: string, folder: string): Copy {
  for (const name of ['data', 'files']) cpSync(join(RELEASES, version, name), join(folder, name), { recursive: true });
  const data = join(folder, 'data');
  chmodSync(data, 0o700);
  chmodSync(join(data, 'keys'), 0o700);
  for (const name of readdirSync(join(data, 'keys'))) chmodSync(join(data, 'keys', name), 0o600);
  const env = {
    HOME: folder,
    COLOPHON_HOME: data,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DOCKER_CONFIG: join(folder, 'docker'),
  };
  return { folder, env, run: (...line) => runLine(line, env) };
}
