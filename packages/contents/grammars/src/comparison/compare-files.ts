import type { ResultOf } from '@colophon/records/result';
import {
  areComparable,
  type Comparison,
  compareSources,
  type Evidence,
  type GrammarName,
  grammarOfPath,
  LANGUAGES,
  type Language,
  linesOf,
  readSource,
  regionsOf,
  type Source,
  type Thresholds,
} from '@colophon/similarity';
import { ComparisonError } from '../comparison-error/comparison-error.ts';
import { loadGrammar } from '../grammar/grammar.ts';
import type { fileComparison } from './comparison-result.ts';

/** A file as it was read. */
export type TextFile = { readonly path: string; readonly text: string };

/** A file that can be compared. */
export type ReadFile = { readonly path: string; readonly source: Source };

/** How alike two files are, and where. */
export type FileComparison = ResultOf<typeof fileComparison>;
/** The parts of two files, functions mostly, that say most, and what they have in common. */
export type BestPart = NonNullable<FileComparison['best']>;

/** How files are read and what scores are called. */
export type CompareOptions = {
  /** Instead of the one that the file's extension says. */
  readonly language?: Language | undefined;
  readonly thresholds?: Thresholds | undefined;
};

/**
 * Compares two files of one language.
 * @throws ComparisonError `similarity.language_unknown`, `similarity.languages_differ`
 * @throws GrammarError
 */
export async function compareFiles(a: TextFile, b: TextFile, options: CompareOptions = {}): Promise<FileComparison> {
  const [fileA, fileB] = [await readForComparison(a, options.language), await readForComparison(b, options.language)];
  if (!areComparable(fileA.source.language, fileB.source.language)) {
    throw new ComparisonError('similarity.languages_differ', 'the files are of different languages', {
      expected: fileA.source.language,
      found: fileB.source.language,
    });
  }
  const comparison = compareSources(fileA.source, fileB.source, { thresholds: options.thresholds });
  return describeComparison(comparison, fileA, fileB);
}

/** A comparison without what only a program can read. */
export function describeComparison(comparison: Comparison, a: ReadFile, b: ReadFile): FileComparison {
  const { score, verdict, contained, vocabulary, tokens, evidence, matches } = comparison;
  return {
    score: rounded(score),
    verdict,
    language: a.source.language,
    best: evidence === undefined ? null : describeEvidence(evidence, a.source, b.source),
    contained: { a: rounded(contained.a), b: rounded(contained.b) },
    vocabulary: rounded(vocabulary),
    token_count: tokens,
    unparsed: { a: rounded(a.source.unparsed), b: rounded(b.source.unparsed) },
    regions: regionsOf(matches, a.source, b.source),
  };
}

function describeEvidence({ a, b, run, coverage, match }: Evidence, sourceA: Source, sourceB: Source): BestPart {
  const { placeInA, placeInB, length } = match;
  return {
    a: { lines: linesOf(sourceA, a.start, a.end), token_count: a.tokens },
    b: { lines: linesOf(sourceB, b.start, b.end), token_count: b.tokens },
    run: Math.round(run),
    coverage: rounded(coverage),
    region: {
      a: linesOf(sourceA, placeInA, placeInA + length),
      b: linesOf(sourceB, placeInB, placeInB + length),
      token_count: length,
    },
  };
}

/** A share with four decimals, rounded downwards: what is rounded to a threshold has reached it. */
export function rounded(share: number): number {
  return Math.floor(share * 10_000 + 1e-7) / 10_000;
}

/**
 * Reads a file's syntax by its extension, or as `language`.
 * @throws ComparisonError `similarity.language_unknown`
 * @throws GrammarError
 */
export async function readForComparison({ path, text }: TextFile, language?: Language): Promise<ReadFile> {
  const byPath = grammarOfPath(path);
  const grammar: GrammarName | undefined =
    language === undefined || (language === 'typescript' && byPath === 'tsx') ? byPath : language;
  if (grammar === undefined) {
    throw new ComparisonError('similarity.language_unknown', `${path}: the file name does not identify the language`, {
      checked: path,
      expected: `source code in ${LANGUAGES.join(', ')}; sbom similarity takes --language too`,
    });
  }
  try {
    return { path, source: readSource(await loadGrammar(grammar), text) };
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { facts: { checked: path } }) : error;
  }
}
