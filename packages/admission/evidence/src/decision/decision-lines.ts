import { type Issue, isJsonObject, type ParseResult, parseStrictJson } from '@colophon/json';
import { type AdmissionDecisionRecord, parseAdmissionDecision } from '@colophon/records';

/** Bytes of one request with decisions, and of one line of a log: 256 images whose names are as long as a record has them, each
 * character of them escaped, and their reasons. */
export const MOST_DECISION_BYTES = 8 * 1024 * 1024;
/** Decisions of one request. */
export const MOST_DECISIONS = 1000;
/** A hostile document must not buy an answer larger than itself. */
const MOST_ISSUES = 100;

const NEWLINE = 0x0a;
const OPENING_BRACKET = 0x5b;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d, NEWLINE];

/** One thing that is wrong with decisions; `line` from 1 where they stand one in a line. */
export type DecisionIssue = Issue & { readonly line?: number };

/** A line of a log that is not blank. */
export type DecisionLine = {
  /** From 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
  /** False of a last line without its end, as a process leaves one that was killed while it wrote. */
  readonly isEnded: boolean;
};

/** The lines of a decision log. */
export function* decisionLines(log: Uint8Array): Generator<DecisionLine> {
  let line = 0;
  for (let from = 0; from < log.length; ) {
    const end = log.indexOf(NEWLINE, from);
    const bytes = log.subarray(from, end < 0 ? log.length : end);
    line += 1;
    if (!bytes.every((byte) => BLANKS.includes(byte))) yield { line, bytes, isEnded: end >= 0 };
    from += bytes.length + 1;
  }
}

/** Reads one line, with every issue at once. */
export function readDecision(bytes: Uint8Array): ParseResult<AdmissionDecisionRecord> {
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_DECISION_BYTES });
  return parsed.ok ? parseAdmissionDecision(parsed.value) : parsed;
}

/**
 * Whether a file is a log of decisions: the first line that is a JSON object has a decision's members, whatever is wrong
 * with them. A bundle in one line has others.
 */
export function isDecisionLog(file: Uint8Array): boolean {
  for (const { bytes } of decisionLines(file)) {
    const parsed = parseStrictJson(bytes, { maxBytes: MOST_DECISION_BYTES });
    if (!parsed.ok || !isJsonObject(parsed.value)) continue;
    const { webhook, images } = parsed.value;
    return typeof webhook === 'string' && Array.isArray(images);
  }
  return false;
}

/**
 * Reads decisions out of a JSON array, or one a line.
 * @returns all of them, or every issue at once, up to 100: paths lead from the array, or from the record in `line`.
 */
export function readDecisions(
  body: Uint8Array,
):
  | { readonly ok: true; readonly records: readonly AdmissionDecisionRecord[] }
  | { readonly ok: false; readonly issues: readonly DecisionIssue[] } {
  const first = body.find((byte) => !BLANKS.includes(byte));
  const records: AdmissionDecisionRecord[] = [];
  const issues: DecisionIssue[] = [];
  const note = (parsed: ParseResult<AdmissionDecisionRecord>, placed: (issue: Issue) => DecisionIssue) => {
    if (parsed.ok) records.push(parsed.value);
    else issues.push(...parsed.issues.map(placed));
  };
  if (first === OPENING_BRACKET) {
    const parsed = parseStrictJson(body, { maxBytes: MOST_DECISION_BYTES });
    if (!parsed.ok) return parsed;
    (parsed.value as unknown[]).forEach((record, index) => {
      if (issues.length < MOST_ISSUES) {
        note(parseAdmissionDecision(record), (issue) => ({ ...issue, path: `/${index}${issue.path}` }));
      }
    });
  } else {
    for (const { line, bytes } of decisionLines(body)) {
      if (issues.length < MOST_ISSUES) note(readDecision(bytes), (issue) => ({ ...issue, line }));
    }
  }
  return issues.length === 0 ? { ok: true, records } : { ok: false, issues: issues.slice(0, MOST_ISSUES) };
}
