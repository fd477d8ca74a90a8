import { EvidenceError, type QueryResult } from '@colophon/evidence';
import { Aside } from '../aside/aside.ts';

/** A question that takes more work than this is given up. */
const TIMEOUT_MS = 10_000;
/** Processes that answer: while one looks through everything, the other serves questions that find by an index. */
const PROCESSES = 2;
/** Longer than people think between two questions: a process takes a tenth of a second to start. */
const IDLE_MS = 10 * 60_000;
/** Rows are read one by one; the largest answer is some megabytes. */
const HEAP_MB = 256;

/** Answers questions about evidence in processes beside the server, so that none of them holds anybody else up. */
export class QuestionDesk {
  readonly #database: string;
  readonly #asides: readonly Aside[];

  constructor(database: string, options: { timeoutMs?: number; workMsOf?: (pid: number) => number | undefined } = {}) {
    this.#database = database;
    this.#asides = Array.from(
      { length: PROCESSES },
      () => new Aside({ timeoutMs: TIMEOUT_MS, ...options, inPlaceBytes: -1, idleMs: IDLE_MS, heapMb: HEAP_MB }),
    );
  }

  /** @throws EvidenceError `evidence.question_too_costly`; ServerError `server.busy`; StoreError */
  async ask(text: string): Promise<QueryResult> {
    const aside = this.#asides.find(({ isIdle }) => isIdle) ?? this.#asides[0]!;
    try {
      return await aside.read('question', Buffer.from(text), this.#database);
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== 'server.body_too_costly') throw cause;
      const message = 'The question was given up after ten seconds of work.';
      throw new EvidenceError('evidence.question_too_costly', message, { cause });
    }
  }

  close(): void {
    for (const aside of this.#asides) aside.close();
  }
}
