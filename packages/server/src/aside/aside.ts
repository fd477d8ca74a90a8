import { Worker } from 'node:worker_threads';
import { AUTHORITY_ERROR_CODES, AuthorityError } from '@colophon/authority';
import { LARGE_BODIES_BYTES, ServerBusy } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { OCI_ERROR_CODES, OciError } from '../registry/oci-error.ts';
import { ServerError } from '../server-error/server-error.ts';
import { ASIDE_JOBS, type AsideJob, type AsideJobs, type AsideOutcome, type AsideTask } from './aside-jobs.ts';

/** Bodies up to this many bytes are read where they arrive: that takes less than handing them over. */
export const READ_IN_PLACE_BYTES = 1024 * 1024;
/** A body that is not read by then never is. */
export const ASIDE_TIMEOUT_MS = 30_000;
/** A thread that has nothing to do is given up after this time. */
const IDLE_MS = 30_000;
/** What the thread's heap may hold: many times a body of ordinary JSON, and an end for one that is made to swell. */
export const ASIDE_HEAP_MB = 256;

type Waiting = AsideTask & { readonly settle: (outcome: AsideOutcome | Error) => void };

/**
 * Reads large bodies in one thread beside the server, one after the other, so that nobody else waits for them. What
 * waits is bounded in bytes. A thread that fails takes with it the one body that it was reading.
 */
export class Aside {
  readonly #budget = new ByteBudget(LARGE_BODIES_BYTES);
  readonly #timeoutMs: number;
  readonly #heapMb: number;
  readonly #queue: Waiting[] = [];
  #current: { readonly task: Waiting; readonly deadline: NodeJS.Timeout } | undefined;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ timeoutMs = ASIDE_TIMEOUT_MS, heapMb = ASIDE_HEAP_MB }: { timeoutMs?: number; heapMb?: number } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#heapMb = heapMb;
  }

  /**
   * Does the job: at once for a small body, in the thread for a large one. Throws what the job throws.
   * @throws ServerError `server.busy` where too much waits, `server.body_too_costly` where time or memory did not suffice
   */
  async read<Job extends AsideJob>(job: Job, bytes: Uint8Array, text = ''): Promise<ReturnType<AsideJobs[Job]>> {
    type Value = ReturnType<AsideJobs[Job]>;
    if (bytes.length <= READ_IN_PLACE_BYTES) return ASIDE_JOBS[job](bytes, text) as Value;
    const giveBack = this.#budget.take(bytes.length);
    if (giveBack === undefined) throw new ServerBusy();
    const outcome = await new Promise<AsideOutcome | Error>((settle) => {
      this.#queue.push({ job, bytes, text, settle });
      this.#next();
    }).finally(giveBack);
    if (outcome instanceof Error) throw outcome;
    if (!outcome.ok) throw errorOf(outcome);
    return outcome.value as Value;
  }

  /** Ends the thread; what waits is refused. */
  async close(): Promise<void> {
    const waiting = this.#queue.splice(0);
    await this.#endThread(new ServerBusy());
    for (const { settle } of waiting) settle(new ServerBusy());
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    const task = this.#queue.shift();
    if (task === undefined) {
      this.#idle = setTimeout(() => void this.#endThread(new ServerBusy()), IDLE_MS).unref();
      return;
    }
    const deadline = setTimeout(() => void this.#endThread(new BodyTooCostly()), this.#timeoutMs).unref();
    this.#current = { task, deadline };
    this.#thread ??= this.#startThread();
    const { job, bytes, text } = task;
    this.#thread.postMessage({ job, bytes, text } satisfies AsideTask);
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./aside-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    thread.unref();
    thread.on('message', (outcome: AsideOutcome) => this.#settle(outcome));
    // Out of memory ends the thread, not the process.
    thread.on('error', () => void this.#endThread(new BodyTooCostly(), thread));
    return thread;
  }

  #settle(outcome: AsideOutcome | Error): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) {
      clearTimeout(current.deadline);
      current.task.settle(outcome);
    }
    this.#next();
  }

  async #endThread(reason: Error, thread = this.#thread): Promise<void> {
    if (thread === undefined || thread !== this.#thread) return;
    this.#thread = undefined;
    thread.removeAllListeners('message');
    this.#settle(reason);
    await thread.terminate();
  }
}

/** Reading the body took more time or memory than any body is worth. */
class BodyTooCostly extends ServerError {
  readonly statusCode = 413;
  constructor() {
    super('server.body_too_costly', 'the body cannot be read with the time and memory that there are for one');
  }
}

/** The error as the job threw it. */
function errorOf({ name, message, code }: AsideOutcome & { ok: false }): Error {
  const authority = AUTHORITY_ERROR_CODES.find((known) => known === code);
  if (authority !== undefined) return new AuthorityError(authority, message);
  const oci = OCI_ERROR_CODES.find((known) => known === code);
  // Of what the registry refuses, its jobs only read manifests.
  if (oci !== undefined) return new OciError(400, oci, message);
  return Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
}
