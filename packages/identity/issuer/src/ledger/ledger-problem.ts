export const LEDGER_PROBLEM_CODES = [
  'ledger.file_damaged',
  'ledger.tables_changed',
  'ledger.seq_gap',
  'ledger.leaf_mismatch',
  'ledger.payload_mismatch',
  'ledger.erasure_unrecorded',
  'ledger.erasure_undone',
  'ledger.erasure_unfinished',
  'ledger.name_mismatch',
  'ledger.caller_mismatch',
  'ledger.used_token_mismatch',
  'ledger.head_malformed',
  'ledger.head_signature_invalid',
  'ledger.head_mismatch',
  'ledger.rows_missing',
  'ledger.tree_mismatch',
] as const;
export type LedgerProblemCode = (typeof LEDGER_PROBLEM_CODES)[number];

/** Something that must not be; `seq` is the row, `size` the tree size of the checkpoint. */
export type LedgerProblem = {
  readonly code: LedgerProblemCode;
  readonly message: string;
  readonly seq?: number;
  readonly size?: number;
};

/** The first problems; a broken ledger has as many as it has rows. */
const MAX_PROBLEMS = 1_000;

/** Takes what was found. */
export type ProblemSink = Pick<LedgerProblems, 'add'>;

/** Collects what was found. */
export class LedgerProblems {
  /** The first 1,000. */
  readonly first: LedgerProblem[] = [];
  /** How many there are of each code. */
  readonly counts: { [code in LedgerProblemCode]?: number } = {};

  add(code: LedgerProblemCode, message: string, where: { seq?: number; size?: number } = {}): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1;
    if (this.first.length < MAX_PROBLEMS) this.first.push({ code, message, ...where });
  }
}
