import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readSettingsFile } from '@colophon/durable-file';
import { shownAddress } from '@colophon/peer';
import { SourceError } from '../source-error/source-error.ts';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { checkIntegrity, type Integrity, parseChecksums } from './integrity.ts';
import type { PackageReference } from './package-reference.ts';
import { readZip } from './read-archive.ts';
import { assertMeantRegistry, type FoundSource, registryAt, type SourceContext } from './source-context.ts';

/**
 * A Go module from the first proxy of `GOPROXY`, checked against the `go.sum` of a folder where one lists it: it can refuse
 * the module, and chooses none.
 * @see https://go.dev/ref/mod#goproxy-protocol
 */
export async function fetchGolangSource(
  reference: PackageReference,
  { downloader, limits, env, registries, goSumFolders }: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, namespace, name, version, checksum } = reference;
  const module = namespace === '' ? name : `${namespace}/${name}`;
  const registry = registryAt(registries.golang ?? firstProxy(env['GOPROXY'], purl));
  assertMeantRegistry(reference, registry);
  const url = new URL(`${escaped(module)}/@v/${escaped(version)}.zip`, registry.base);
  const archive = await downloader.get(url, {
    maxBytes: limits.maxDownloadBytes,
    registry,
  });
  if (archive === undefined) return undefined;
  checkIntegrity(archive, parseChecksums(checksum), purl);
  const hashes: string[] = [];
  const visit = (path: string, bytes: Uint8Array) => {
    hashes.push(`${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`);
  };
  const prefix = `${module}@${version}/`;
  const tree = await readZip(archive, { checked: purl, limits, root: { prefix }, visit });
  return { tree, integrity: checkGoSum(hashes, module, version, goSumFolders, purl), origin: shownAddress(url) };
}

/** Go's `h1:`: the hash of the sorted list of the files' hashes and names. */
function checkGoSum(
  hashes: string[],
  module: string,
  version: string,
  goSumFolders: readonly string[],
  checked: string,
): Integrity {
  const lines = goSumFolders
    .flatMap((folder) => readGoSum(join(folder, 'go.sum')).split(/\r?\n/))
    .filter((line) => line.startsWith(`${module} ${version} h1:`));
  if (lines.length === 0) return 'unchecked';
  const list = hashes.sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)).join('');
  const found = `h1:${createHash('sha256').update(list).digest('base64')}`;
  const expected = (lines[0] as string).split(' ')[2] as string;
  if (expected === found) return 'h1';
  throw new SourceError('feeds.package_integrity', 'the module is not the one that go.sum lists', {
    checked,
    expected,
    found,
  });
}

/** A list that cannot be read may refuse the module. */
function readGoSum(file: string): string {
  const read = readSettingsFile(file, { isNamed: false });
  if (read.ok) return read.text;
  throw new SourceError('feeds.settings_unreadable', `go.sum cannot be used: ${read.reason}`, { checked: file });
}

function firstProxy(setting: string | undefined, checked: string): string {
  const first = (setting ?? '').split(/[,|]/)[0]?.trim() || DEFAULT_REGISTRIES.golang;
  if (first !== 'direct' && first !== 'off') return first;
  throw new SourceError('feeds.purl_unsupported', 'GOPROXY names no proxy to ask first', {
    checked,
    expected: 'GOPROXY=https://…',
    found: `GOPROXY=${first}`,
  });
}

/** Capitals as `!` and the small letter, for hosts that do not tell them apart. */
function escaped(path: string): string {
  return path.replace(/[A-Z]/g, (capital) => `!${capital.toLowerCase()}`);
}
