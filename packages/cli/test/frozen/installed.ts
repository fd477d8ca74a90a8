import { chmodSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, runLine } from '../command-line.ts';

/** Certificates and log entries name it for ever. */
export const PORT = 47_080;
export const ISSUER = `http://localhost:${PORT}`;
export const REGISTRY = `localhost:${PORT}`;

/** The moment at which the answers were frozen: some tell how long something took, or is due. */
export const FROZEN_AT = '2026-11-23T18:00:00Z';

const KEPT = join(import.meta.dirname, 'kept');

/** A copy of what is kept, in a folder of its own: the data folder in `data`, everything else in `files`. */
export type Copy = {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a line in `files`. */
  run(...line: readonly string[]): Promise<Ran>;
};

/** Copies what is kept into an empty folder, with the modes that git does not keep. */
export function copyKept(folder: string): Copy {
  cpSync(KEPT, folder, { recursive: true });
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
