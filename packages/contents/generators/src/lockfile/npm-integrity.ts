import { decodeBase64 } from '@colophon/encoding';
import { parseIntegrity } from '@colophon/notation';

import type { HashName, LockedPackage } from './locked-project.ts';

const NAMES: Readonly<Record<string, readonly [name: HashName, bytes: number]>> = {
  md5: ['MD5', 16],
  sha1: ['SHA-1', 20],
  sha256: ['SHA-256', 32],
  sha384: ['SHA-384', 48],
  sha512: ['SHA-512', 64],
};

/** The hashes of a Subresource Integrity text that npm would hold a package against. */
export function hashesOfIntegrity(integrity: string): NonNullable<LockedPackage['hashes']> {
  return parseIntegrity(integrity).flatMap(({ algorithm, value }) => {
    const [alg, length] = Object.hasOwn(NAMES, algorithm) ? NAMES[algorithm]! : [];
    // npm compares texts, so a hash in another spelling than its own is none of a package that npm installs.
    const bytes = decodeBase64(value);
    if (alg === undefined || bytes === undefined || bytes.length !== length) return [];
    return [{ alg, content: Buffer.from(bytes).toString('hex') }];
  });
}
