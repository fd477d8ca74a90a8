import type { Delimiter, Lexis } from './lexis.ts';

/** Where text begins that a place lies in: a string, a comment, a tag; from 0, in characters of the file. */
export type EnclosingText = (offset: number) => number | undefined;

/**
 * Finds the strings and comments of a file by its language's delimiters alone.
 * @param text the file; lines end with a newline.
 * @returns for a place, where the string or comment begins that it is in the middle of
 */
export function enclosingTextByLexis(text: string, lexis: Lexis): EnclosingText {
  const spans = lexis.isMarkup ? markupSpans(text, lexis) : codeSpans(text, lexis);
  if (lexis.longScalars) spans.push(...longScalars(text));
  return enclosingTextOfSpans(spans);
}

/** The same for spans that are known, from their first character to behind their last. */
export function enclosingTextOfSpans(spans: ReadonlyArray<readonly [start: number, end: number]>): EnclosingText {
  // What overlaps is one, so that the last that begins before a place is the only one that it can be in.
  const apart: Span[] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  return (offset) => {
    let low = 0;
    let high = apart.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (apart[middle]![0] < offset) low = middle + 1;
      else high = middle;
    }
    const before = apart[low - 1];
    return before !== undefined && offset < before[1] ? before[0] : undefined;
  };
}

type Span = [start: number, end: number];

function codeSpans(text: string, lexis: Lexis): Span[] {
  const spans: Span[] = [];
  let pending: string[] = [];
  const from = lexis.beginning === undefined ? 0 : endOf(text, 0, lexis.beginning);
  if (from > 0) spans.push([-1, from]);
  for (let i = from; i < text.length; ) {
    if (text[i] === '\n' && pending.length > 0) {
      const end = endOfHeredocs(text, i, pending);
      spans.push([i, end]);
      pending = [];
      i = end;
      continue;
    }
    const literal = matchAt(lexis.literals, text, i);
    if (literal !== undefined) {
      i += literal[0].length;
      continue;
    }
    const heredoc = matchAt(lexis.heredoc, text, i);
    if (heredoc?.[1] !== undefined && text[i - 1] !== '<') {
      if (heredoc[0].startsWith('R"')) {
        const end = endOf(text, i + heredoc[0].length, `)${heredoc[1]}"`);
        spans.push([i, end]);
        i = end;
      } else {
        pending.push(heredoc[1]);
        i += heredoc[0].length;
      }
      continue;
    }
    const delimiter = lexis.delimiters.find(({ open }) => isAt(text, i, open));
    const comment = lexis.lineComments.find((mark) => text.startsWith(mark, i));
    // `--[[` is longer than `--`, `#[` than `#`.
    if (comment !== undefined && comment.length >= (delimiter?.open.length ?? 0)) {
      if (!lexis.commentsAtWords || i === 0 || /[\s;&|(]/.test(text[i - 1] as string)) {
        i = lineEnd(text, i);
        continue;
      }
    }
    if (delimiter === undefined) {
      i += 1;
      continue;
    }
    const end = endOfDelimited(text, i, delimiter);
    // What begins behind a newline begins on the next line.
    spans.push([text[i] === '\n' ? i + 1 : i, end]);
    i = end;
  }
  return spans;
}

/** A mark with a newline before it also begins the file. */
function isAt(text: string, offset: number, mark: string): boolean {
  return text.startsWith(mark, offset) || (offset === 0 && mark.startsWith('\n') && text.startsWith(mark.slice(1)));
}

function endOfDelimited(
  text: string,
  start: number,
  { open, close, escape: escaping, isOneLine, isNested }: Delimiter,
): number {
  let depth = 1;
  for (let i = start + open.length; i < text.length; i++) {
    const character = text[i];
    if (escaping !== undefined && character === escaping) {
      i += 1;
      continue;
    }
    if (isOneLine && character === '\n') return i;
    if (isNested && text.startsWith(open, i)) {
      depth += 1;
      i += open.length - 1;
    } else if (text.startsWith(close, i)) {
      depth -= 1;
      if (depth === 0) return i + close.length;
      i += close.length - 1;
    }
  }
  return text.length;
}

/** The end of the last mark's line; the marks stand each on a line of its own, maybe indented, maybe with `;` or `)` behind it. */
function endOfHeredocs(text: string, newline: number, marks: readonly string[]): number {
  let i = newline + 1;
  let end = newline;
  for (const mark of marks) {
    for (;;) {
      if (i >= text.length) return text.length;
      end = lineEnd(text, i);
      const line = text.slice(i, end).trim();
      i = end + 1;
      if (line === mark || (line.startsWith(mark) && /^[;,).\]]/.test(line.slice(mark.length)))) break;
    }
  }
  return end;
}

/** `key: |` and everything below it that is indented deeper; `key: some words` and the lines that go on with them. */
function longScalars(text: string): Span[] {
  const spans: Span[] = [];
  const lines = text.split('\n');
  let offset = 0;
  let block: { readonly start: number; readonly indent: number } | undefined;
  let plain: { readonly start: number; readonly indent: number } | undefined;
  // How deep the key or dash in the line above stands, where its value is still to come.
  let awaiting: number | undefined;
  for (const line of lines) {
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const start = offset + indent;
    offset += line.length + 1;
    if (line.trim() === '') continue;
    if (block !== undefined) {
      if (indent > block.indent) continue;
      spans.push([block.start, offset - line.length - 1]);
      block = undefined;
    }
    if (/(?:^|[:\-?][ \t]+(?:[!&]\S+[ \t]+)*)[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/.test(line)) {
      // `- key: |` is as deep as its key.
      block = { start, indent };
      plain = undefined;
      continue;
    }
    if (line[indent] === '#') {
      plain = undefined;
      continue;
    }
    if (plain !== undefined && indent > plain.indent) {
      const last = spans.at(-1);
      if (last?.[0] === plain.start) last[1] = offset;
      else spans.push([plain.start, offset]);
      continue;
    }
    const dashes = /^(?:- +)*/.exec(line.slice(indent))?.[0] ?? '';
    const depth = indent + dashes.length;
    const { isKey, value } = keyAndValue(line.slice(depth).trimEnd());
    // A value alone goes on for as long as it is deeper than what it belongs to.
    const owner = isKey ? depth : dashes === '' ? awaiting : indent + dashes.lastIndexOf('-');
    awaiting = undefined;
    plain = undefined;
    if (value === '' || value === '-' || /^[&!#]/.test(value)) awaiting = depth;
    else if (owner !== undefined && !/^["'[\]{}*,]/.test(value)) plain = { start, indent: owner };
  }
  if (block !== undefined) spans.push([block.start, text.length]);
  return spans;
}

/** `key: value`, `key:` or a value alone. */
function keyAndValue(words: string): { readonly isKey: boolean; readonly value: string } {
  const pair = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'].*?):(?:[ \t]+(.*))?$/s.exec(words);
  return pair === null ? { isKey: false, value: words } : { isKey: true, value: pair[1] ?? '' };
}

/** Tags, and what is in elements whose text counts as it stands. What is in `script` and `style` is free. */
function markupSpans(text: string, lexis: Lexis): Span[] {
  const spans: Span[] = [];
  const lower = text.toLowerCase();
  for (let i = 0; i < text.length; ) {
    const delimiter = lexis.delimiters.find(({ open }) => lower.startsWith(open.toLowerCase(), i));
    if (delimiter !== undefined) {
      const end = endOf(lower, i + delimiter.open.length, delimiter.close.toLowerCase());
      spans.push([i, end]);
      i = end;
    } else if (/^<[a-z/!]/.test(lower.slice(i, i + 2))) {
      const end = endOfTag(text, i);
      spans.push([i, end]);
      const element = /^<(script|style)\b/.exec(lower.slice(i, i + 8))?.[1];
      i =
        element === undefined || text[end - 2] === '/'
          ? end
          : Math.max(end, endOf(lower, end, `</${element}`) - element.length - 2);
    } else {
      i += 1;
    }
  }
  return spans;
}

function endOfTag(text: string, start: number): number {
  let quote = '';
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return i + 1;
  }
  return text.length;
}

function matchAt(pattern: RegExp | undefined, text: string, offset: number): RegExpExecArray | undefined {
  if (pattern === undefined) return undefined;
  pattern.lastIndex = offset;
  return pattern.exec(text) ?? undefined;
}

function endOf(text: string, from: number, close: string): number {
  const at = text.indexOf(close, from);
  return at < 0 ? text.length : at + close.length;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}
