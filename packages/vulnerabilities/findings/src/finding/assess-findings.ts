import type { Issue } from '@colophon/json';
import type { Finding } from '@colophon/records';
import type { AssessmentNote } from './assessment-note.ts';
import { mergeFindings } from './merge-findings.ts';
import { readFindings } from './parse-findings.ts';
import { type AssessmentMemory, findingsOfReported, newReading } from './read-reported.ts';
import type { ScannerReading } from './scan.ts';

/** What the rules know beside the outputs. */
export type AssessmentOptions = {
  /** The moment of import, RFC 3339: a publication after it is noted and left out. */
  readonly at?: string;
  /** Of outputs that were assessed before; saves time, and changes nothing. */
  readonly memory?: AssessmentMemory;
};

export type Assessment = { readonly findings: readonly Finding[]; readonly notes: readonly AssessmentNote[] };

/**
 * What scanners reported, as findings (contract §2.7): ids normalised, scores recomputed from their vectors, severities
 * decided, each vulnerability of a component once, sorted. The order of outputs and of what stands in them says nothing.
 * What was noticed on the way stands in the notes.
 */
export function assessFindings(
  readings: readonly ScannerReading[],
  { at, memory }: AssessmentOptions = {},
): Assessment {
  const reading = newReading(at, memory);
  // First within each output: what one scanner says of a component belongs together.
  const each = readings.map(({ reported }) =>
    mergeFindings(
      reported.flatMap((entry) => findingsOfReported(entry, reading)),
      reading,
    ),
  );
  const findings = each.length === 1 ? (each[0] as Finding[]) : mergeFindings(each.flat(), reading);
  return { findings, notes: reading.notes.list() };
}

/**
 * An array of findings (contract §2.7) that somebody may have put together by hand, assessed as a scanner's output is. An
 * entry that is no finding is an issue and spoils no other; so is a member of another type, without which the finding is
 * kept.
 */
export function assessFindingsList(
  value: unknown,
  { at, memory }: AssessmentOptions = {},
): Assessment & { readonly issues: readonly Issue[] } {
  const reading = newReading(at, memory);
  const { findings, issues } = readFindings(value, reading);
  return { findings: mergeFindings(findings, reading), issues, notes: reading.notes.list() };
}

/** Findings of several scans as one list, each vulnerability of a component once; see assessFindings. */
export function combineFindings(lists: ReadonlyArray<readonly Finding[]>): Assessment {
  const reading = newReading();
  return { findings: mergeFindings(lists.flat(), reading), notes: reading.notes.list() };
}
