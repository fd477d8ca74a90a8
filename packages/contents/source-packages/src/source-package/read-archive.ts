import { Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { type Entry, fromBufferPromise } from 'yauzl';
import { SourceError } from '../source-error/source-error.ts';
import { archivePath } from './archive-path.ts';
import { maxExpandedBytesOf, type SourceLimits } from './source-limits.ts';
import { type SourceTree, SourceTreeCollector } from './source-tree.ts';

/** How one kind of package packs its files. */
export type ArchiveOptions = {
  /** The package as errors name it. */
  readonly checked: string;
  readonly limits: SourceLimits;
  /** The folder that holds everything: any one, one of this name, or none. */
  readonly root: 'any' | 'none' | { readonly prefix: string };
  /** Sees every file as it is packed, also those that are not kept. */
  readonly visit?: (name: string, bytes: Uint8Array) => void;
};

/**
 * The files of a `.tar.gz`, in memory.
 * @throws SourceError `feeds.package_too_large`, `feeds.archive_refused`
 */
export async function readTarGz(archive: Uint8Array, options: ArchiveOptions): Promise<SourceTree> {
  const maxBytes = maxExpandedBytesOf(archive.length, options.limits);
  const collector = new SourceTreeCollector(options.checked, options.limits, maxBytes);
  const entries = extract();
  // Both ends see the other's failure; ours says more than that a stream was closed early.
  const [read, unpacked] = await Promise.allSettled([
    collectEntries(entries, options, collector),
    pipeline(Readable.from([archive]), createGunzip(), bounded(maxBytes, options), entries),
  ]);
  const failures = [read, unpacked].flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const [failure] = failures;
  if (failures.length > 0) throw failures.find((one) => one instanceof SourceError) ?? broken(options, failure);
  return collector.tree();
}

async function collectEntries(
  entries: Extract,
  options: ArchiveOptions,
  collector: SourceTreeCollector,
): Promise<void> {
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    collector.expect(size);
    const path = type === 'directory' ? undefined : pathOf(name, options, collector);
    const isFile = type === 'file' || type === 'contiguous-file';
    if (path !== undefined && !isFile) {
      collector.skip(path, type === 'symlink' || type === 'link' ? 'a link' : 'no regular file');
    }
    if (path === undefined || !isFile || !collector.takes(path, size)) entry.resume();
    else collector.add(path, await buffer(entry));
  }
}

/** Lets so many bytes through. */
function bounded(maxBytes: number, { checked }: ArchiveOptions): Transform {
  let seen = 0;
  return new Transform({
    transform: (chunk: Uint8Array, _encoding, done) => {
      seen += chunk.length;
      if (seen <= maxBytes) return done(null, chunk);
      const message = `the archive expands to more than ${maxBytes} bytes`;
      return done(new SourceError('feeds.package_too_large', message, { checked }));
    },
  });
}

/**
 * The files of a `.zip`, `.jar` or `.whl`, in memory.
 * @throws SourceError `feeds.package_too_large`, `feeds.archive_refused`
 */
export async function readZip(archive: Uint8Array, options: ArchiveOptions): Promise<SourceTree> {
  const maxBytes = maxExpandedBytesOf(archive.length, options.limits);
  const collector = new SourceTreeCollector(options.checked, options.limits, maxBytes);
  try {
    const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
    const zip = await fromBufferPromise(bytes, { decodeStrings: false });
    for await (const entry of zip.eachEntry()) {
      const name = new TextDecoder().decode(entry.fileNameRaw);
      collector.expect(entry.uncompressedSize);
      if (name.endsWith('/')) continue;
      const path = pathOf(name, options, collector);
      if (path === undefined) continue;
      if (isLink(entry)) {
        collector.skip(path, 'a link');
        continue;
      }
      const isTaken = collector.takes(path, entry.uncompressedSize);
      if (!isTaken && options.visit === undefined) continue;
      // The library ends a file that is longer or shorter than the entry says.
      const file = await buffer(await zip.openReadStreamPromise(entry));
      options.visit?.(name, file);
      if (isTaken) collector.add(path, file);
    }
  } catch (error) {
    throw error instanceof SourceError ? error : broken(options, error);
  }
  return collector.tree();
}

/** The path without the folder that holds everything, or undefined where the entry is left out. */
function pathOf(name: string, options: ArchiveOptions, collector: SourceTreeCollector): string | undefined {
  const checked = archivePath(name);
  if ('refused' in checked) throw refused(options, checked.refused, name);
  if ('skipped' in checked) {
    collector.skip(name, checked.skipped);
    return undefined;
  }
  const { path } = checked;
  if (options.root === 'none') return path;
  if (options.root === 'any') {
    const end = path.indexOf('/');
    if (end !== -1) return path.slice(end + 1);
    collector.skip(path, 'it lies outside the package');
    return undefined;
  }
  if (path.startsWith(options.root.prefix)) return path.slice(options.root.prefix.length);
  throw refused(options, 'a name outside the package', name);
}

/** The file's mode in the upper half, as Unix writes it. */
function isLink({ externalFileAttributes }: Entry): boolean {
  return ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

function refused({ checked }: ArchiveOptions, what: string, name: string): SourceError {
  return new SourceError('feeds.archive_refused', `the archive has ${what}`, { checked, found: name.slice(0, 200) });
}

function broken({ checked }: ArchiveOptions, cause: unknown): SourceError {
  return new SourceError('feeds.archive_refused', 'the archive cannot be read', { checked, cause });
}
