import { createHash } from 'node:crypto';
import type { Verifier } from './verifier.ts';

/** Characters of a name that can be searched for. */
export const MAX_SEARCH_KEY_LENGTH = 512;

/**
 * Before the names in the index. Digests come from documents of anybody, under algorithms of any name, and stand there
 * in lower case: no digest can look like a name.
 */
export const NAME_KEY_PREFIX = 'NAME:';

/** The key that an entry is found by through its signer's key or certificate: the hash of the canonical PEM. */
export function signerSearchKey({ pem }: Pick<Verifier, 'pem'>): string {
  return createHash('sha256').update(pem).digest('hex');
}

/** The key for a name of a certificate, without regard to case. */
export function nameSearchKey(name: string): string {
  return NAME_KEY_PREFIX + name.toLowerCase();
}

/** The keys for the names of a certificate, and for the address inside `reviewer:<e-mail>`. */
export function nameSearchKeys(subjects: readonly string[]): string[] {
  return subjects
    .flatMap((subject) => (/^reviewer:/i.test(subject) ? [subject, subject.slice('reviewer:'.length)] : [subject]))
    .filter((name) => name.length <= MAX_SEARCH_KEY_LENGTH)
    .map(nameSearchKey);
}
