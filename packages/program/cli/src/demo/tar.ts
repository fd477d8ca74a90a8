const BLOCK = 512;

/**
 * A tar archive (POSIX ustar) of regular files, in the order given, with nothing in it that depends on machine or
 * time: mode 0644, owner 0, time 0.
 * @throws TypeError for a path that is absolute, climbs, is not plain ASCII or does not fit into 100 characters
 */
export function createTar(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([path, content]) => [
    header(path, content.length),
    content,
    new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  // Two empty blocks end an archive.
  return new Uint8Array(Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]));
}

function header(path: string, size: number): Uint8Array {
  assertPath(path);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(path, 0, 'latin1');
  block.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1');
  block.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124, 'latin1');
  // While its sum is taken, the field of the sum is blank.
  block.write('        0', 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return block;
}

function assertPath(path: string): void {
  const isPlain = /^[\x21-\x7e]{1,100}$/.test(path) && !path.startsWith('/') && !path.endsWith('/');
  if (isPlain && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')) return;
  throw new TypeError(`not a path for an archive: ${JSON.stringify(path)}`);
}
