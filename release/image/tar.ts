import { createReadStream, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';

type Placed = { readonly path: string; readonly mode: number; readonly uid?: number };

/** What a layer holds at one path, which has no slash at its ends. */
export type TarEntry = Placed &
  (
    | { readonly type: 'directory' }
    | { readonly type: 'symlink'; readonly target: string }
    | { readonly type: 'file'; readonly content: Uint8Array | { readonly file: string } }
  );

/** @throws Error for an entry of another kind than folder, file or symbolic link */
export async function readTar(bytes: Uint8Array): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const reader = Readable.from([bytes]).pipe(extract());
  for await (const entry of reader) {
    const { name, mode = 0, type, linkname } = entry.header;
    const path = name.replace(/^\.?\/+|\/+$/g, '');
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) chunks.push(chunk as Uint8Array);
    const content = Buffer.concat(chunks);
    if (path === '') continue;
    if (type === 'directory') entries.push({ type, path, mode });
    else if (type === 'symlink') entries.push({ type, path, mode, target: linkname ?? '' });
    else if (type === 'file') entries.push({ type, path, mode, content });
    else throw new Error(`${path} is a ${type}`);
  }
  return entries;
}

/**
 * Writes entries so that the same ones always give the same bytes: sorted, owned by root where they name nobody, of one
 * time.
 */
export async function writeTar(entries: readonly TarEntry[], mtime: Date, to: Writable): Promise<void> {
  const archive = pack();
  const written = pipeline(archive, to);
  const inOrder = entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  for (const entry of inOrder) {
    const { path, mode, uid = 0, type } = entry;
    const header = { name: type === 'directory' ? `${path}/` : path, type, mode, uid, gid: uid, mtime };
    if (type === 'symlink') archive.entry({ ...header, linkname: entry.target });
    else if (type === 'directory') archive.entry(header);
    else if (entry.content instanceof Uint8Array) archive.entry(header, Buffer.from(entry.content));
    else {
      const { file } = entry.content;
      await pipeline(createReadStream(file), archive.entry({ ...header, size: statSync(file).size }));
    }
  }
  archive.finalize();
  await written;
}
