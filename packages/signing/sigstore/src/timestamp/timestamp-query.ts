import { createHash, randomBytes } from 'node:crypto';
import { derBoolean, derInteger, derNull, derOctetString, derOid, derSequence } from '@colophon/encoding';

const SHA256 = derSequence(derOid('2.16.840.1.101.3.4.2.1'), derNull());
const NONCE_BYTES = 8;

/** What an authority is asked, and what its answer has to repeat. */
export type TimestampQuery = {
  /** DER of a TimeStampReq: the digest, a nonce, no policy, and the authority's certificates wanted back. */
  readonly bytes: Buffer;
  /** SHA-256 of the signature. */
  readonly digest: Buffer;
  /** DER of the INTEGER. */
  readonly nonce: Buffer;
};

/** Asks for the time of a signature, with a nonce that nobody could know before. @see RFC 3161 §2.4.1 */
export function createTimestampQuery(signature: Uint8Array): TimestampQuery {
  const digest = createHash('sha256').update(signature).digest();
  const nonce = Buffer.from(derInteger(randomBytes(NONCE_BYTES).readBigUInt64BE()));
  const imprint = derSequence(SHA256, derOctetString(digest));
  const bytes = Buffer.from(derSequence(derInteger(1n), imprint, nonce, derBoolean(true)));
  return { bytes, digest, nonce };
}
