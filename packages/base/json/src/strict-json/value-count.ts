import { closingQuote } from './closing-quote.ts';
import type { JsonValue } from './json-value.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const E = 0x45;
const OPEN_ARRAY = 0x5b;
const A = 0x61;
const SMALL_E = 0x65;
const Z = 0x7a;
const OPEN_OBJECT = 0x7b;

/**
 * Whether the text of a JSON document holds more than so many values, the names of members counted among them. Nothing is
 * built: a tree of many small values takes a hundred times the bytes of its text. A text that is no JSON is counted as
 * if it were.
 */
export function hasMoreValues(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at + 1) + 1;
    else if (isDigit(code) || code === MINUS) at = endOf(text, at, isOfNumber);
    else if (isLetter(code)) at = endOf(text, at, isLetter);
    else {
      at += 1;
      if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) continue;
    }
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** How many values a value is made of, itself and the names of members among them. */
export function valuesIn(value: JsonValue): number {
  let count = 0;
  const left: JsonValue[] = [value];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    count += 1;
    if (typeof one !== 'object' || one === null) continue;
    const inside: readonly JsonValue[] = Array.isArray(one) ? one : Object.values(one);
    if (inside !== one) count += inside.length;
    for (const inner of inside) left.push(inner);
  }
  return count;
}

function endOf(text: string, from: number, isPart: (code: number) => boolean): number {
  let at = from + 1;
  while (isPart(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === E || code === SMALL_E || code === MINUS || code === PLUS;
}

function isLetter(code: number): boolean {
  return code >= A && code <= Z;
}
