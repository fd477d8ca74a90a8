import type { Digest } from '@colophon/notation';
import { HashAlgorithm } from '@sigstore/protobuf-specs';

/** The digests by which an artifact may be signed, by their names in a bundle. */
export const DIGEST_NAMES = { sha256: 'SHA2_256', sha384: 'SHA2_384', sha512: 'SHA2_512' } as const;

/** The same by their numbers in a parsed bundle. */
export const MESSAGE_DIGESTS: Readonly<Partial<Record<HashAlgorithm, Digest['algorithm']>>> = {
  [HashAlgorithm.SHA2_256]: 'sha256',
  [HashAlgorithm.SHA2_384]: 'sha384',
  [HashAlgorithm.SHA2_512]: 'sha512',
};
