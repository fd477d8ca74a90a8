export {
  bestMatches,
  type KnownFile,
  type ReadOptions,
  readFiles,
} from './comparison/best-matches.ts';
export {
  type BestPart,
  compareFiles,
  readForComparison,
  type TextFile,
} from './comparison/compare-files.ts';
export { doubtsOf, evidenceOf, type Measured, type MeasuredPath, measureCode } from './comparison/measured-code.ts';
export { type Reference, referenceAmong } from './comparison/reference.ts';
export {
  type Choice,
  NO_LANGUAGE,
  type SkippedFile,
  type SourceFiles,
  sourceFilesAmong,
  textOf,
} from './comparison/source-files.ts';
export { isGateClosed, type Unread, unreadOf } from './comparison/unread.ts';
export { ComparisonError } from './comparison-error/comparison-error.ts';
export { loadGrammar } from './grammar/grammar.ts';
export { GrammarError } from './grammar-error/grammar-error.ts';
export { GRAMMAR_ASSETS, PARSER_ASSET } from './tree/grammar-assets.ts';
export { MOST_TEXT_LENGTH } from './tree/tree.ts';
export { loadShapeReader } from './tree-shape/shape-reader.ts';
