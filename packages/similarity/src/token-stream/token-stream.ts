import { type NormalForm, STRING, WORDS_ALONE } from '../normal-form/normal-form.ts';
import { Repetition } from '../repetition/repetition.ts';
import { READ, type Syntax } from '../syntax/syntax.ts';
import { addLiteral, addWords, sortedSet } from '../vocabulary/vocabulary.ts';

/** A file as the comparison sees it. */
export type TokenStream = {
  /** One symbol per token, in the order of the text; of a long repetition the beginning alone. */
  readonly symbols: Uint32Array;
  /** Where each token begins in the text, UTF-16 units. */
  readonly starts: Uint32Array;
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
  const places = new Uint32Array(types.length);
  const words = new Set<number>();
  const commentWords = new Set<number>();
  const repetition = new Repetition();
  let length = 0;
  let isHeader = true;
  let statementStart = -1;
  let statementEnd = -1;
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
    if (symbol === STRING) addLiteral(words, text, start, end);
    else if (reading === READ.text) addWords(words, text, start, end);
    if (symbol === WORDS_ALONE) continue;
    if (repetition.isMore(symbol)) continue;
    symbols[length] = symbol;
    places[length] = start;
    length += 1;
  }
  return {
    symbols: symbols.slice(0, length),
    starts: places.slice(0, length),
    vocabulary: sortedSet(words),
    vocabularyWithComments:
      commentWords.size < FEWEST_COMMENT_WORDS ? undefined : sortedSet(new Set([...words, ...commentWords])),
  };
}
