import type { ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { witnessReceiptType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement } from '../statement/statement.ts';
import { witnessReceiptSchema } from './witness-receipt-schema.ts';

const SOURCE = 'docs/witness.md#the-receipt';

/** The predicate of a receipt: what a witness saw of one agent run. Times are RFC 3339 in UTC. */
export type WitnessReceipt = XStatic<typeof witnessReceiptSchema>;

/** A model that answered. */
export type ServedModel = WitnessReceipt['models'][number];

/**
 * Reads the predicate of a witness-receipt statement. Whose key signed it, and whom it may serve, is for its reader to judge.
 *
 * @returns the predicate as it is, or every issue at once (up to 100), with codes `witness_receipt.*`.
 */
export function parseWitnessReceipt(value: unknown): ParseResult<WitnessReceipt> {
  const issues = checkRecord('witness_receipt', witnessReceiptSchema, value, SOURCE);
  return issues.length === 0 ? { ok: true, value: value as WitnessReceipt } : { ok: false, issues };
}

/**
 * The Statement v1 of a receipt. Its subjects are what the run was given: the prompt and the policy pack.
 *
 * @throws TypeError where it would not be read back, with the path and code of every issue.
 */
export function createWitnessReceiptStatement(
  predicate: WitnessReceipt,
  predicateBase?: string,
): Statement<WitnessReceipt> {
  const parsed = parseWitnessReceipt(predicate);
  const subjects = [
    { name: 'prompt', digest: { sha256: bareHex(predicate.input.prompt_hash) } },
    { name: 'policy-pack', digest: { sha256: bareHex(predicate.policy.pack_hash) } },
  ];
  return createStatement(
    { subjects, predicateType: witnessReceiptType(predicateBase), predicate },
    parsed.ok ? [] : parsed.issues,
  );
}

/**
 * The one model that a token names for the run: the one that wrote most output tokens; of several with as many, the one
 * with most answers, then the first. The same model by several upstreams is several. Undefined where nothing answered,
 * where any answer is of no known model, and where nobody knows what an answer of another one wrote: it may be more.
 */
export function mainModel({
  models,
  unattributed = [],
}: WitnessReceipt): Pick<ServedModel, 'upstream' | 'served'> | undefined {
  if (unattributed.length > 0) return undefined;
  type Total = { upstream: string; served: string; tokens: number; answers: number; isCounted: boolean };
  const totals = new Map<string, Total>();
  for (const { upstream, served, answers, uncounted, output_tokens } of models) {
    const key = `${upstream}/${served}`;
    const total = totals.get(key) ?? { upstream, served, tokens: 0, answers: 0, isCounted: true };
    total.isCounted &&= uncounted === undefined && output_tokens !== undefined;
    total.tokens += output_tokens ?? 0;
    total.answers += answers;
    totals.set(key, total);
  }
  const [first, ...others] = [...totals.values()].sort((a, b) => b.tokens - a.tokens || b.answers - a.answers);
  if (first === undefined || others.some(({ isCounted }) => !isCounted)) return undefined;
  return { upstream: first.upstream, served: first.served };
}

function bareHex(digest: string): string {
  return digest.slice('sha256:'.length);
}
