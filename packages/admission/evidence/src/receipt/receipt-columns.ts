import { isSubstituted, mainModel, type ServedModel, type WitnessReceipt } from '@colophon/records';
import type { NewReceipt } from '@colophon/store';

/** A receipt whose signature was verified, and what the operator says of its witness. */
export type KnownReceipt = {
  readonly receipt: WitnessReceipt;
  /** `sha256:<hex>` of its payload. */
  readonly digest: string;
  readonly witness: string;
  /** What its word is worth: the lower one of what the operator and it say. */
  readonly place: WitnessReceipt['witness']['place'];
};

/** Verifies a receipt by the listed witnesses; the fault of one that counts for nothing. */
export type VerifyReceipt = (
  envelope: unknown,
) => { readonly ok: true; readonly known: KnownReceipt } | { readonly ok: false; readonly fault: string };

/** Lays out a verified receipt for the store. */
export function receiptColumns(
  { receipt, digest, witness, place }: KnownReceipt,
  envelope: Uint8Array,
  importedAt: number,
): NewReceipt {
  const main = mainModel(receipt);
  return {
    receipt_hash: digest,
    run_id: receipt.run_id,
    witness,
    place,
    agent_name: receipt.agent.name,
    agent_version: receipt.agent.version,
    prompt_hash: receipt.input.prompt_hash,
    pack_hash: receipt.policy.pack_hash,
    ...(main === undefined ? {} : { main_model: main.served }),
    imported_at: importedAt,
    envelope,
    models: receipt.models.map(modelColumns),
  };
}

function modelColumns({
  upstream,
  requested,
  served,
  answers,
  output_tokens,
}: ServedModel): NewReceipt['models'][number] {
  return {
    upstream,
    ...(requested === undefined ? {} : { requested, substituted: isSubstituted(requested, served) }),
    served,
    answers,
    ...(output_tokens === undefined ? {} : { output_tokens }),
  };
}
