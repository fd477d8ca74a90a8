import type { Issue, ParseResult } from '../parse-result/parse-result.ts';
import { replacedText } from '../replaced-text/replaced-text.ts';
import { closingQuote } from './closing-quote.ts';
import { JSON_ISSUES, type JsonIssueCode, type ToleratedJsonIssue } from './json-issue.ts';
import { isKeptExactly, numberLiteralAt } from './json-number.ts';
import { jsonPointer } from './json-pointer.ts';
import type { JsonValue } from './json-value.ts';

/** After so many issues the reader stops: a hostile document must not buy an answer larger than itself. */
const MOST_ISSUES = 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX4 = /^[0-9A-Fa-f]{4}$/;

/**
 * One pass over the text of a JSON document (RFC 8259), with the further restrictions of I-JSON (RFC 7493). It knows
 * every fault and its place; readPlainJson is quicker where there is plainly none. Every method leaves `at` behind what
 * it read, or returns undefined after it has noted why the rest cannot be read.
 */
export class JsonReader {
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly tolerated: readonly ToleratedJsonIssue[];
  private readonly replacesText: boolean;
  private readonly issues: Issue[] = [];
  private readonly segments: (string | number)[] = [];
  private at = 0;

  constructor(text: string, maxDepth: number, tolerated: readonly ToleratedJsonIssue[] = [], replacesText = false) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.tolerated = tolerated;
    this.replacesText = replacesText;
  }

  /** The only value of the document, or what is wrong with it; called once. */
  document(): ParseResult<JsonValue> {
    const value = this.value();
    if (value !== undefined) {
      this.skipSpace();
      if (this.at < this.text.length) this.unexpected();
    }
    return value !== undefined && this.issues.length === 0 ? { ok: true, value } : { ok: false, issues: this.issues };
  }

  private value(): JsonValue | undefined {
    this.skipSpace();
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.string();
      case OPEN_OBJECT:
        return this.object();
      case OPEN_ARRAY:
        return this.array();
      case 0x74:
        return this.literal('true', true);
      case 0x66:
        return this.literal('false', false);
      case 0x6e:
        return this.literal('null', null);
      default:
        return this.number();
    }
  }

  private object(): JsonValue | undefined {
    if (this.segments.length >= this.maxDepth) return this.stop('json.too_deep');
    const members: { [name: string]: JsonValue } = {};
    this.at += 1;
    this.skipSpace();
    if (this.take(CLOSE_OBJECT)) return members;
    for (;;) {
      if (this.text.charCodeAt(this.at) !== QUOTE) return this.unexpected();
      const name = this.string();
      if (name === undefined) return undefined;
      this.segments.push(name);
      if (Object.hasOwn(members, name) && !this.note('json.duplicate_key')) return undefined;
      this.skipSpace();
      if (!this.take(COLON)) return this.unexpected();
      const value = this.value();
      if (value === undefined) return undefined;
      if (name === '__proto__') setOwn(members, name, value);
      else members[name] = value;
      this.segments.pop();
      this.skipSpace();
      if (this.take(CLOSE_OBJECT)) return members;
      if (!this.take(COMMA)) return this.unexpected();
      this.skipSpace();
    }
  }

  private array(): JsonValue | undefined {
    if (this.segments.length >= this.maxDepth) return this.stop('json.too_deep');
    const items: JsonValue[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.take(CLOSE_ARRAY)) return items;
    for (;;) {
      this.segments.push(items.length);
      const value = this.value();
      if (value === undefined) return undefined;
      items.push(value);
      this.segments.pop();
      this.skipSpace();
      if (this.take(CLOSE_ARRAY)) return items;
      if (!this.take(COMMA)) return this.unexpected();
    }
  }

  private string(): string | undefined {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH) return this.escapedString(start, at);
      // NaN, the end of the text, compares as false: hence the negation.
      if (!(code >= 0x20)) return this.unexpected(at);
    }
  }

  /** The rest of a string from its first backslash on. */
  private escapedString(start: number, firstEscape: number): string | undefined {
    const end = closingQuote(this.text, firstEscape);
    const decoded = decodedByEngine(this.text.slice(start - 1, end + 1));
    if (decoded === undefined) return this.decodedString(start, firstEscape);
    this.at = end + 1;
    return this.checkedString(decoded);
  }

  /** Decodes escape by escape, and so knows which one is wrong. */
  private decodedString(start: number, firstEscape: number): string | undefined {
    const { text } = this;
    let decoded = text.slice(start, firstEscape);
    let plainFrom = firstEscape;
    let at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        decoded += text.slice(plainFrom, at);
        const letter = text.charAt(at + 1);
        const simple = ESCAPES[letter];
        if (simple !== undefined) {
          decoded += simple;
          at += 2;
        } else {
          const hex = text.slice(at + 2, at + 6);
          if (letter !== 'u' || !HEX4.test(hex)) return this.unexpected(at);
          decoded += String.fromCharCode(Number.parseInt(hex, 16));
          at += 6;
        }
        plainFrom = at;
      } else if (code >= 0x20) {
        at += 1;
      } else {
        return this.unexpected(at);
      }
    }
    decoded += text.slice(plainFrom, at);
    this.at = at + 1;
    return this.checkedString(decoded);
  }

  private checkedString(decoded: string): string | undefined {
    if (this.replacesText) return replacedText(decoded);
    if (decoded.includes('\0') && !this.tolerates('json.nul')) return undefined;
    if (!decoded.isWellFormed() && !this.note('json.lone_surrogate')) return undefined;
    return decoded;
  }

  private number(): number | undefined {
    const literal = numberLiteralAt(this.text, this.at);
    if (literal === undefined) return this.unexpected();
    if (!isKeptExactly(literal) && !this.tolerates('json.number_range')) return undefined;
    this.at += literal.length;
    return Number(literal);
  }

  private literal<Value extends boolean | null>(word: string, value: Value): Value | undefined {
    if (!this.text.startsWith(word, this.at)) return this.unexpected();
    this.at += word.length;
    return value;
  }

  private take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  /** Notes an issue after which the document can still be read; false when there have been enough. */
  private note(code: JsonIssueCode): boolean {
    this.issues.push({ path: jsonPointer(this.segments), code, ...JSON_ISSUES[code] });
    return this.issues.length < MOST_ISSUES;
  }

  /** Whether to read on: the issue is tolerated, or noted. */
  private tolerates(code: ToleratedJsonIssue): boolean {
    return this.tolerated.includes(code) || this.note(code);
  }

  private stop(code: JsonIssueCode): undefined {
    this.note(code);
    return undefined;
  }

  private unexpected(at: number = this.at): undefined {
    return this.stop(this.text.charCodeAt(at) === 0 ? 'json.nul' : 'json.syntax');
  }
}

/** The engine's own decoding of one string, some ten times as fast as ours; undefined where it refuses it. */
function decodedByEngine(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

function setOwn(members: object, name: string, value: JsonValue): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}
