import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { AdmissionDecisionRecord } from '@colophon/records';

/** Lines of JSON, one for each decision. */
export type DecisionLog = { write(record: AdmissionDecisionRecord): void; close(): Promise<void> };

/** Bytes that wait for a slow reader; what comes beyond them is counted and left out. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Opens a decision log: a file that is appended to, or a stream that stays open. A log that cannot be written keeps no
 * answer from the API server; each line that is lost is told.
 */
export function openDecisionLog(to: string | Writable, onLost: (error?: unknown) => void): DecisionLog {
  const stream = typeof to === 'string' ? createWriteStream(to, { flags: 'a', mode: 0o640 }) : to;
  stream.on('error', onLost);
  return {
    write(record) {
      if (stream.destroyed || stream.writableLength > MOST_WAITING_BYTES) onLost();
      else stream.write(`${JSON.stringify(record)}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        if (typeof to !== 'string' || stream.destroyed) resolve();
        else stream.end(() => resolve());
      }),
  };
}
