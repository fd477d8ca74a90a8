import { QueryRefusal } from './query-issue.ts';

/** Longest question, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 4096;

/** A piece of a question; `position` counts from 1. */
export type QueryToken = {
  readonly kind: 'word' | 'string' | 'operator' | 'punctuation' | 'end';
  readonly text: string;
  readonly position: number;
};

const SPACE = /\s+/y;
const OPERATOR = /!=|<=|>=|[=<>~]/y;
const PUNCTUATION = /[(),]/y;
const WORD = /[^\s(),=!<>~"']+/y;
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;

/**
 * Cuts a question into words, quoted strings (`"…"` or `'…'`, with a backslash before a quote or a backslash),
 * operators, parentheses and commas.
 * @throws QueryRefusal `query.too_long`, `query.syntax`
 */
export function readTokens(text: string): QueryToken[] {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new QueryRefusal('query.too_long', 1, 'The question is too long.', {
      expected: `${MAX_QUERY_LENGTH} characters`,
    });
  }
  const tokens: QueryToken[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  for (;;) {
    take(SPACE);
    const position = at + 1;
    if (at >= text.length) return [...tokens, { kind: 'end', text: '', position }];
    const operator = take(OPERATOR);
    const punctuation = operator ?? take(PUNCTUATION);
    const quoted = punctuation ?? take(QUOTED);
    const word = quoted ?? take(WORD);
    if (operator !== undefined) tokens.push({ kind: 'operator', text: operator, position });
    else if (punctuation !== undefined) tokens.push({ kind: 'punctuation', text: punctuation, position });
    else if (quoted !== undefined) tokens.push({ kind: 'string', text: unquote(quoted), position });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, position });
    else throw new QueryRefusal('query.syntax', position, 'This is not understood; a quote may lack its end.');
  }
}

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(["'\\])/g, '$1');
}
