export {
  areComparable,
  type Comparison,
  compareSources,
  MINIMUM_TOKENS,
  type Thresholds,
  type Verdict,
} from './comparison/comparison.ts';
export {
  type GrammarName,
  grammarOfPath,
  LANGUAGES,
  type Language,
  languageOfGrammar,
} from './language/language.ts';
export { type Region, regionsOf } from './region/region.ts';
export { NOISE, SCALES, type Scale, STRONG } from './scale/scale.ts';
export { readSource, type Source } from './source/source.ts';
export { type BestMatch, createSourceIndex, type SourceIndex } from './source-index/source-index.ts';
export { type Grammar, type NodeType, READ, type Syntax } from './syntax/syntax.ts';
