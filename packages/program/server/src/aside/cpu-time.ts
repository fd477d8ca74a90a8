import { readFileSync } from 'node:fs';

/** Linux counts it so for every process, whatever the clock of its machine. */
const TICKS_PER_SECOND = 100;

/**
 * Milliseconds that a process and its threads have computed so far, to ten of them; undefined where the system has no
 * `/proc`.
 * @see proc(5), fields 14 and 15 of /proc/PID/stat
 */
export function cpuMsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in brackets, and may have anything in it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
