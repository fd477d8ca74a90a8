import type { SaidOfAgent } from './agent-evidence.ts';
import { readTraceRecord } from './agent-trace.ts';
import type { LineRange, RangesByFile } from './line-range.ts';

/** A file of Agent Trace records. */
export type TraceFile<Author> = {
  /** Who wrote which lines, by the revision that the records name. */
  readonly byRevision: ReadonlyMap<string, RangesByFile<Author>>;
  /** Records that cannot be read, each by its line in the file, from 1. */
  readonly problems: ReadonlyArray<{ readonly line: number; readonly code: string; readonly message: string }>;
};

/**
 * Reads a file of Agent Trace records, one JSON object a line. What cannot be read is told, and the others count.
 * @param authorOf what becomes of the words of a record about an agent
 */
export function readTraceFile<Author>(bytes: Uint8Array, authorOf: (said: SaidOfAgent) => Author): TraceFile<Author> {
  const byRevision = new Map<string, Map<string, Array<LineRange<Author>>>>();
  const problems: Array<TraceFile<Author>['problems'][number]> = [];
  let start = 0;
  for (let number = 1; start < bytes.length; number++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.every(isBlank)) continue;
    const record = readTraceRecord(line, authorOf);
    if (!record.ok) {
      for (const { code, message } of record.issues) problems.push({ line: number, code, message });
      continue;
    }
    const { revision, files } = record.value;
    const known = byRevision.get(revision) ?? new Map<string, Array<LineRange<Author>>>();
    byRevision.set(revision, known);
    for (const { path, ranges } of files) {
      const before = known.get(path) ?? [];
      known.set(path, before);
      for (const range of ranges) before.push(range);
    }
  }
  return { byRevision, problems };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
