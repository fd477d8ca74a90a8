import { DER_TAG, DerError, readDerSequence } from './der-reader.ts';
import { derSequence, derUnsigned } from './der-writer.ts';

/**
 * An ECDSA signature as JOSE has it, r and s one after the other, out of its DER form.
 * @param width bytes of each: 32 on P-256
 * @throws DerError for what is no such signature
 * @see RFC 7518 §3.4; RFC 3279 §2.2.3
 */
export function rawEcdsaSignature(der: Uint8Array, width: number): Uint8Array {
  const numbers = readDerSequence(der);
  if (numbers.length !== 2) throw new DerError('a signature is two numbers');
  const raw = new Uint8Array(2 * width);
  numbers.forEach(({ tag, content }, index) => {
    const digits = content[0] === 0 ? content.subarray(1) : content;
    if (tag !== DER_TAG.integer || digits.length > width) throw new DerError('no number of this width');
    raw.set(digits, (index + 1) * width - digits.length);
  });
  return raw;
}

/** The DER form of an ECDSA signature as JOSE has it; undefined for one that is not `2 * width` bytes long. */
export function derEcdsaSignature(raw: Uint8Array, width: number): Uint8Array | undefined {
  if (raw.length !== 2 * width) return undefined;
  return derSequence(derUnsigned(raw.subarray(0, width)), derUnsigned(raw.subarray(width)));
}
