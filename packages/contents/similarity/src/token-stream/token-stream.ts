import { type NormalForm, STRING, WORDS_ALONE } from '../normal-form/normal-form.ts';
import { Repetition } from '../repetition/repetition.ts';
import { READ, type Syntax } from '../syntax/syntax.ts';
import { UnitList, type Units, unitsOf } from '../unit/unit.ts';
import { addLiteral, addWords, sortedSet } from '../vocabulary/vocabulary.ts';

/** A file as the comparison sees it. */
export type TokenStream = {
  /** One symbol per token, in the order of the text; of a long repetition the beginning alone. */
  readonly symbols: Uint32Array;
  /** For each token that is a name or a literal the hash of its text, else 0. */
  readonly values: Uint32Array;
  /** The line on which each token begins, from 1. */
  readonly lines: Uint32Array;
  /** The parts of it that are compared by themselves. */
  readonly units: Units;
  /** Hashes of its names, its literals and the words inside them, ascending, each once. */
  readonly vocabulary: Uint32Array;
  /** The vocabulary and the words of the comments; undefined for a file that has next to no comments. */
  readonly vocabularyWithComments: Uint32Array | undefined;
};

// Fewer words than this are a stray note.
const FEWEST_COMMENT_WORDS = 3;

/**
 * The tokens and words of a file. A text that stands alone as a statement is a docstring, which is a comment. Comments
 * before the first code are not read: whose licence it is says nothing about where the code is from.
 */
export function tokenStreamOf({ types, starts, ends }: Syntax, text: string, form: NormalForm): TokenStream {
  const symbols = new Uint32Array(types.length);
  const values = new Uint32Array(types.length);
  const lines = new Uint32Array(types.length);
  const units = new UnitList();
  const words = new Set<number>();
  const commentWords = new Set<number>();
  const repetition = new Repetition();
  let length = 0;
  let isHeader = true;
  let statementStart = -1;
  let statementEnd = -1;
  let line = 1;
  let newline = text.indexOf('\n');
  for (let index = 0; index < types.length; index += 1) {
    const type = types[index]!;
    const start = starts[index]!;
    const end = ends[index]!;
    const reading = form.plan[type]!;
    const symbol = form.symbols[type]!;
    if (reading === READ.statement) {
      statementStart = start;
      statementEnd = end;
      continue;
    }
    const isDocstring = symbol === STRING && start === statementStart && end >= statementEnd - 1;
    if (reading === READ.comment || isDocstring) {
      if (!isHeader) addWords(commentWords, text, start, end);
      continue;
    }
    isHeader = false;
    let value = 0;
    if (symbol === STRING) value = addLiteral(words, text, start, end);
    else if (reading === READ.text) value = addWords(words, text, start, end);
    if (symbol === WORDS_ALONE) continue;
    units.closeBefore(start, length);
    if (reading === READ.unit) units.open(end, length);
    if (repetition.isMore(symbol)) continue;
    while (newline !== -1 && newline < start) {
      line += 1;
      newline = text.indexOf('\n', newline + 1);
    }
    symbols[length] = symbol;
    values[length] = value;
    lines[length] = line;
    length += 1;
  }
  return {
    symbols: symbols.slice(0, length),
    values: values.slice(0, length),
    lines: lines.slice(0, length),
    units: unitsOf(length, units.closed(length)),
    vocabulary: sortedSet(words),
    vocabularyWithComments:
      commentWords.size < FEWEST_COMMENT_WORDS ? undefined : sortedSet(new Set([...words, ...commentWords])),
  };
}
