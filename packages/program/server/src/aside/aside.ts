import type { ChildProcess } from 'node:child_process';
import { forkScript } from '@colophon/assets';
import { AuthorityError } from '@colophon/authority';
import { LARGE_BODIES_BYTES, ServerBusy } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { OCI_ERROR_CODES, OciError } from '../registry/oci-error.ts';
import { ServerError } from '../server-error/server-error.ts';
import { ASIDE_JOBS, type AsideJob, type AsideJobs, type AsideOutcome, type AsideTask } from './aside-jobs.ts';
import { cpuMsOf } from './cpu-time.ts';

/** Bodies up to this many bytes are read where they arrive: that takes less than handing them over. */
export const READ_IN_PLACE_BYTES = 1024 * 1024;
/** A body that takes more work than this is never read. */
export const ASIDE_TIMEOUT_MS = 30_000;
/** A machine that gave a job no more than this part of the time is busy: that is not the job's fault. */
const LEAST_PART_OF_THE_TIME = 1 / 6;
/** A process that has nothing to do is given up after this time. */
const IDLE_MS = 30_000;
/** What its heap may hold: many times a body of ordinary JSON, and an end for one that is made to swell. */
export const ASIDE_HEAP_MB = 256;

type Waiting = AsideTask & { readonly settle: (outcome: AsideOutcome | Error) => void };

/**
 * Reads large bodies in one process beside the server, one after the other, so that nobody else waits for them. What
 * waits is bounded in bytes. It is a process and no thread, because V8 ends the whole process where a thread's heap is
 * full: a hostile body takes with it only what was reading it.
 */
export class Aside {
  readonly #budget = new ByteBudget(LARGE_BODIES_BYTES);
  readonly #timeoutMs: number;
  readonly #heapMb: number;
  readonly #inPlaceBytes: number;
  readonly #idleMs: number;
  readonly #workMsOf: (pid: number) => number | undefined;
  readonly #queue: Waiting[] = [];
  #current: { readonly task: Waiting; deadline: NodeJS.Timeout } | undefined;
  #process: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({
    timeoutMs = ASIDE_TIMEOUT_MS,
    heapMb = ASIDE_HEAP_MB,
    inPlaceBytes = READ_IN_PLACE_BYTES,
    idleMs = IDLE_MS,
    workMsOf = cpuMsOf,
  }: {
    /** Of work, where the system tells how long a process has computed; else of the clock. */
    timeoutMs?: number;
    heapMb?: number;
    inPlaceBytes?: number;
    idleMs?: number;
    workMsOf?: (pid: number) => number | undefined;
  } = {}) {
    this.#timeoutMs = timeoutMs;
    this.#heapMb = heapMb;
    this.#inPlaceBytes = inPlaceBytes;
    this.#idleMs = idleMs;
    this.#workMsOf = workMsOf;
  }

  /**
   * Does the job: at once for a small body, in the process beside for a large one. Throws what the job throws.
   * @throws ServerError `server.busy` where too much waits or the machine gave it hardly any time,
   *   `server.body_too_costly` where it took more work or memory than it may
   */
  async read<Job extends AsideJob>(job: Job, bytes: Uint8Array, text = ''): Promise<ReturnType<AsideJobs[Job]>> {
    type Value = ReturnType<AsideJobs[Job]>;
    if (bytes.length <= this.#inPlaceBytes) return ASIDE_JOBS[job](bytes, text) as Value;
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

  /** Whether it has nothing to do. */
  get isIdle(): boolean {
    return this.#current === undefined && this.#queue.length === 0;
  }

  /** Ends the process; what waits is refused. */
  close(): void {
    const waiting = this.#queue.splice(0);
    this.#end(new ServerBusy());
    clearTimeout(this.#idle);
    for (const { settle } of waiting) settle(new ServerBusy());
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    const task = this.#queue.shift();
    if (task === undefined) {
      this.#idle = setTimeout(() => this.#end(new ServerBusy()), this.#idleMs).unref();
      return;
    }
    this.#process ??= this.#start();
    this.#current = { task, deadline: this.#deadline(this.#process.pid) };
    const { job, bytes, text } = task;
    this.#process.send({ job, bytes, text } satisfies AsideTask);
  }

  /** Ends the work that is under way once it has taken its time, however long it had to wait for the machine. */
  #deadline(pid: number | undefined): NodeJS.Timeout {
    const workMs = () => (pid === undefined ? undefined : this.#workMsOf(pid));
    const [before, startedAt] = [workMs(), performance.now()];
    const after = (ms: number): NodeJS.Timeout =>
      setTimeout(() => {
        const now = workMs();
        const left = before === undefined || now === undefined ? 0 : this.#timeoutMs - (now - before);
        if (left <= 0) return this.#end(new BodyTooCostly());
        if (performance.now() - startedAt >= this.#timeoutMs / LEAST_PART_OF_THE_TIME)
          return this.#end(new ServerBusy());
        if (this.#current !== undefined) this.#current.deadline = after(left);
      }, ms).unref();
    return after(this.#timeoutMs);
  }

  #start(): ChildProcess {
    const started = forkScript('aside-process', new URL('./aside-process.ts', import.meta.url), {
      heapMb: this.#heapMb,
    });
    started.unref();
    started.channel?.unref();
    started.on('message', (outcome) => {
      if (started === this.#process) this.#settle(outcome as AsideOutcome);
    });
    for (const event of ['exit', 'error'] as const) started.on(event, () => this.#end(new BodyTooCostly(), started));
    return started;
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

  #end(reason: Error, ended = this.#process): void {
    if (ended === undefined || ended !== this.#process) return;
    this.#process = undefined;
    ended.kill('SIGKILL');
    this.#settle(reason);
  }
}

/** Reading the body took more time or memory than any body is worth. */
class BodyTooCostly extends ServerError {
  readonly statusCode = ServerError.statusOf('server.body_too_costly');
  constructor() {
    super('server.body_too_costly', 'parsing the body exceeded the limit of work or memory');
  }
}

/** The error as the job threw it. */
function errorOf({ name, message, code }: AsideOutcome & { ok: false }): Error {
  const authority = AuthorityError.codes.find((known) => known === code);
  if (authority !== undefined) return new AuthorityError(authority, message);
  const oci = OCI_ERROR_CODES.find((known) => known === code);
  // Of what the registry refuses, its jobs only read manifests.
  if (oci !== undefined) return new OciError(400, oci, message);
  return Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
}
