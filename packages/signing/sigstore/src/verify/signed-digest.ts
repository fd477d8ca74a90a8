import type { Digest } from '@colophon/notation';
import { MESSAGE_DIGESTS } from '../bundle/message-digest.ts';
import { parseBundle } from '../bundle/parse-bundle.ts';

/**
 * By which digest a bundle says that its artifact was signed, so that a long file is read once. SHA-256 also where it
 * says none, signs a statement, or cannot be read: its verification then says why.
 */
export function signedDigestIn(bundle: Uint8Array): Digest['algorithm'] {
  try {
    const { content } = parseBundle(bundle);
    const digest = content.$case === 'messageSignature' ? content.messageSignature.messageDigest : undefined;
    return (digest && MESSAGE_DIGESTS[digest.algorithm]) ?? 'sha256';
  } catch {
    return 'sha256';
  }
}
