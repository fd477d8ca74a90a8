import { basename, dirname, join } from 'node:path';
import type { KeyAlgorithm } from '../signer/signer.ts';

/** Where a ring lies: all of it is named after the file of its first key. */
export type RingPlace = { readonly firstKey: string; readonly alg: KeyAlgorithm };

/** The ring's file of this kind: `issuer.pem` has `issuer.ring.json` beside it. */
export function ringFile({ firstKey }: RingPlace, kind: 'ring.json' | 'ring.lock'): string {
  return `${firstKey.replace(/\.pem$/, '')}.${kind}`;
}

/** A file that an entry names. */
export function keyFile({ firstKey }: RingPlace, file: string): string {
  return join(dirname(firstKey), file);
}

/** The name of the key that is the `number`th of the ring, from 1. */
export function keyFileName({ firstKey }: RingPlace, number: number): string {
  const name = basename(firstKey);
  return number === 1 ? name : `${name.replace(/\.pem$/, '')}-${number}.pem`;
}
