import {
  type AttributionComment,
  type CommentMarks,
  formatAttributionComment,
  parseAttributionComment,
} from './attribution-comment.ts';
import type { CodeBlock } from './code-block.ts';
import { type CommentSyntax, EMBEDDED_MARKS } from './comment-syntax.ts';
import type { EnclosingText } from './enclosing-text.ts';
import type { Unfixed } from './unfixed.ts';

/** A file's lines with their ends, and where each begins. */
export type SourceText = {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: readonly number[];
};

/** Splits a file as git does: at newlines alone, each line with its own. */
export function sourceText(text: string): SourceText {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length;
  }
  return { text, lines, starts };
}

/** Where a comment goes, and how it is written there. */
export type Placement = { readonly line: number; readonly marks: CommentMarks; readonly indentation: string };

/** Why a comment cannot be put above a block. */
export type NoPlacement = Unfixed & { readonly line?: never };

const noPlace = (reason: string): NoPlacement => ({ code: 'comment.no_place', reason });

/**
 * The lines at the top of a file that nothing may stand above: `#!`, an encoding, `<?xml`, `<?php`, a doctype, front
 * matter, and a comment with `@` words that tools look for in the first comment alone.
 */
export function fixedHeading({ lines }: SourceText, { lexis }: CommentSyntax): number {
  let count = 0;
  while (count < lines.length && count < 8 && FIXED.some((pattern) => pattern.test(lines[count] as string))) count += 1;
  // Without its mark the first line would be another one, and no longer the agent's.
  if (count === 0 && BYTE_ORDER_MARK.test(lines[0] ?? '')) count = 1;
  if (lexis.frontMatter !== undefined) count = Math.max(count, endOfFrontMatter(lines, lexis.frontMatter));
  if (lexis.docblock) count = Math.max(count, endOfDocblock(lines, count));
  // Python looks for the encoding in the first two lines alone, whatever stands in the first.
  return ENCODING.test(lines[1] ?? '') ? Math.max(count, 2) : count;
}

/** The line behind the second mark, where the first one begins the file. */
function endOfFrontMatter(lines: readonly string[], mark: string): number {
  const start = /^#!/.test(lines[0] ?? '') ? 1 : 0;
  const isMark = (line: string) => line.replace(/^\ufeff/, '').trimEnd() === mark;
  if (!isMark(lines[start] ?? '')) return 0;
  return lines.findIndex((line, index) => index > start && isMark(line)) + 1;
}

/** The line behind a file's first comment, where it names something with `@`: Jest, Flow and Prettier read only that. */
function endOfDocblock(lines: readonly string[], from: number): number {
  const start = lines.findIndex((line, index) => index >= from && line.trim() !== '');
  if (!/^[ \t]*\/\*/.test(lines[start] ?? '')) return 0;
  const end = lines.findIndex((line, index) => index >= start && line.includes('*/'));
  return end >= 0 && lines.slice(start, end + 1).some((line) => line.includes('@')) ? end + 1 : 0;
}

const BYTE_ORDER_MARK = /^(?:\ufeff|\u00ef\u00bb\u00bf)/;

const ENCODING = /^[ \t\f]*#.*?coding[:=][ \t]*[-_.a-zA-Z0-9]+/;

const FIXED: readonly RegExp[] = [
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?#!/,
  ENCODING,
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?<\?xml\b[^?]*\?>[ \t\r\n]*$/,
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?<\?php\b/,
  /^(?:\ufeff|\u00ef\u00bb\u00bf)?<!doctype\b[^>]*>[ \t\r\n]*$/i,
  /^#[ \t]*(?:syntax|escape|check)[ \t]*=/,
  /^@charset\b/,
  /^%YAML\b|^---[ \t]*\r?\n?$/,
  /^#cloud-config\b|^## template:/,
  /^\/\/+usr\/bin\//,
];

/** How many lines a file begins with that are no code: the fixed ones, then comments and blank lines. */
export function headingLength(source: SourceText, syntax: CommentSyntax, enclosing: EnclosingText): number {
  const { lines, starts } = source;
  let count = fixedHeading(source, syntax);
  for (; count < lines.length; count++) {
    const line = (lines[count] as string).trim();
    const isComment = syntax.marks.some(({ open }) => line.startsWith(open));
    const isInComment = enclosing(starts[count] as number) !== undefined;
    if (line !== '' && !isComment && !isInComment) break;
  }
  return count;
}

/** Comments that speak of the very next line. */
const ABOUT_NEXT_LINE =
  /@ts-(?:ignore|expect-error)|-next-line|prettier-ignore|biome-ignore|deno-lint-ignore|(?:c8|istanbul|v8) ignore|nolint|noinspection|pylint: *disable-next|NOLINTNEXTLINE/;

/**
 * Where the comment of a block goes: above its first line, below what must stand first in a file, and never into the
 * middle of a string, a comment, a tag or a line that goes on: there it would change the program. Then it goes above
 * the beginning of that.
 * @returns the number (from 1) of the line above which it goes
 */
export function placeComment(
  source: SourceText,
  block: CodeBlock,
  syntax: CommentSyntax,
  enclosing: EnclosingText,
): Placement | NoPlacement {
  const { lines, starts, text } = source;
  const first = fixedHeading(source, syntax);
  if (block.end <= first) return noPlace(ABOVE_ALL);
  let index = Math.max(block.start - 1, first);
  for (let moves = 0; ; moves++) {
    const before = index;
    const start = enclosing(starts[index] ?? text.length);
    if (start !== undefined) index = lineOf(source, start);
    else if (goesOn(lines[index - 1], syntax)) index -= 1;
    else if (ABOUT_NEXT_LINE.test(commentIn(lines[index - 1], syntax))) index -= 1;
    else if (index > first && isInRun(source, index, syntax)) index -= 1;
    if (index < first || moves > lines.length) return noPlace(ABOVE_ALL);
    if (index === before) break;
  }
  if (index >= lines.length) return noPlace('there is no line for it');
  if (enclosing(starts[index] as number) !== undefined) return noPlace('it would stand inside a text');
  if (isPreambleOfC(source, index, enclosing)) return noPlace('the comment above import "C" is a program');
  const line = lines[index] as string;
  const marks = marksAt(source, starts[index] as number, syntax);
  if (marks === undefined) return noPlace('no comment can be written there');
  return { line: index + 1, marks, indentation: syntax.isIndented ? (/^[ \t]*/.exec(line)?.[0] ?? '') : '' };
}

const ABOVE_ALL = 'it would have to stand above what the file must begin with';

/** Lines; every block of a file that is all comments would walk to its end otherwise. */
const LONGEST_PREAMBLE = 1_000;

/** Whether a line is `import "C"`, or in the comments right above one: Go compiles those as C. */
function isPreambleOfC({ lines, starts }: SourceText, index: number, enclosing: EnclosingText): boolean {
  let below = index;
  const isComment = (line: number) =>
    /^[ \t]*\/[/*]/.test(lines[line] as string) || enclosing(starts[line] as number) !== undefined;
  const end = Math.min(lines.length, index + LONGEST_PREAMBLE);
  while (below < end && isComment(below)) below += 1;
  return /^[ \t]*import[ \t]+"C"/.test(lines[below] ?? '');
}

/** How often a character stands at the end. Not by a pattern, which a line of nothing else makes slow. */
function trailing(text: string, character: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === character) count += 1;
  return count;
}

/** Whether a line is joined to the next one. */
function goesOn(line: string | undefined, { lexis, parser }: CommentSyntax): boolean {
  const mark = lexis.continuation;
  if (line === undefined || mark === undefined) return false;
  const end = line.replace(/\r?\n$/, '');
  const isJoined = mark.length > 0 && end.endsWith(mark);
  // Two backslashes are one that stands for itself, except in C: there lines are joined before anything is read.
  return isJoined && (mark !== '\\' || parser === 'c' || trailing(end, mark) % 2 === 1);
}

function commentIn(line: string | undefined, { marks }: CommentSyntax): string {
  const text = line?.trim() ?? '';
  return marks.some(({ open }) => text.startsWith(open)) ? text : '';
}

/**
 * Whether a line and the one above are both comments: together they may be directives, metadata, an expected output or
 * the documentation of what is below. An attribution comment is no part of such a run.
 */
function isInRun({ lines }: SourceText, index: number, syntax: CommentSyntax): boolean {
  const [above, line] = [lines[index - 1] ?? '', lines[index] ?? ''];
  const isComment = commentIn(above, syntax) !== '' && commentIn(line, syntax) !== '';
  // A type in a comment belongs to the line above it.
  const isOfAbove = syntax.parser === 'python' && /^[ \t]*#[ \t]*type:/.test(line);
  return isOfAbove || (isComment && parseAttributionComment(above, syntax.marks) === undefined);
}

/** In a page, what is between `<script>` and `</script>` has comments of its own. */
function marksAt({ text }: SourceText, offset: number, { marks, lexis }: CommentSyntax): CommentMarks | undefined {
  if (!lexis.isMarkup) return marks[0];
  const above = text.slice(0, offset).toLowerCase();
  const opened = [...above.matchAll(/<(script|style|template)\b([^>]*)>/g)].at(-1);
  if (opened === undefined) return marks[0];
  const [, element, attributes = ''] = opened;
  if (above.lastIndexOf(`</${element}`) > (opened.index ?? 0)) return marks[0];
  if (element === 'template') return /lang=/.test(attributes) ? undefined : marks[0];
  if (/type=["']?(?!module|text\/(?:java|type)script|application\/javascript)/.test(attributes)) return undefined;
  if (/lang=["']?(?:sass|stylus|pug|coffee)/.test(attributes)) return undefined;
  return EMBEDDED_MARKS[0];
}

/** A line that is written into a file. */
export type Insertion = { readonly comment: AttributionComment } & (
  | { readonly above: Placement }
  /** The number (from 1) of the comment that it takes the place of. */
  | { readonly replaces: number; readonly marks: CommentMarks }
);

/** Writes comments into a file. Everything else stays as it is, to the byte. */
export function insertComments(source: SourceText, insertions: readonly Insertion[]): string {
  const lines = [...source.lines];
  const lineEnd = endOfLine(lines[0] ?? '') || '\n';
  const ordered = insertions.toSorted((a, b) => lineOfInsertion(b) - lineOfInsertion(a));
  for (const insertion of ordered) {
    const words = writtenComment(insertion);
    const index = lineOfInsertion(insertion) - 1;
    if ('above' in insertion) {
      const end = endOfLine(lines[index] ?? '') || endOfLine(lines[index - 1] ?? '') || lineEnd;
      lines.splice(index, 0, `${insertion.above.indentation}${words}${end}`);
    } else {
      const old = lines[index] as string;
      lines[index] = `${/^(?:\ufeff|\u00ef\u00bb\u00bf)?[ \t]*/.exec(old)?.[0] ?? ''}${words}${endOfLine(old)}`;
    }
  }
  return lines.join('');
}

/** The number (from 1) of the line above which it goes, or whose place it takes. */
export function lineOfInsertion(insertion: Insertion): number {
  return 'above' in insertion ? insertion.above.line : insertion.replaces;
}

/** The comment as it stands on its line, without indentation. */
export function writtenComment(insertion: Insertion): string {
  const { open, close } = 'above' in insertion ? insertion.above.marks : insertion.marks;
  const words = formatAttributionComment(insertion.comment);
  return `${open.trimEnd()} ${words}${close === '' ? '' : ` ${close}`}`;
}

function endOfLine(line: string): string {
  return /\r?\n$/.exec(line)?.[0] ?? '';
}

function lineOf({ starts }: SourceText, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
