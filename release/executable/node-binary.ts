import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../names.ts';
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
 * Brings the Node.js of a platform, at the version and with the digest of nodes.json, from the npm registry. It is kept in
 * .tools, where the next build finds it.
 * @throws Error where the registry gives something else
 */
export function bringNode(platform: Platform): NodeFiles {
  const folder = join(ROOT, '.tools', `node-${nodes.version}-${platform}`);
  if (!existsSync(folder)) fetchNode(platform, folder);
  return { version: nodes.version, program: join(folder, nodes.packages[platform].program), folder };
}

/** The licence of Node.js: one text for all platforms, which the package for Windows lacks. */
export function nodeLicence(): string {
  return join(bringNode('linux-x64').folder, 'LICENSE');
}

function fetchNode(platform: Platform, folder: string): void {
  const { name, integrity: expected } = nodes.packages[platform];
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    // On Windows npm is a script of the shell; it and tar take the file by its name in their folder.
    const options = { cwd: scratch, encoding: 'utf8', shell: process.platform === 'win32' } as const;
    const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', `${name}@${nodes.version}`, '--json'], options)) as [
      { filename: string },
    ];
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(scratch, filename)))
      .digest('base64')}`;
    if (integrity !== expected) {
      throw new Error(`${name}@${nodes.version} is ${integrity}, and nodes.json has another`);
    }
    execFileSync('tar', ['-xzf', filename], options);
    renameSync(join(scratch, 'package'), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
