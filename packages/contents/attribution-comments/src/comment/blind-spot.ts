import type { ParserName } from './comment-syntax.ts';
import type { SourceText } from './placement.ts';

/** Line ends in some languages, and none for git or the parsers. */
const OTHER_LINE_END = /\r(?!\n)|[\u0085\u2028\u2029]/;

/** Encodings in which a line of ASCII is the same line. */
const PLAIN_ENCODING = /^(?:utf-?8(?:-sig)?|us-ascii|ascii|latin-?1|iso-?8859-\d+|(?:cp|windows-)125\d)$/i;

/** The name behind what Python takes for a declaration of the encoding (PEP 263). */
const ENCODING = /coding[:=][ \t]*([-_.a-zA-Z0-9]+)/;

type Pattern = readonly [pattern: RegExp, reason: string];

/** What a language reads otherwise than its parser does. */
const PATTERNS: Readonly<Partial<Record<ParserName, readonly Pattern[]>>> = {
  c: [
    [/\?\?\//, 'the file has a trigraph for a backslash'],
    [/(?:^|\W)(?:u8|[uUL])?R"[^\s()\\"]{0,16}\(/, 'the file has a raw string of C++'],
    [/\\[ \t\f\v]+\r?\n/, 'a backslash with blanks behind it may join two lines'],
    [/\/(?:\\\r?\n)+[*/]|\*(?:\\\r?\n)+\//, 'a line that goes on divides the mark of a comment'],
  ],
  java: [[/\\u+00[0-7][0-9a-fA-F]/, 'the file writes ASCII by \\u escapes, which are read before anything else']],
  go: [
    [
      /^[ \t]*["`]C["`][ \t]*(?:\/[/*].*)?\r?$|^[ \t]*import\b(?![ \t]+"C").*["`]C["`]/m,
      'the file imports "C" in a form that hides its preamble',
    ],
  ],
  yaml: [[/^\$ANSIBLE_VAULT;/, 'the file is encrypted']],
};

/**
 * What the parser does not see of a file, and could make a comment more than one.
 * @param otherProgram the first line names a program that reads another language.
 * @returns why no comment is written into the file
 */
export function blindSpotOf(
  { text, lines }: SourceText,
  parser: ParserName,
  otherProgram: boolean,
): string | undefined {
  if (otherProgram) return 'its first line has it run as another language';
  if (text.includes('\0')) return 'the file holds a NUL';
  if (OTHER_LINE_END.test(text)) return 'the file has line ends of another kind, which languages count differently';
  if (parser === 'python') {
    const encoding = ENCODING.exec(lines.slice(0, 2).join(''))?.[1];
    if (encoding !== undefined && !PLAIN_ENCODING.test(encoding)) return `the file says that it is ${encoding}`;
  }
  return PATTERNS[parser]?.find(([pattern]) => pattern.test(text))?.[1];
}

/**
 * What makes a comment more than one at its place, though the parser sees only a comment.
 * @param line the number (from 1) that the comment will have.
 * @returns why this comment is not written
 */
export function meaningOfComment(
  { text, lines }: SourceText,
  parser: ParserName,
  line: number,
  words: string,
): string | undefined {
  if (parser === 'python' && line <= 2 && ENCODING.test(words)) {
    return 'Python would take it for a declaration of the encoding';
  }
  if (parser === 'go' && OUTPUT.test(text) && lines.slice(0, line - 1).some((one) => EXAMPLE.test(one))) {
    return 'the last comment of an example is the output that it must have';
  }
  return undefined;
}

const EXAMPLE = /^[ \t]*func[ \t]+Example/;
const OUTPUT = /output:/i;
