import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../names.ts';
import nodes from './nodes.json' with { type: 'json' };

/** Where an executable runs, as Node.js names it. */
export type Platform = keyof typeof nodes.integrity;

/** A Node.js as its npm package ships it. */
type NodeFiles = { readonly version: string; readonly program: string; readonly licence: string };

/** Every platform for which an executable is made here. */
export const PLATFORMS = Object.keys(nodes.integrity) as readonly Platform[];

/** The platforms that the command line names, or others where it names none. @throws Error for one that is not known */
export function platformsNamed(otherwise: readonly Platform[]): readonly Platform[] {
  const { positionals } = parseArgs({ allowPositionals: true });
  const known = PLATFORMS.filter((platform) => positionals.includes(platform));
  if (known.length < positionals.length) throw new Error(`platforms: ${PLATFORMS.join(', ')}`);
  return known.length > 0 ? known : otherwise;
}

/**
 * Brings the Node.js of a platform, at the version and with the digest of nodes.json, from the npm registry. It is kept in
 * .tools, where the next build finds it.
 * @throws Error where the registry gives something else
 */
export function bringNode(platform: Platform): NodeFiles {
  const folder = join(ROOT, '.tools', `node-${nodes.version}-${platform}`);
  if (!existsSync(folder)) fetchNode(platform, folder);
  return { version: nodes.version, program: join(folder, 'bin/node'), licence: join(folder, 'LICENSE') };
}

function fetchNode(platform: Platform, folder: string): void {
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    const pack = ['pack', `node-${platform}@${nodes.version}`, '--json', '--pack-destination', scratch];
    const [{ filename }] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8' })) as [{ filename: string }];
    const tarball = join(scratch, filename);
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (integrity !== nodes.integrity[platform]) {
      throw new Error(`node-${platform}@${nodes.version} is ${integrity}, and nodes.json has another`);
    }
    const wanted = ['package/bin/node', 'package/LICENSE'];
    execFileSync('tar', ['--extract', '--gzip', '--file', tarball, '--directory', scratch, ...wanted]);
    renameSync(join(scratch, 'package'), folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
