import { parentPort } from 'node:worker_threads';
import { ASIDE_JOBS, type AsideOutcome, type AsideTask } from './aside-jobs.ts';

// The whole of the thread: a task in, its outcome out, one after the other.
parentPort?.on('message', (task: AsideTask) => parentPort?.postMessage(outcomeOf(task)));

function outcomeOf({ job, bytes, text }: AsideTask): AsideOutcome {
  try {
    return { ok: true, value: ASIDE_JOBS[job](bytes, text) };
  } catch (error) {
    // An error loses its class on the way; what it says and its code do not get lost.
    const { name, message, code } = error as Error & { code?: unknown };
    return { ok: false, name, message, ...(typeof code === 'string' ? { code } : {}) };
  }
}
