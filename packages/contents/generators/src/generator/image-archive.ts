import { closeSync, openSync, readSync } from 'node:fs';

const BLOCK = 512;
/** An image has a few files a layer. */
const MOST_ENTRIES = 100_000;

/**
 * Which kind of image archive a tar file is: by `docker save` or in the OCI image layout; undefined for any other file.
 * Reads the headers alone, whatever the archive's size.
 */
export function imageArchiveFormat(path: string): 'docker' | 'oci' | undefined {
  const file = openSync(path, 'r');
  try {
    const names = new Set<string>();
    for (const name of entryNames(file)) {
      names.add(name);
      // Docker writes both by now; either way is good.
      if (name === 'manifest.json') return 'docker';
    }
    return names.has('oci-layout') && names.has('index.json') ? 'oci' : undefined;
  } finally {
    closeSync(file);
  }
}

/** Names of the entries as far as the file is a tar archive; long ones, which an image has none of, are cut. */
function* entryNames(file: number): Generator<string> {
  const header = Buffer.alloc(BLOCK);
  let position = 0;
  for (let entries = 0; entries < MOST_ENTRIES; entries++) {
    if (readSync(file, header, 0, BLOCK, position) < BLOCK || header[0] === 0) return;
    if (header.toString('latin1', 257, 262) !== 'ustar') return;
    yield textAt(header, 0, 100).replace(/^\.\//, '');
    const size = sizeAt(header);
    if (size === undefined) return;
    position += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('latin1', start, start + length).split('\0', 1)[0] ?? '';
}

/** Octal, or binary where a file is larger than octal can say. */
function sizeAt(header: Buffer): number | undefined {
  if (header[124]! >= 0x80) return header.readUIntBE(130, 6);
  const octal = textAt(header, 124, 12).trim();
  return /^[0-7]+$/.test(octal) ? Number.parseInt(octal, 8) : undefined;
}
