import { compareTexts } from '@colophon/notation';
import { SourceError } from '../source-error/source-error.ts';
import type { SourceLimits } from './source-limits.ts';
import { licenceTextsOf, statedLicence } from './stated-licence.ts';

/** One file of text. */
export type SourceFile = {
  /** Relative to the root of the package, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
};

/** The files of text of a package or folder, sorted by path, and what they say about their licence. */
export type SourceTree = {
  readonly files: readonly SourceFile[];
  /** An SPDX expression or another name, as the package states it. */
  readonly licence?: string;
  readonly licenceTexts: ReadonlyArray<{ readonly path: string; readonly text: string }>;
  /** What is there and not among `files`: binaries, links, devices, files over the limit. */
  readonly skipped: ReadonlyArray<{ readonly path: string; readonly reason: string }>;
};

/** git's own rule for what is binary. */
const BINARY_PROBE_BYTES = 8000;

/** Collects the files of one package and refuses it where the limits end. */
export class SourceTreeCollector {
  readonly #limits: SourceLimits;
  readonly #maxBytes: number;
  readonly #checked: string;
  readonly #files = new Map<string, Uint8Array>();
  readonly #skipped: Array<{ path: string; reason: string }> = [];
  #seen = 0;
  #bytes = 0;

  /** `checked`: the package as errors name it. */
  constructor(checked: string, limits: SourceLimits, maxBytes: number = limits.maxExpandedBytes) {
    this.#checked = checked;
    this.#limits = limits;
    this.#maxBytes = maxBytes;
  }

  /** Says that one more entry of so many bytes comes. @throws SourceError `feeds.package_too_large` */
  expect(bytes: number): void {
    this.#seen += 1;
    this.#bytes += bytes;
    if (this.#seen > this.#limits.maxFiles) throw this.#tooLarge(`more than ${this.#limits.maxFiles} files`);
    if (this.#bytes > this.#maxBytes) throw this.#tooLarge(`more than ${this.#maxBytes} bytes`);
  }

  /** Whether a file of so many bytes is kept; where it is not, it is listed as skipped. */
  takes(path: string, bytes: number): boolean {
    const isTaken = bytes <= this.#limits.maxFileBytes;
    if (!isTaken) this.skip(path, `over ${this.#limits.maxFileBytes} bytes`);
    return isTaken;
  }

  skip(path: string, reason: string): void {
    this.#skipped.push({ path, reason });
  }

  /** @throws SourceError `feeds.archive_refused` for two files of one name with other content */
  add(path: string, bytes: Uint8Array): void {
    const before = this.#files.get(path);
    // Which of the two an installer keeps differs from one to the next.
    if (before !== undefined && Buffer.compare(before, bytes) !== 0) {
      throw new SourceError('feeds.archive_refused', 'the archive has a file twice, with other content', {
        checked: this.#checked,
        found: path,
      });
    }
    if (isBinary(bytes)) this.skip(path, 'binary');
    else this.#files.set(path, bytes);
  }

  tree(): SourceTree {
    const files = [...this.#files].map(([path, bytes]) => ({ path, bytes })).sort(byPath);
    const licence = statedLicence(files);
    return {
      files,
      ...(licence === undefined ? {} : { licence }),
      licenceTexts: licenceTextsOf(files),
      skipped: this.#skipped.sort(byPath),
    };
  }

  #tooLarge(found: string): SourceError {
    return new SourceError('feeds.package_too_large', `the package has ${found}`, {
      checked: this.#checked,
      expected: `at most ${this.#limits.maxFiles} files and ${this.#maxBytes} bytes`,
    });
  }
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return compareTexts(one.path, other.path);
}

/** Whether bytes are no text, by git's own rule: a NUL near the beginning. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}
