import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { formatInstant, parseInstant } from '@colophon/notation';
import { type TransitionContext, type TransitionIssue, transitionIssues } from '../transition/transition.ts';
import type { VexDocument, VexStatement } from '../vex-document/vex-document.ts';
import { VexError } from '../vex-error/vex-error.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { OPENVEX_CONTEXT } from '../write/openvex-writer.ts';
import { writeVexDocument } from '../write/write-vex-document.ts';
import { standingStatements } from './standing-statements.ts';

/** A document as it was read, and the same as it is written. */
export type AmendableDocument = { readonly document: VexDocument; readonly json: JsonObject };

/** With the statement that was added, whose time may have moved behind the one that counted before. */
export type AmendedDocument = {
  readonly json: JsonObject;
  readonly statement: VexStatement;
  readonly from: readonly VexStatement[];
};

/**
 * Adds a statement to an OpenVEX document by the rules for changes of status. What was said before stays as it is
 * written; the document gets the next version and the time of its change. Its own time stays too, because statements
 * without one inherit it.
 * @throws VexError `vex.transition_*` with every reason, `vex.not_openvex`, `vex.statement_not_later`
 * @see contract §3; decision 0023
 */
export function addStatement(
  { document, json }: AmendableDocument,
  statement: VexStatement,
  context: TransitionContext,
): AmendedDocument {
  assertOpenVex(json);
  const standing = standingStatements(document, statement);
  assertTransitions(standing, statement, context);
  const next = { ...statement, timestamp: laterThan(standing, statement.timestamp) };
  return {
    json: amended(json, (all) => [...all, statementJson(next)], next.timestamp),
    statement: next,
    from: standing,
  };
}

/** @throws VexError with the code of the first reason */
export function assertTransitions(
  from: readonly VexStatement[],
  { status, justification, action_statement }: VexStatement,
  context: TransitionContext,
): void {
  const known: TransitionContext = { justification, action: action_statement, ...context };
  const statuses = from.length === 0 ? [undefined] : from.map((one) => one.status);
  const issues = new Map<string, TransitionIssue>();
  for (const before of statuses) {
    for (const issue of transitionIssues(before, status, known)) issues.set(issue.message, issue);
  }
  const [first, ...more] = issues.values();
  if (first === undefined) return;
  throw new VexError(first.code, first.message, {
    ...(first.expected === undefined ? {} : { expected: first.expected }),
    found: statuses.map((one) => one ?? 'no statement').join(', '),
    ...(more.length === 0 ? {} : { issues: [first, ...more] }),
  });
}

/** A document in the next version, with other statements; everything else as it was written. */
export function amended(
  json: JsonObject,
  change: (statements: readonly JsonValue[]) => readonly JsonValue[],
  at: string,
): JsonObject {
  const { version, statements } = json;
  const next = typeof version === 'number' && Number.isSafeInteger(version + 1) ? version + 1 : 2;
  // Where the standard has it, also in a document that was never changed before.
  const changed = Object.entries(json).flatMap((entry) => (entry[0] === 'timestamp' ? [entry, LAST_UPDATED] : [entry]));
  return {
    ...Object.fromEntries(changed),
    last_updated: at,
    version: next,
    statements: change(Array.isArray(statements) ? statements : []),
  };
}

const LAST_UPDATED: [string, JsonValue] = ['last_updated', null];

/** @throws VexError `vex.not_openvex` */
export function assertOpenVex(json: JsonObject): void {
  const context = [json['@context']].flat();
  if (context.includes(OPENVEX_CONTEXT) && Array.isArray(json['statements']) && json['statements'].every(isStandard))
    return;
  throw new VexError('vex.not_openvex', 'only a document of OpenVEX v0.2.0 is changed', {
    expected: OPENVEX_CONTEXT,
    next: 'colophon vex convert --to openvex',
  });
}

/** A statement in the contract's own shape beside others would be read by nobody else. */
function isStandard(statement: JsonValue): boolean {
  return isJsonObject(statement) && statement['components'] === undefined && statement['details'] === undefined;
}

/** One statement as OpenVEX v0.2.0 writes it. */
export function statementJson(statement: VexStatement): JsonValue {
  const { document } = writeVexDocument({ shape: 'openvex', statements: [statement] }, { profile: 'openvex' });
  return (document['statements'] as readonly JsonValue[])[0] as JsonValue;
}

/** Some readers let the first of two statements of the same time count. */
function laterThan(standing: readonly VexStatement[], at: string): string {
  const newest = standing.reduce((last, { timestamp }) => (compareTimes(timestamp, last) > 0 ? timestamp : last), '');
  if (newest === '' || compareTimes(newest, at) < 0) return at;
  const [instant, now] = [parseInstant(newest), parseInstant(at)];
  if (instant === undefined || now === undefined || instant - now >= SAME_TIME_MS) {
    throw new VexError(
      'vex.statement_not_later',
      'a statement that is not later than the one that counts has no effect',
      {
        expected: `later than ${newest}`,
        found: at,
      },
    );
  }
  return formatInstant(instant + 1);
}

/** Two commands of a script run in the same second. */
const SAME_TIME_MS = 1_000;
