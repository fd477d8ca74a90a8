export {
  areComparable,
  type Comparison,
  compareSources,
  type Thresholds,
  VERDICTS,
  type Verdict,
} from './comparison/comparison.ts';
export type { Evidence } from './evidence/evidence.ts';
export { isGenerated } from './generated/generated.ts';
export { decodeIndex, encodeIndex, type IndexedFile, MOST_INDEXED_FILES } from './index-file/index-file.ts';
export { type GrammarName, grammarOfPath, LANGUAGES, type Language, languageOfGrammar } from './language/language.ts';
export { encodeMarks } from './rarity/mark-set.ts';
export { linesOf, type Region, regionsOf } from './region/region.ts';
export { NOISE, SCALES, type Scale, type Scales, STRONG, scoreOf } from './scale/scale.ts';
export { readSource, type Source } from './source/source.ts';
export { createSourceIndex } from './source-index/source-index.ts';
export { type Grammar, type NodeType, READ, type Syntax } from './syntax/syntax.ts';
export { MINIMUM_TOKENS } from './unit/unit.ts';
