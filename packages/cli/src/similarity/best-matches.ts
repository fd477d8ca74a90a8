import { setImmediate } from 'node:timers/promises';
import type { SourceFile } from '@colophon/feeds';
import { GrammarError } from '@colophon/grammars';
import { createSourceIndex, type Source, type Thresholds } from '@colophon/similarity';
import { describeComparison, type FileComparison, readForComparison } from './compare.ts';
import { type SkippedFile, textOf } from './source-files.ts';

/** A file and the one that it is most like. */
export type MatchedFile = { readonly path: string; readonly match: string } & FileComparison;

/** What many files are most like. */
export type BestMatches = {
  /** The most alike first. */
  readonly files: readonly MatchedFile[];
  /** Files that have none to be compared with, because nothing there is of their language. */
  readonly unmatched: readonly string[];
  readonly skipped: readonly SkippedFile[];
};

/** How files are matched, and who is told how far it is. */
export type MatchOptions = {
  readonly language?: Parameters<typeof readForComparison>[1];
  readonly thresholds?: Thresholds | undefined;
  readonly minScore?: number | undefined;
  readonly onProgress?: (done: number, all: number) => void;
};

/** For each file the most alike of the others. What the parser refuses is passed over and named. */
export async function bestMatches(
  files: readonly SourceFile[],
  others: readonly SourceFile[],
  options: MatchOptions,
): Promise<BestMatches> {
  const skipped: SkippedFile[] = [];
  const all = files.length + others.length;
  let done = 0;
  const read = async (file: SourceFile): Promise<Source | undefined> => {
    done += 1;
    // Everything else here is one long turn: a progress line and Ctrl-C need theirs.
    if (done % 32 === 0) {
      options.onProgress?.(done, all);
      await setImmediate();
    }
    try {
      return (await readForComparison({ path: file.path, text: textOf(file.bytes) }, options.language)).source;
    } catch (error) {
      if (!(error instanceof GrammarError) || error.code === 'grammar.unavailable') throw error;
      skipped.push({ path: file.path, reason: error.message });
      return undefined;
    }
  };

  const known: Array<{ file: SourceFile; source: Source }> = [];
  for (const file of others) {
    const source = await read(file);
    if (source !== undefined) known.push({ file, source });
  }
  const index = createSourceIndex(known.map(({ source }) => source));
  const matched: MatchedFile[] = [];
  const unmatched: string[] = [];
  for (const file of files) {
    const source = await read(file);
    if (source === undefined) continue;
    const best = index.bestMatch(source, options.thresholds);
    if (best === undefined) {
      unmatched.push(file.path);
      continue;
    }
    if (best.comparison.score < (options.minScore ?? 0)) continue;
    const other = known[best.index]!;
    const comparison = describeComparison(
      best.comparison,
      { path: file.path, text: textOf(file.bytes), source },
      { path: other.file.path, text: textOf(other.file.bytes), source: other.source },
    );
    matched.push({ path: file.path, match: other.file.path, ...comparison });
  }
  matched.sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  return { files: matched, unmatched, skipped };
}
