import { createWriteStream, fstat, type WriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { AdmissionDecisionRecord } from '@colophon/records';

/** Lines of JSON, one for each decision. */
export type DecisionLog = { write(record: AdmissionDecisionRecord): void; close(): Promise<void> };

export type DecisionLogOptions = {
  /** Told of each line that is lost. */
  readonly onLost: () => void;
  /** Told why the log cannot be written. */
  readonly onBroken: (error: unknown) => void;
  /** Monotonic. */
  readonly nowMs?: () => number;
};

/** How often a broken log is opened again, and a file looked for that was put in the log's place. */
export const REOPEN_AFTER_MS = 1000;

/** Bytes that wait for a slow reader; what comes beyond them is counted and left out. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Opens a decision log: a file that is appended to, or a stream that stays open. A log that cannot be written keeps no
 * answer from the API server; each line that is lost is told. A file is opened again once it can be written, or after
 * it was rotated.
 */
export function openDecisionLog(to: string | Writable, options: DecisionLogOptions): DecisionLog {
  if (typeof to === 'string') return new DecisionLogFile(to, options);
  to.on('error', options.onBroken);
  return { write: (record) => writeLine(to, record, options), close: async () => {} };
}

function writeLine(stream: Writable, record: AdmissionDecisionRecord, { onLost }: DecisionLogOptions): void {
  const isOpen = !stream.destroyed && !stream.writableEnded;
  if (!isOpen || stream.writableLength > MOST_WAITING_BYTES) onLost();
  else {
    stream.write(`${JSON.stringify(record)}\n`, (error) => {
      if (error) onLost();
    });
  }
}

/** Which file a path or a descriptor leads to. */
type FileMark = { readonly dev: number; readonly ino: number };

class DecisionLogFile implements DecisionLog {
  readonly #path: string;
  readonly #options: DecisionLogOptions;
  readonly #nowMs: () => number;
  readonly #ended: Array<Promise<void>> = [];
  #stream: WriteStream;
  /** Of the file that is open; undefined until it is. */
  #opened: FileMark | undefined;
  #lookedAtMs: number;
  #isLooking = false;
  #isClosed = false;

  constructor(path: string, options: DecisionLogOptions) {
    this.#path = path;
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#lookedAtMs = this.#nowMs();
    this.#stream = this.#open();
  }

  write(record: AdmissionDecisionRecord): void {
    const nowMs = this.#nowMs();
    if (!this.#isClosed && nowMs - this.#lookedAtMs >= REOPEN_AFTER_MS) {
      this.#lookedAtMs = nowMs;
      this.#look();
    }
    writeLine(this.#stream, record, this.#options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await Promise.all(this.#ended);
  }

  #look(): void {
    if (this.#stream.destroyed) {
      const wasWritten = this.#opened !== undefined;
      this.#stream = this.#open();
      // The last line may be there in part: it must not take the next one with it.
      if (wasWritten) this.#stream.write('\n', () => {});
    } else if (!this.#isLooking) {
      this.#isLooking = true;
      // Nobody waits for a disk that hangs.
      void this.#follow().finally(() => {
        this.#isLooking = false;
      });
    }
  }

  /** Goes on in the file that stands at the path now. */
  async #follow(): Promise<void> {
    const opened = this.#opened;
    const found = await stat(this.#path).catch(({ code }: NodeJS.ErrnoException) => code);
    if (opened === undefined || opened !== this.#opened || this.#isClosed) return;
    const isThere =
      typeof found === 'object' ? found.dev === opened.dev && found.ino === opened.ino : found !== 'ENOENT';
    if (isThere) return;
    this.#end();
    this.#stream = this.#open();
  }

  #open(): WriteStream {
    this.#opened = undefined;
    const stream = createWriteStream(this.#path, { flags: 'a', mode: 0o640 });
    stream.on('error', this.#options.onBroken);
    stream.on('open', (descriptor) => {
      fstat(descriptor, (_error, mark) => {
        if (this.#stream === stream) this.#opened = mark;
      });
    });
    return stream;
  }

  /** Has what waits for the disk written. */
  #end(): void {
    const stream = this.#stream;
    if (!stream.destroyed) this.#ended.push(new Promise((resolve) => stream.end(() => resolve())));
  }
}
