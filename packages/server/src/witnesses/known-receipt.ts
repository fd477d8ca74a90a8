import type { KnownReceipt } from '@colophon/evidence';
import type { WitnessBook } from '@colophon/issuer';
import type { JsonValue } from '@colophon/json';
import { readReceipt } from '@colophon/witness';

/** A receipt of a listed witness, for the evidence store; a record of what was seen, whoever may still ask by it. */
export function verifyKnownReceipt(
  envelope: JsonValue,
  book: WitnessBook | undefined,
): { readonly ok: true; readonly known: KnownReceipt } | { readonly ok: false; readonly fault: string } {
  const read = readReceipt(envelope, (keyId) => book?.byKeyId.get(keyId)?.publicKey, book?.predicateBase);
  if (!read.ok) return read;
  const { receipt, keyId, digest } = read;
  const { name, place } = book!.byKeyId.get(keyId)!;
  const isIsolated = place === 'isolated' && receipt.witness.place === 'isolated';
  return { ok: true, known: { receipt, digest, witness: name, place: isIsolated ? 'isolated' : 'same-host' } };
}
