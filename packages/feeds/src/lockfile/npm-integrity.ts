import type { HashName, LockedPackage } from './locked-project.ts';

const NAMES: Readonly<Record<string, readonly [name: HashName, bytes: number]>> = {
  md5: ['MD5', 16],
  sha1: ['SHA-1', 20],
  sha256: ['SHA-256', 32],
  sha384: ['SHA-384', 48],
  sha512: ['SHA-512', 64],
};

/** The hashes of a Subresource Integrity text: several with blanks between, options after `?`. */
export function hashesOfIntegrity(integrity: string): NonNullable<LockedPackage['hashes']> {
  return integrity.split(/\s+/).flatMap((part) => {
    const [, name, base64] = /^([a-z0-9]+)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(part) ?? [];
    const known = NAMES[name ?? ''];
    if (known === undefined) return [];
    const bytes = Buffer.from(base64!, 'base64');
    return bytes.length === known[1] ? [{ alg: known[0], content: bytes.toString('hex') }] : [];
  });
}
