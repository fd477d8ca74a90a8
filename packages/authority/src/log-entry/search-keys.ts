import { createHash } from 'node:crypto';
import type { Verifier } from './verifier.ts';

/** Characters of a name that can be searched for. */
export const MAX_SEARCH_KEY_LENGTH = 512;

/**
 * The keys that an entry is found by through its signer: the hash of the canonical PEM, every name of the certificate,
 * and the address inside `reviewer:<e-mail>`. Names are found without regard to case.
 */
export function signerSearchKeys({ pem, subjects }: Verifier): string[] {
  const names = subjects.flatMap((subject) => {
    const name = subject.toLowerCase();
    return name.startsWith('reviewer:') ? [name, name.slice('reviewer:'.length)] : [name];
  });
  return [
    createHash('sha256').update(pem).digest('hex'),
    ...names.filter((name) => name.length <= MAX_SEARCH_KEY_LENGTH),
  ];
}
