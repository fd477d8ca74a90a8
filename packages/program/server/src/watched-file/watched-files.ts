import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFilesAtOnce, systemReason, versionOf } from '@colophon/durable-file';
import { TwoLooks } from './two-looks.ts';

/** How often files are read again. */
export const WATCH_INTERVAL_MS = 1_000;

/** Files that are still being taken after this time are as good as not in force. */
const PENDING_MS = 2_000;

/** What several files hold at one moment, in the order of their names. */
export type FileContents = readonly Uint8Array[];

/**
 * Reads files again and again, and hands them over together when the content of any has changed and two looks in a row
 * found the same: what a writer has written so far may be a whole file that says something else. Names are not watched: a
 * mounted file is a link, and what it leads to is exchanged. What `take` throws, and a file that cannot be read, is a
 * failure that stays until the files that are there are in force. A `take` that takes its time is abandoned where the
 * files change again meanwhile.
 */
export class WatchedFiles {
  readonly #paths: readonly string[];
  readonly #take: (contents: FileContents) => unknown;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #seen: string;
  readonly #looks = new TwoLooks();
  /** Of the files as they were read last, where that tells whether they are the same. */
  #stamp: string | undefined;
  #abandon: (() => void) | undefined;
  /** When a `take` that is not done yet began; milliseconds of the process's own clock. */
  #takingSince: number | undefined;
  #isAbandoned = false;
  #isClosed = false;
  #failure: unknown;

  /** `taken`: what is in force already; nothing is handed over before a change. */
  constructor({
    paths,
    taken,
    take,
    abandon,
    onFailure,
    intervalMs = WATCH_INTERVAL_MS,
  }: {
    readonly paths: readonly string[];
    readonly taken: FileContents;
    /** May answer with a promise. */
    readonly take: (contents: FileContents) => unknown;
    /** Has that promise rejected. */
    readonly abandon?: () => void;
    /** Told once for each change that cannot be taken. */
    readonly onFailure: (error: unknown) => void;
    readonly intervalMs?: number;
  }) {
    this.#paths = paths;
    this.#take = take;
    this.#abandon = abandon;
    this.#onFailure = onFailure;
    this.#seen = digestOf(taken);
    this.#timer = setInterval(() => this.look(), intervalMs).unref();
  }

  /** Why the files are not in force as they are now; undefined where they are. */
  get failure(): unknown {
    if (this.#failure !== undefined) return this.#failure;
    const isLate = this.#takingSince !== undefined && performance.now() - this.#takingSince > PENDING_MS;
    return isLate ? new Error('the files were changed, and are still being read') : this.#looks.problem;
  }

  /** Reads the files now. */
  look(): void {
    const stamp = stampOf(this.#paths);
    if (stamp !== undefined && stamp === this.#stamp) return;
    const contents = this.#read();
    const seen = contents instanceof Error ? `unreadable ${contents.message}` : digestOf(contents);
    if (seen === this.#seen) {
      this.#looks.settle();
      return;
    }
    if (!this.#looks.isSame(seen)) {
      // They are read again, also where nobody touches them meanwhile.
      this.#stamp = undefined;
      return;
    }
    if (this.#takingSince !== undefined) {
      this.#stamp = undefined;
      // What is there now is taken at the next look.
      this.#isAbandoned = true;
      this.#abandon?.();
      return;
    }
    this.#seen = seen;
    this.#looks.settle();
    const before = this.#failure;
    // What is said while the files are taken is said of these.
    this.#failure = undefined;
    try {
      if (contents instanceof Error) throw contents;
      const taking = this.#take(contents);
      if (taking instanceof Promise) {
        this.#failure = before;
        this.#await(taking);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #await(taking: Promise<unknown>): Promise<void> {
    this.#takingSince = performance.now();
    try {
      await taking;
      this.#failure = undefined;
    } catch (error) {
      // What was abandoned is taken where it is there again.
      if (this.#isAbandoned) this.#seen = '';
      else if (!this.#isClosed) this.#fail(error);
    } finally {
      this.#takingSince = undefined;
      this.#isAbandoned = false;
    }
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#onFailure(error);
  }

  #read(): FileContents | Error {
    this.#stamp = undefined;
    try {
      const { contents, stamp } = readFiles(this.#paths);
      this.#stamp = stamp;
      return contents;
    } catch (error) {
      return new Error(systemReason(error));
    }
  }
}

/** A file that was changed so short a time ago may be changed again without its times telling. */
const SETTLED_MS = 2_000;

/**
 * What tells files and folders that nobody has touched since: undefined where nothing does, as they are not there, or were
 * changed a moment ago.
 */
export function stampOf(paths: readonly string[]): string | undefined {
  try {
    return wasChangedJustNow(paths) ? undefined : versionOf(paths);
  } catch {
    // Whoever reads it finds out why.
    return undefined;
  }
}

function wasChangedJustNow(paths: readonly string[]): boolean {
  return paths.some((path) => Date.now() - statSync(path).ctimeMs < SETTLED_MS);
}

/** Bytes of one file: more than any configuration or certificate has. */
const MOST_BYTES = 20 * 1024 * 1024;

/** What files held at one moment. */
export type FilesRead = {
  readonly contents: FileContents;
  /** As `stampOf` them at that moment. */
  readonly stamp: string | undefined;
};

/**
 * What the files hold at one moment, and their stamp of that very moment.
 * @param beside files and folders that the stamp is of, too
 * @throws the system's error; RangeError for what is no file to be read at once, or changes all the time
 */
export function readFiles(paths: readonly string[], beside: readonly string[] = []): FilesRead {
  const { contents, version } = readFilesAtOnce(paths, MOST_BYTES, beside);
  const stamp = stampOf([...paths, ...beside]);
  return { contents: contents.map((bytes) => new Uint8Array(bytes)), stamp: stamp === version ? stamp : undefined };
}

function digestOf(contents: FileContents): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length} `).update(content);
  return hash.digest('hex');
}
