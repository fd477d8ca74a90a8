import { createHash } from 'node:crypto';
import type { SourcePurl } from '@colophon/sbom';
import { MINIMUM_TOKENS, NOISE, STRONG } from '@colophon/similarity';
import { ComparisonError } from '../comparison-error/comparison-error.ts';
import { type BestMatches, bestMatches, type MatchedFile, type ReadOptions, readFiles } from './best-matches.ts';
import { rounded } from './compare-files.ts';
import type { Reference } from './reference.ts';
import { type SkippedFile, type SourceBytes, sourceFilesAmong } from './source-files.ts';
import { type Unread, unreadOf } from './unread.ts';

/** How alike code is to the package that it was made from. */
export type Measured = BestMatches & {
  /** Of all files together, each by its length. */
  readonly score: number;
  readonly verdict: MatchedFile['verdict'];
  /** Digests of what was compared, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly matchDigests: ReadonlyMap<string, string>;
  readonly isFolder: boolean;
  /** Files of the folder that nothing here is about. */
  readonly unread: Unread;
};

/** What is measured: one file, or all of a folder. */
export type MeasuredPath = {
  /** Of the file or folder inside the repository. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Named inside the repository too: a parser has nothing to do with where the repository lies. */
  readonly files: readonly SourceBytes[];
  /** Those of it that were not read. */
  readonly unread: readonly SkippedFile[];
};

/** The package's source, and who is told how many files are read. */
export type MeasuredSource = {
  readonly source: { readonly files: readonly SourceBytes[] };
  readonly from: SourcePurl;
  readonly onProgress: NonNullable<ReadOptions['onProgress']>;
};

/**
 * Measures a file or folder against a package's source: each file against the most alike one.
 * @throws ComparisonError `similarity.nothing_to_compare`, `similarity.language_unknown`
 */
export async function measureCode(
  { path, isFolder, files, unread }: MeasuredPath,
  { source, from, onProgress }: MeasuredSource,
): Promise<Measured> {
  const others = sourceFilesAmong(source.files).files;
  const known = await readFiles(others, { onProgress });
  const matches = await bestMatches(files, known.read, { onProgress });
  if (matches.files.length === 0) {
    throw new ComparisonError(
      'similarity.nothing_to_compare',
      `nothing in ${from.packageName} can be compared with ${path}`,
      {
        checked: path,
        expected: 'source files of one language on both sides',
        found: `${files.length} here, ${others.length} in the package`,
      },
    );
  }
  const tokens = matches.files.reduce((sum, one) => sum + one.token_count.a, 0);
  const mean = matches.files.reduce((sum, one) => sum + one.score * one.token_count.a, 0) / Math.max(tokens, 1);
  const score = rounded(mean);
  const [first] = matches.files;
  const overall =
    tokens < MINIMUM_TOKENS ? 'too small to tell' : score >= STRONG ? 'strong' : score <= NOISE ? 'noise' : 'weak';
  return {
    ...matches,
    score,
    verdict: matches.files.length === 1 ? first!.verdict : overall,
    digests: new Map(files.map((one) => [one.path, sha256(one.bytes)])),
    matchDigests: new Map(others.map((one) => [one.path, sha256(one.bytes)])),
    isFolder,
    unread: unreadOf([...unread, ...matches.skipped]),
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const MOST_FILES_IN_EVIDENCE = 20;

/**
 * Which file is like which, and their digests, so that somebody else can measure it again.
 * @param reference where the package's source was read
 */
export function evidenceOf(
  { files, digests, matchDigests }: Measured,
  { purl }: SourcePurl,
  reference: Reference,
): string {
  const lines = files
    .slice(0, MOST_FILES_IN_EVIDENCE)
    .map(
      ({ file, match, score }) =>
        `${file} (sha256:${digests.get(file)}) is ${score} like ${match} (sha256:${matchDigests.get(match)})`,
    );
  const more = files.length > lines.length ? `; and ${files.length - lines.length} more` : '';
  return `${lines.join('; ')}${more}; of ${purl}, reference: ${reference}`;
}

/** What a person should know about the number. */
export function doubtsOf(
  { verdict, score, unmatched, unread }: Measured,
  path: string,
  { packageName }: SourcePurl,
): string[] {
  const doubt =
    verdict === 'noise'
      ? [`a similarity of ${score} is noise: ${path} is hardly made from ${packageName}`]
      : verdict === 'too small to tell'
        ? [`${path} is too small to tell what it was made from`]
        : [];
  const missing =
    unmatched.length === 0
      ? []
      : [
          `nothing in ${packageName} is of the language of ${unmatched.slice(0, 3).join(', ')}${unmatched.length > 3 ? ' and others' : ''}`,
        ];
  const [first] = unread.files;
  const notRead =
    first === undefined
      ? []
      : [`not measured, and not in the component: ${unread.count} files of ${path}, e.g. ${first.file}`];
  return [...doubt, ...missing, ...notRead];
}
