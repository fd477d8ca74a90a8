import type { Language } from '../language/language.ts';
import { COMMON_MARKS } from './common-marks.ts';
import { decodeMarks, shortened } from './mark-set.ts';

/** How much a mark says, 0 to 1: 1 for one that stands in hardly any package, 0 for one that many have. */
export type Rarity = (mark: number) => number;

const tables = new Map<keyof typeof COMMON_MARKS, ReadonlySet<number>>();

/** What the shipped table says: 0 for a mark that many packages of the language have, or the helpers of a compiler. */
export function rarityIn(language: Language): Rarity {
  const family = language === 'typescript' ? 'javascript' : language;
  let table = tables.get(family);
  if (table === undefined) {
    table = decodeMarks(COMMON_MARKS[family]);
    tables.set(family, table);
  }
  const common = table;
  return (mark) => (common.has(shortened(mark)) ? 0 : 1);
}

/** In so many packages of an index a mark still says all it can, and in so many it says nothing; of all packages too. */
const FEW = { packages: 5, share: 0.01 };
const MANY = { packages: 20, share: 0.05 };

/** What an index of many packages says of a mark that so many of them have. */
export function rarityAmong(having: number, packages: number): number {
  const few = Math.max(FEW.packages, packages * FEW.share);
  if (having <= few) return 1;
  const many = Math.max(MANY.packages, packages * MANY.share);
  return having >= many ? 0 : Math.log(many / having) / Math.log(many / few);
}
