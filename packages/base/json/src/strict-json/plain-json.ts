import { mayHoldOddText } from '../replaced-text/replaced-text.ts';
import { closingQuote } from './closing-quote.ts';
import { isKeptExactly, numberLiteralAt } from './json-number.ts';
import type { JsonValue } from './json-value.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * A name with an escape, by its last one. JSON.parse of V8 (Node.js 24 and 26) may take such a name for another, or
 * refuse it: it compares the raw text with a name that followed the same members in any document before, so `"\""` is
 * read as a backslash after `"\\"` was.
 */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/s;

/**
 * The value of a document in which nothing is to be refused, at little more than the price of JSON.parse; undefined
 * where something is, or may be. The grammar is JSON.parse's; what that lets pass is looked for here: how deep the
 * document is and which numbers it holds, in its text, and whether a name was there twice, which leaves the value with
 * fewer members than the text.
 */
export function readPlainJson(text: string, maxDepth: number): JsonValue | undefined {
  if (text.includes('\\') && (mayHoldOddText(text) || ESCAPED_NAME.test(text))) return undefined;
  const members = membersWritten(text, maxDepth);
  if (members === undefined) return undefined;
  const value = parsedByEngine(text);
  return value !== undefined && membersOf(value) === members ? value : undefined;
}

/** How many members a text holds if it is JSON at all; undefined where it is too deep or has a number to refuse. */
function membersWritten(text: string, maxDepth: number): number | undefined {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at + 1);
    } else if (code === COLON) {
      members += 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth > maxDepth) return undefined;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      const literal = numberLiteralAt(text, at);
      if (literal === undefined || !isKeptExactly(literal)) return undefined;
      at += literal.length - 1;
    }
  }
  return members;
}

function parsedByEngine(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function membersOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const inside: readonly JsonValue[] = isArray ? value : Object.values(value);
  let members = isArray ? 0 : inside.length;
  for (const inner of inside) members += membersOf(inner);
  return members;
}
