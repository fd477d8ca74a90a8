import { createHash, randomBytes } from 'node:crypto';
import { boolean, integer, nothing, octets, oid, sequence } from '../certificate/der-writer.ts';

const SHA256 = sequence(oid('2.16.840.1.101.3.4.2.1'), nothing());
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
  const nonce = integer(randomBytes(NONCE_BYTES).readBigUInt64BE());
  return { bytes: sequence(integer(1), sequence(SHA256, octets(digest)), nonce, boolean(true)), digest, nonce };
}
