import type { KeyObject } from 'node:crypto';
import { decideReceipt, type ReceiptDecision, type TrustedWitness } from '@colophon/issuance';
import type { JsonObject } from '@colophon/json';
import type { TokenRequest } from '@colophon/records';
import { type ReceiptFault, readReceipt } from '@colophon/witness';
import { refusedCaller, type TokenRefusal } from '../token-refusal/token-refusal.ts';

/** A witness that the operator lists, with its key. */
export type ListedWitness = TrustedWitness & { readonly publicKey: KeyObject };

/** Listed witnesses; what is taken of their receipts. */
export type WitnessBook = {
  readonly byKeyId: ReadonlyMap<string, ListedWitness>;
  readonly predicateBase: string;
};

/** A receipt that counts: what it confirms, and how the ledger names it. */
export type TakenReceipt = Pick<Extract<ReceiptDecision, { ok: true }>, 'evidence' | 'servedModels'> & {
  readonly named: Readonly<Record<string, string>>;
};

/**
 * Verifies the receipt that a request shows, and decides what it confirms.
 * @param book undefined where the operator lists no witness
 * @param now seconds since the epoch
 */
export function takeReceipt(
  envelope: JsonObject,
  request: TokenRequest,
  book: WitnessBook | undefined,
  at: { readonly caller: string | undefined; readonly issuer: string; readonly now: number },
): { readonly ok: true; readonly taken: TakenReceipt } | { readonly ok: false; readonly refusal: TokenRefusal } {
  const read = readReceipt(envelope, (keyId) => book?.byKeyId.get(keyId)?.publicKey, book?.predicateBase);
  if (!read.ok) {
    const code = CODES[read.fault];
    return { ok: false, refusal: { ...refusedCaller(code), field: 'receipt', message: MESSAGES[read.fault] } };
  }
  const { receipt, keyId, digest } = read;
  const witness = book!.byKeyId.get(keyId)!;
  const decision = decideReceipt(receipt, request, { witness, ...at });
  if (!decision.ok) {
    const { code, field, message } = decision;
    return { ok: false, refusal: { ...refusedCaller(code), field, message } };
  }
  const { evidence, servedModels } = decision;
  const named = { witness: witness.name, key_id: keyId, run_id: receipt.run_id, receipt_hash: digest };
  return { ok: true, taken: { evidence, servedModels, named } };
}

const CODES = {
  malformed: 'caller.receipt_malformed',
  'key-unknown': 'caller.receipt_witness_unknown',
  'signature-invalid': 'caller.receipt_signature_invalid',
} as const satisfies Readonly<Record<ReceiptFault, string>>;

const MESSAGES: Readonly<Record<ReceiptFault, string>> = {
  malformed: 'this is no receipt of a witness',
  'key-unknown': 'the receipt is signed with a key that is not listed for any witness',
  'signature-invalid': 'the signature of the receipt does not verify: it is not what the witness signed',
};
