import { CallerRecordCheck } from './caller-record-check.ts';
import { LaterErasureCheck } from './later-erasure-check.ts';
import type { LedgerProblems, ProblemSink } from './ledger-problem.ts';
import { NameCheck } from './name-check.ts';

/**
 * What the rows of an issuer's ledgers say of agents' names, API keys and revoked callers. After a restore some of the rows
 * are in frozen ledgers, and what is kept beside the rows follows from all of them: each ledger is verified with the same
 * records, in order of time, the one that is written at last.
 */
export class LedgerRecords implements ProblemSink {
  readonly names = new NameCheck(this);
  readonly callers = new CallerRecordCheck(this);
  readonly erasures = new LaterErasureCheck(this);
  #problems: LedgerProblems | undefined;

  /** Whose problems the ones that are found from now on are. */
  reportTo(problems: LedgerProblems): void {
    this.#problems = problems;
  }

  add(...problem: Parameters<ProblemSink['add']>): void {
    this.#problems?.add(...problem);
  }
}
