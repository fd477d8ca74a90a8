import { bestMatches, fileComparison, reference, skippedFile, unread } from '@colophon/grammars/result';
import { count, flag, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

const thresholds = having('where the verdicts begin', {
  strong: { type: 'number' as const, description: 'from this score on' },
  noise: { type: 'number' as const, description: 'up to this score' },
});

const { $schema, ...pair } = resultOf('how alike two files are', {
  a: string('path of the first file'),
  b: string('path of the second file'),
  reference,
  thresholds,
  ...fileComparison.properties,
});
export type SimilarityPair = ResultOf<typeof pair>;

const { $schema: _, ...against } = resultOf('what each file is most like', {
  against: string('what they were compared with: a package URL, a folder, a file, an index'),
  reference,
  thresholds,
  ...bestMatches.properties,
  unread,
  other_language_count: { ...count, description: 'files of another language than --language' },
});
export type SimilarityAgainst = ResultOf<typeof against>;

/**
 * `colophon sbom similarity A B`, or with --against or --index. Not `ok` where --fail-on is reached, or where that was asked
 * for, files were not read, and nobody allows it.
 */
export const sbomSimilarityResult = { $schema, title: 'how alike files are', anyOf: [pair, against] };

/** `colophon sbom similarity index`. */
export const similarityIndexResult = resultOf('the index that was written', {
  out: string('path of the index'),
  byte_count: count,
  packages: listOf(
    'what is in it',
    having('one of them', { package: string('a package URL or a folder'), file_count: count }),
  ),
  skipped: listOf('files that are not in it', skippedFile),
});
export type SimilarityIndexResult = ResultOf<typeof similarityIndexResult>;

const { score, verdict } = fileComparison.properties;
const { file, match } = bestMatches.properties.files.items.properties;

/** `colophon sbom vendor`. */
export const sbomVendorResult = resultOf(
  'the component of code that was made from a package',
  {
    file: string('path in the repository of the file or folder'),
    bom_ref: string('of the component'),
    made_from: string('package URL of the package'),
    source: string('where its source was read: a folder or a registry'),
    reference,
    licence: string('of the code'),
    similarity: having('how alike the code is to the package', {
      score,
      verdict,
      files: listOf(
        'each file and the one that it is most like',
        having('one of them', { file, match, score, verdict }),
      ),
      unread,
    }),
    notes: listOf('what readers should know besides', string('a sentence')),
  },
  {
    out: string('path of the document that was written'),
    document: having('the SBOM that got the component', {
      version: { ...count, description: 'of the document' },
      spec_version: string('of CycloneDX'),
      changed: flag('whether it says something else now'),
    }),
  },
);
export type SbomVendorResult = ResultOf<typeof sbomVendorResult>;
