import { ASIDE_JOBS, type AsideOutcome, type AsideTask } from './aside-jobs.ts';

// The whole of the process: a task in, its outcome out, one after the other. It ends with the channel to the server.
process.on('message', (task: AsideTask) => process.send?.(outcomeOf(task)));

function outcomeOf({ job, bytes, text }: AsideTask): AsideOutcome {
  try {
    return { ok: true, value: ASIDE_JOBS[job](bytes, text) };
  } catch (error) {
    // An error loses its class on the way; what it says and its code do not get lost.
    const { name, message, code } = error as Error & { code?: unknown };
    return { ok: false, name, message, ...(typeof code === 'string' ? { code } : {}) };
  }
}
