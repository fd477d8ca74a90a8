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
  type Region,
  readSource,
  regionsOf,
  type Source,
  type Thresholds,
  type Verdict,
} from '@colophon/similarity';
import { ComparisonError } from '../comparison-error/comparison-error.ts';
import { loadGrammar } from '../grammar/grammar.ts';

/** A file as it was read. */
export type TextFile = { readonly path: string; readonly text: string };

/** A file that can be compared. */
export type ReadFile = { readonly path: string; readonly source: Source };

/** The parts of two files, functions mostly, that say most, and what they have in common. */
export type BestPart = {
  readonly a: PartOfFile;
  readonly b: PartOfFile;
  /** What their longest common run is worth, in tokens: those that many packages have do not count. */
  readonly run: number;
  /** How much of the smaller part the runs in common are worth, 0 to 1. */
  readonly coverage: number;
  /** Where the longest run is. */
  readonly region: Region;
};

/** A part of a file. */
export type PartOfFile = { readonly lines: Region['a']; readonly tokens: number };

/** How alike two files are, and where. */
export type FileComparison = {
  /** 0 to 1; from 0.8 strong evidence, up to 0.5 noise. @see contract §8 */
  readonly score: number;
  readonly verdict: Verdict;
  readonly language: Language;
  /** What the score rests on; null where no part has enough in common, and for what rests on words alone. */
  readonly best: BestPart | null;
  /** How much of each file's tokens stands in the other, 0 to 1. */
  readonly contained: Comparison['contained'];
  /** How much of their words is common, 0 to 1. */
  readonly vocabulary: number;
  readonly tokens: Comparison['tokens'];
  /** How much of each file's text could not be parsed, 0 to 1. */
  readonly unparsed: { readonly a: number; readonly b: number };
  /** Matched stretches as lines of both files, in A's order. */
  readonly regions: readonly Region[];
};

/** How files are read and what scores are called. */
export type CompareOptions = {
  /** Instead of the one that the file's extension says. */
  readonly language?: Language | undefined;
  readonly thresholds?: Thresholds | undefined;
};

/**
 * Compares two files of one language.
 * @throws ComparisonError `cli.language_unknown`, `cli.languages_differ`
 * @throws GrammarError
 */
export async function compareFiles(a: TextFile, b: TextFile, options: CompareOptions = {}): Promise<FileComparison> {
  const [fileA, fileB] = [await readForComparison(a, options.language), await readForComparison(b, options.language)];
  if (!areComparable(fileA.source.language, fileB.source.language)) {
    throw new ComparisonError('cli.languages_differ', 'the files are of different languages', {
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
    tokens,
    unparsed: { a: rounded(a.source.unparsed), b: rounded(b.source.unparsed) },
    regions: regionsOf(matches, a.source, b.source),
  };
}

function describeEvidence({ a, b, run, coverage, match }: Evidence, sourceA: Source, sourceB: Source): BestPart {
  const { placeInA, placeInB, length } = match;
  return {
    a: { lines: linesOf(sourceA, a.start, a.end), tokens: a.tokens },
    b: { lines: linesOf(sourceB, b.start, b.end), tokens: b.tokens },
    run: Math.round(run),
    coverage: rounded(coverage),
    region: {
      a: linesOf(sourceA, placeInA, placeInA + length),
      b: linesOf(sourceB, placeInB, placeInB + length),
      tokens: length,
    },
  };
}

// Downwards: what is rounded to a threshold has reached it.
function rounded(share: number): number {
  return Math.floor(share * 10_000 + 1e-7) / 10_000;
}

/**
 * Reads a file's syntax by its extension, or as `language`.
 * @throws ComparisonError `cli.language_unknown`
 * @throws GrammarError
 */
export async function readForComparison({ path, text }: TextFile, language?: Language): Promise<ReadFile> {
  const byPath = grammarOfPath(path);
  const grammar: GrammarName | undefined =
    language === undefined || (language === 'typescript' && byPath === 'tsx') ? byPath : language;
  if (grammar === undefined) {
    throw new ComparisonError('cli.language_unknown', `${path}: its language cannot be told from its name`, {
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
