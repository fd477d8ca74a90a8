import { meaningOf } from '@colophon/admission/meaning';
import { isReviewType } from '@colophon/admission/review-type';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import {
  type BundleLogEntry,
  type CertificateIdentity,
  fieldBasis,
  formatBasis,
  isAgentRunType,
  predicateParsers,
  type Statement,
  valueOfField,
} from '@colophon/records';
import type { Check } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { coloursFor, formatTable, type Terminal } from '../terminal/terminal.ts';
import type { VerifiedResult } from './verified-result.ts';
import { verifiedSentence } from './verified-sentence.ts';

/** A verified signature with its identity and root. A statement of a type that we define must be what it promises. */
export function verifiedRecord(found: {
  artifact: string;
  trustFile: string;
  certificate_identity?: CertificateIdentity;
  log_entry: BundleLogEntry;
  statement?: Statement | undefined;
  checks: readonly Check[];
  predicateBase: string;
}): VerifiedResult {
  const { artifact, trustFile, certificate_identity, log_entry, statement, checks, predicateBase } = found;
  const parsed = statement && predicateParsers(predicateBase)[statement.predicateType]?.(statement.predicate);
  if (parsed !== undefined && !parsed.ok) {
    throw new CliError('cli.predicate_invalid', 'the predicate is not what its type promises', {
      issues: parsed.issues,
      kind: 'mismatch',
    });
  }
  return {
    ok: true,
    artifact,
    trusted_root: trustFile,
    ...(certificate_identity === undefined ? {} : { certificate_identity }),
    log_entry,
    ...(statement === undefined ? {} : { statement, meaning: meaningOf(statement) }),
    basis: fieldBasis(certificate_identity, statement),
    checks,
  };
}

/** Adds `--details` to a command that verifies. */
export function withDetails(command: Command): Command {
  return command.option('--details', 'show every check, and what each value rests on');
}

/**
 * For people: one sentence, or every check and value.
 * @param terminal whose standard output it goes to; without one it has no colours
 */
export function tellVerified(
  record: VerifiedResult,
  { details }: { readonly details?: boolean },
  terminal?: Terminal,
): string {
  return details ? describeVerified(record, terminal) : verifiedSentence([record], terminal);
}

/**
 * For people: what is true now that it verified. What a review decided stands in it: a rejection verifies too.
 * @param terminal whose standard output it goes to; without one it has no colours
 */
function describeVerified(record: VerifiedResult, terminal?: Terminal): string {
  const { artifact, certificate_identity: identity, log_entry: log, statement, basis, checks, trusted_root } = record;
  const fields = Object.entries(basis).map(([field, one]) => ({
    field: field.replace(/^claims\./, ''),
    isClaim: field.startsWith('claims.'),
    text: `${valueOfField({ identity, statement }, field)}  (${formatBasis(one)})`,
  }));
  const rows = (isClaim: boolean) =>
    fields.filter((one) => one.isClaim === isClaim).map(({ field, text }) => [`  ${field}`, text]);
  const above = [
    ['verified', artifact],
    ...(identity === undefined
      ? [['signed by', 'the key']]
      : [
          ['signed by', identity.subject],
          ['issuer', identity.issuer],
          ...(identity.root === undefined ? [] : [['root', identity.root]]),
        ]),
    ...rows(true),
    ...(statement === undefined ? [] : [['statement', statement.predicateType]]),
  ];
  const words = statement === undefined ? [] : reviewWords(statement);
  const table = formatTable([
    ...above,
    ...words.map(({ field, value }) => [`  ${field}`, value]),
    ...(statement === undefined ? [] : rows(false)),
    ...(log === undefined
      ? []
      : [['log', `index ${log.log_index}${log.integrated_at === undefined ? '' : `, ${log.integrated_at}`}`]]),
    ['trust', trusted_root],
    ...checks.map(({ check, detail }) => [`  ✓ ${check}`, detail]),
  ]);
  if (terminal === undefined) return table;
  const colours = coloursFor(terminal, terminal.stdout);
  const isAgainst = (line: number) => words[line - above.length]?.isAgainst === true;
  const painted = table.split('\n').map((line, index) => (isAgainst(index) ? colours.red(line) : line));
  return painted.join('\n');
}

type ReviewWord = { readonly field: string; readonly value: string; readonly isAgainst?: boolean };

/** What a reviewer decided, and what an agent says that one did. */
function reviewWords({ predicateType, predicate }: Statement): readonly ReviewWord[] {
  if (isReviewType(predicateType)) {
    return [
      ...wordOf({ decision: 'none', ...(predicate as JsonObject) }, 'decision', 'approved'),
      ...wordOf(predicate, 'review_duration_seconds'),
      ...wordOf(predicate, 'comment'),
    ];
  }
  if (!isAgentRunType(predicateType)) return otherWords({ predicateType, predicate });
  const review = memberOf(predicate, 'human_review');
  return [...wordOf(review, 'approved', true), ...wordOf(review, 'review_duration_seconds')].map((word) => ({
    ...word,
    field: `human_review.${word.field}`,
  }));
}

/** Others' verdicts speak of more than one value; what they come to is said. */
function otherWords(statement: Pick<Statement, 'predicateType' | 'predicate'>): readonly ReviewWord[] {
  const meaning = meaningOf(statement);
  return meaning === 'negative' ? [{ field: 'meaning', value: meaning, isAgainst: true }] : [];
}

/** @param good the one value that is not against what was reviewed */
function wordOf(of: unknown, field: string, good?: JsonValue): readonly ReviewWord[] {
  const value = memberOf(of, field);
  if (value === undefined || value === null) return [];
  return [
    {
      field,
      value: typeof value === 'string' ? value : JSON.stringify(value),
      isAgainst: good !== undefined && value !== good,
    },
  ];
}

function memberOf(of: unknown, name: string): JsonValue | undefined {
  const value = of as JsonValue | undefined;
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
