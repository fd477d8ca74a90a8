import type { CvssIssueCode } from '../cvss/cvss-issue.ts';

/** What is noticed while findings are read, scored and merged; nothing of it keeps a finding out. */
export const FINDING_NOTE_CODES = [
  'finding.cve_malformed',
  'finding.several_cves',
  'finding.names_left_out',
  'finding.score_differs',
  'finding.score_invalid',
  'finding.score_zero',
  'finding.severity_differs',
  'finding.severity_unknown',
  'finding.date_invalid',
  'finding.date_future',
  'finding.purl_invalid',
  'finding.not_in_sbom',
  'finding.exploitation_disputed',
] as const;

export type AssessmentNoteCode = CvssIssueCode | (typeof FINDING_NOTE_CODES)[number];

/** One thing that was noticed, of one vulnerability as one scanner tells it. */
export type AssessmentNote = {
  /** `finding.*` or `cvss.*`, stable. */
  readonly code: string;
  readonly message: string;
  /** The name that the scanner used. */
  readonly id: string;
  readonly scanner: string;
  /** How many entries this speaks of. */
  readonly count: number;
};

/** Collects notes; the same one of many entries is one with their number. */
export class NoteBook {
  readonly #notes = new Map<string, AssessmentNote>();

  add(
    code: AssessmentNoteCode,
    message: string,
    { id, scanner }: { readonly id: string; readonly scanner: string },
  ): void {
    const key = `${code}\0${scanner}\0${id}\0${message}`;
    const known = this.#notes.get(key);
    this.#notes.set(key, { code, message, id, scanner, count: (known?.count ?? 0) + 1 });
  }

  /** Sorted, so that the order in which they were noticed says nothing. */
  list(): AssessmentNote[] {
    return [...this.#notes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, note]) => note);
  }
}
