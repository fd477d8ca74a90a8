import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';

/** How often files are read again. */
export const WATCH_INTERVAL_MS = 1_000;

/** What several files hold at one moment, in the order of their names. */
export type FileContents = readonly Uint8Array[];

/**
 * Reads files again and again, and hands them over together when the content of any has changed. Names are not watched:
 * a mounted file is a link, and what it leads to is exchanged. What `take` throws, and a file that cannot be read, is a
 * failure that stays until the files change again. While `take` takes its time the files are not looked at.
 */
export class WatchedFiles {
  readonly #paths: readonly string[];
  readonly #take: (contents: FileContents) => unknown;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #seen: string;
  #isTaking = false;
  #isClosed = false;
  #failure: unknown;

  /** `taken`: what is in force already; nothing is handed over before a change. */
  constructor({
    paths,
    taken,
    take,
    onFailure,
    intervalMs = WATCH_INTERVAL_MS,
  }: {
    readonly paths: readonly string[];
    readonly taken: FileContents;
    /** May answer with a promise. */
    readonly take: (contents: FileContents) => unknown;
    /** Told once for each change that cannot be taken. */
    readonly onFailure: (error: unknown) => void;
    readonly intervalMs?: number;
  }) {
    this.#paths = paths;
    this.#take = take;
    this.#onFailure = onFailure;
    this.#seen = digestOf(taken);
    this.#timer = setInterval(() => this.look(), intervalMs).unref();
  }

  /** Why the files are not in force as they are now; undefined where they are. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Reads the files now. */
  look(): void {
    if (this.#isTaking) return;
    const contents = this.#read();
    const seen = contents instanceof Error ? `unreadable ${contents.message}` : digestOf(contents);
    if (seen === this.#seen) return;
    this.#seen = seen;
    // What is said while the files are taken is said of these.
    this.#failure = undefined;
    try {
      if (contents instanceof Error) throw contents;
      const taking = this.#take(contents);
      if (taking instanceof Promise) this.#await(taking);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async #await(taking: Promise<unknown>): Promise<void> {
    this.#isTaking = true;
    try {
      await taking;
      this.#failure = undefined;
    } catch (error) {
      if (!this.#isClosed) this.#fail(error);
    } finally {
      this.#isTaking = false;
    }
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#onFailure(error);
  }

  #read(): FileContents | Error {
    try {
      return readFiles(this.#paths);
    } catch (error) {
      return new Error(systemReason(error));
    }
  }
}

/** What the files hold now. @throws the system's error */
export function readFiles(paths: readonly string[]): FileContents {
  return paths.map((path) => new Uint8Array(readFileSync(path)));
}

function digestOf(contents: FileContents): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(`${content.length} `).update(content);
  return hash.digest('hex');
}
