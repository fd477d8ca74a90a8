import { setImmediate } from 'node:timers/promises';
import type { ResultOf } from '@colophon/records/result';
import { createSourceIndex, type Source, type Thresholds } from '@colophon/similarity';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { describeComparison, type ReadFile, readForComparison } from './compare-files.ts';
import type { bestMatches as bestMatchesResult } from './comparison-result.ts';
import { type SkippedFile, type SourceBytes, textOf } from './source-files.ts';

/** A file that others are compared with, and its package where there are several. */
export type KnownFile = ReadFile & { readonly package?: string };

/** What many files are most like. */
export type BestMatches = ResultOf<typeof bestMatchesResult>;
/** A file and the one that it is most like. */
export type MatchedFile = BestMatches['files'][number];

/** How files are read, and who is told how many are. */
export type ReadOptions = {
  readonly language?: Parameters<typeof readForComparison>[1];
  readonly onProgress?: (done: number) => void;
};

/** How files are matched. */
export type MatchOptions = ReadOptions & { readonly thresholds?: Thresholds | undefined };

/** Files that were read, and those that the parser refused. */
export type ReadFiles = { readonly read: readonly ReadFile[]; readonly skipped: readonly SkippedFile[] };

/** Reads files for comparison. What the parser refuses is passed over and named. */
export async function readFiles(files: readonly SourceBytes[], options: ReadOptions): Promise<ReadFiles> {
  const read: ReadFile[] = [];
  const skipped: SkippedFile[] = [];
  for await (const one of eachRead(files, options)) {
    if ('source' in one) read.push(one);
    else skipped.push(one);
  }
  return { read, skipped };
}

/** For each file the most alike of those that are known. What the parser refuses is passed over and named. */
export async function bestMatches(
  files: readonly SourceBytes[],
  known: readonly KnownFile[],
  options: MatchOptions,
): Promise<BestMatches> {
  const packages = known.some((one) => one.package !== undefined) ? known.map((one) => one.package ?? '') : [];
  const index = createSourceIndex(
    known.map(({ source }) => source),
    packages,
  );
  const matched: MatchedFile[] = [];
  const unmatched: string[] = [];
  const skipped: SkippedFile[] = [];
  for await (const one of eachRead(files, options)) {
    if (!('source' in one)) {
      skipped.push(one);
      continue;
    }
    const best = index.bestMatch(one.source, options.thresholds);
    if (best === undefined) {
      unmatched.push(one.path);
      continue;
    }
    const other = known[best.index]!;
    matched.push({
      file: one.path,
      match: other.path,
      ...(other.package === undefined ? {} : { package: other.package }),
      ...describeComparison(best.comparison, one, other),
    });
  }
  matched.sort((one, other) => other.score - one.score || (one.file < other.file ? -1 : 1));
  return { files: matched, unmatched, skipped };
}

async function* eachRead(
  files: readonly SourceBytes[],
  { language, onProgress }: ReadOptions,
): AsyncGenerator<{ readonly path: string; readonly source: Source } | SkippedFile> {
  let done = 0;
  for (const file of files) {
    done += 1;
    // Everything else here is one long turn: a progress line and Ctrl-C need theirs.
    if (done % 32 === 0) {
      onProgress?.(done);
      await setImmediate();
    }
    try {
      yield await readForComparison({ path: file.path, text: textOf(file.bytes) }, language);
    } catch (error) {
      if (!(error instanceof GrammarError) || error.code === 'grammar.unavailable') throw error;
      yield { file: file.path, reason: error.message };
    }
  }
}
