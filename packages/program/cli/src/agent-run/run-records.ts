import { createHash } from 'node:crypto';
import type { ChangeFacts } from '@colophon/forge';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { isSubstituted, mainModel, parseAgentRun, parseWitnessReceipt, type WitnessReceipt } from '@colophon/records';
import { completedBy, observedPredicate, type ReceiptEnvelope } from '@colophon/witness';
import { CliError } from '../cli-error/cli-error.ts';
import { readOwnInput } from '../input/input.ts';

/** A receipt as it was signed, and what it says. */
export type SignedReceipt = {
  readonly envelope: ReceiptEnvelope;
  readonly receipt: WitnessReceipt;
  /** `sha256:<hex>` of its payload. */
  readonly hash: string;
};

/** Of a receipt, and of what is added to a predicate. */
const LARGEST = { maxBytes: 32 * 1024 * 1024, maxDepth: 256 };

/** What a witness's own answer says; it was asked over a channel that is trusted. @throws CliError `cli.internal` */
export function openReceipt(envelope: ReceiptEnvelope): SignedReceipt {
  const payload = Buffer.from(envelope.payload, 'base64');
  const statement = parseStrictJson(payload, LARGEST);
  const parsed =
    statement.ok && isJsonObject(statement.value) ? parseWitnessReceipt(statement.value['predicate']) : undefined;
  if (!parsed?.ok) throw new CliError('cli.internal', 'the witness answered with something else than a receipt');
  return { envelope, receipt: parsed.value, hash: `sha256:${createHash('sha256').update(payload).digest('hex')}` };
}

/**
 * The agent-run predicate, with what a file adds to it.
 * @throws CliError `cli.predicate_invalid` where the file contradicts what was observed, or the predicate is not whole
 */
export async function runPredicate(
  { receipt, hash }: SignedReceipt,
  git: ChangeFacts | undefined,
  file: string | undefined,
): Promise<JsonObject> {
  const observed = observedPredicate(receipt, hash, git);
  const { predicate, contradicted } =
    file === undefined ? { predicate: observed, contradicted: [] } : completedBy(observed, await readPart(file));
  if (contradicted.length > 0) {
    throw new CliError('cli.predicate_invalid', `${file} contradicts what was observed`, {
      checked: file!,
      issues: contradicted.map((path) => ({
        code: 'agent_run.field_invalid',
        path,
        message: 'The run has another value.',
      })),
    });
  }
  const checked = parseAgentRun(predicate);
  if (checked.ok) return predicate;
  throw new CliError('cli.predicate_invalid', 'the run is not known well enough for an agent-run predicate', {
    ...(mainModel(receipt) === undefined ? { found: whyNoModel(receipt) } : {}),
    issues: checked.issues,
  });
}

/** Why no single model stands for the run, for a person. */
export function whyNoModel({ models, unattributed = [] }: WitnessReceipt): string {
  if (unattributed.length > 0) {
    return `answers of no known model (${[...new Set(unattributed.map(({ reason }) => reason))].join(', ')})`;
  }
  return models.length === 0
    ? 'no model answered by way of the witness'
    : 'several models, and an answer that does not say all tokens it wrote';
}

/** Models that answered in place of another one. */
export function substitutedIn({ models }: WitnessReceipt): WitnessReceipt['models'] {
  return models.filter(({ requested, served }) => requested !== undefined && isSubstituted(requested, served));
}

async function readPart(file: string): Promise<JsonObject> {
  const parsed = parseStrictJson(await readOwnInput(file, LARGEST.maxBytes), LARGEST);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new CliError('cli.predicate_invalid', `${file} is not what its type promises`, {
    checked: file,
    ...(parsed.ok ? { expected: 'one JSON object' } : { issues: parsed.issues }),
  });
}
