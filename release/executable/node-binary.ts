import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST, ROOT } from '../names.ts';
import nodes from './nodes.json' with { type: 'json' };

/** Where an executable runs, as Node.js names it. */
export type Platform = keyof typeof nodes.packages;

/** A Node.js as its npm package ships it. */
type NodeFiles = { readonly version: string; readonly program: string; readonly folder: string };

/** Every platform for which an executable is made here. */
export const PLATFORMS = Object.keys(nodes.packages) as readonly Platform[];

/** Of these platforms, those that the command line names, or others where it names none. @throws Error for another one */
export function platformsNamed<P extends Platform>(known: readonly P[], otherwise: readonly P[]): readonly P[] {
  const { positionals } = parseArgs({ allowPositionals: true });
  const named = known.filter((platform) => positionals.includes(platform));
  if (named.length < positionals.length) throw new Error(`platforms: ${known.join(', ')}`);
  return named.length > 0 ? named : otherwise;
}

/**
 * Brings the Node.js of a platform, at the version and with the digest of nodes.json, from the npm registry. Its package is
 * kept in .tools, where the next build finds it; each build compares its digest and unpacks it anew.
 * @throws Error where the registry gives something else
 */
export function bringNode(platform: Platform, kept: string = join(ROOT, '.tools', 'node')): NodeFiles {
  const { name, integrity, program } = nodes.packages[platform];
  const file = join(kept, `${name}-${nodes.version}.tgz`);
  if (!existsSync(file) || integrityOf(file) !== integrity) fetchNode(platform, file);
  const folder = unpack(file, join(DIST, 'node', platform));
  return { version: nodes.version, program: join(folder, program), folder };
}

/** The licence of Node.js: one text for all platforms, which the package for Windows lacks. */
export function nodeLicence(): string {
  return join(bringNode('linux-x64').folder, 'LICENSE');
}

function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}

function fetchNode(platform: Platform, file: string): void {
  const { name, integrity: expected } = nodes.packages[platform];
  mkdirSync(dirname(file), { recursive: true });
  const scratch = mkdtempSync(`${file}-`);
  try {
    // On Windows npm is a script of the shell.
    const options = { cwd: scratch, encoding: 'utf8', shell: process.platform === 'win32' } as const;
    const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', `${name}@${nodes.version}`, '--json'], options)) as [
      { filename: string },
    ];
    const given = join(scratch, filename);
    const integrity = integrityOf(given);
    if (integrity !== expected) {
      throw new Error(`${name}@${nodes.version} is ${integrity}, and nodes.json has another`);
    }
    renameSync(given, file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Puts what an npm package has in the place of a folder, and answers with the folder. */
function unpack(file: string, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Some tar programs take a path with a colon for another machine's.
  execFileSync('tar', ['-xzf', '-', '--strip-components=1'], { cwd: folder, input: readFileSync(file) });
  return folder;
}
