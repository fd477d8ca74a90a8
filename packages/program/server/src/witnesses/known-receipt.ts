import type { KnownReceipt } from '@colophon/evidence';
import { hasListedUpstreams, isListedCaller, placeOf } from '@colophon/issuance';
import type { ListedWitness, WitnessBook } from '@colophon/issuer';
import type { JsonValue } from '@colophon/json';
import type { WitnessReceipt } from '@colophon/records';
import { readReceipt } from '@colophon/witness';

/**
 * A receipt of a listed witness, for the evidence store: one that the issuer could have taken, of whatever time.
 * @param issuer this server's own URL; absent where receipts for any issuer are kept, on a server of one user
 */
export function verifyKnownReceipt(
  envelope: JsonValue,
  book: WitnessBook | undefined,
  issuer?: string,
): { readonly ok: true; readonly known: KnownReceipt } | { readonly ok: false; readonly fault: string } {
  const read = readReceipt(envelope, (keyId) => book?.byKeyId.get(keyId)?.publicKey, book?.predicateBase);
  if (!read.ok) return read;
  const { receipt, keyId, digest } = read;
  const witness = book!.byKeyId.get(keyId)!;
  const fault = faultOf(receipt, witness, issuer);
  if (fault !== undefined) return { ok: false, fault };
  return { ok: true, known: { receipt, digest, witness: witness.name, place: placeOf(witness, receipt) } };
}

/** Why the operator's entry of the witness does not cover the receipt. */
function faultOf(receipt: WitnessReceipt, witness: ListedWitness, issuer: string | undefined): string | undefined {
  if (issuer !== undefined && receipt.issuer !== issuer) return 'other-issuer';
  if (!isListedCaller(witness, receipt.caller)) return 'other-caller';
  return hasListedUpstreams(witness, receipt) ? undefined : 'upstream-unknown';
}
