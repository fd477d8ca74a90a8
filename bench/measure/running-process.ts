import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU that a running process has used so far, microseconds, its threads together. A thread that has ended is not
 * counted; those of Node stay as long as the process.
 */
export function cpuMicrosOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000)
    .reduce((sum, micros) => sum + micros, 0);
}

/** Bytes of a running process that are resident and belong to no file. */
export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
