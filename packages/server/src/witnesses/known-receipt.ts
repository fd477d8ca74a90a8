import type { KnownReceipt } from '@colophon/evidence';
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
  const isIsolated = witness.place === 'isolated' && receipt.witness.place === 'isolated';
  return { ok: true, known: { receipt, digest, witness: witness.name, place: isIsolated ? 'isolated' : 'same-host' } };
}

/** Why the operator's entry of the witness does not cover the receipt, by the rules of decideReceipt. */
function faultOf(
  { issuer: named, caller, upstreams }: WitnessReceipt,
  witness: ListedWitness,
  issuer: string | undefined,
): string | undefined {
  if (issuer !== undefined && named !== issuer) return 'other-issuer';
  if (witness.callers !== undefined && (caller === undefined || !witness.callers.includes(caller))) {
    return 'other-caller';
  }
  return upstreams.every(({ name, address }) => isListed(witness, name, address)) ? undefined : 'upstream-unknown';
}

function isListed({ upstreams }: ListedWitness, name: string, address: string): boolean {
  if (upstreams === undefined) return true;
  return Object.hasOwn(upstreams, name) && withoutSlash(upstreams[name]!) === withoutSlash(address);
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
