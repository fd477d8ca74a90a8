import type { ParseResult } from '../parse-result/parse-result.ts';
import { JSON_ISSUES, type JsonIssueCode, type ToleratedJsonIssue } from './json-issue.ts';
import { JsonReader } from './json-reader.ts';
import type { JsonValue } from './json-value.ts';
import { readPlainJson } from './plain-json.ts';
import { hasMoreValues } from './value-count.ts';

/** Bytes; the limit of a token request (contract §8 leaves it open). */
export const DEFAULT_MAX_JSON_BYTES = 16 * 1024;

/** Containers inside each other; `[[]]` is 2 deep. */
export const DEFAULT_MAX_JSON_DEPTH = 16;

/** The reader descends by recursion, so this much is the most that a caller may ask for. */
export const HIGHEST_JSON_DEPTH = 512;

/** What of a document is read at most. */
export type JsonLimits = {
  readonly maxBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
  readonly maxValues?: number | undefined;
  readonly tolerated?: readonly ToleratedJsonIssue[] | undefined;
  readonly oddText?: 'refused' | 'replaced' | undefined;
};

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

// With ignoreBOM the mark would stay in the text; it is looked for in the bytes, before.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON document out of its raw bytes, and accepts nothing that two readers could understand differently:
 * valid UTF-8 without a byte order mark, no member twice (names compared after their escapes are decoded), no lone
 * surrogate, no NUL, numbers within ±(2^53 - 1) and without negative zero, nothing after the value. A member called
 * `__proto__` becomes an ordinary own property. What it accepts has the value that JSON.parse owes,
 * whatever V8 makes of a name with an escape.
 *
 * @param limits `maxBytes` (default 16 KiB), `maxDepth` (default 16, at most 512), and `maxValues`, the names of members
 *   counted among them (no limit by default): what has more is refused before a value of it is built; `tolerated`, which
 *   of these issues are none (default: no issue), however often they occur; `oddText`, whether NUL and half of a surrogate
 *   pair are refused (default), or replaced as `replacedText` does: for documents of the field, which name many things.
 * @returns the value, or the issues: all that can be noted while reading on, up to 20 of them.
 * @throws TypeError for a `maxDepth` above 512.
 * @see RFC 8259, RFC 7493
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits = {}): ParseResult<JsonValue> {
  const {
    maxBytes = DEFAULT_MAX_JSON_BYTES,
    maxDepth = DEFAULT_MAX_JSON_DEPTH,
    maxValues,
    tolerated,
    oddText,
  } = limits;
  if (!(maxDepth <= HIGHEST_JSON_DEPTH)) throw new TypeError(`maxDepth must be at most ${HIGHEST_JSON_DEPTH}`);
  if (bytes.length > maxBytes) return refused('json.too_large', `at most ${maxBytes} bytes`);
  if (BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)) return refused('json.bom');
  const text = decodeUtf8(bytes);
  if (text === undefined) return refused('json.not_utf8');
  if (maxValues !== undefined && hasMoreValues(text, maxValues)) {
    return refused('json.too_many_values', `at most ${maxValues} values`);
  }
  const value = readPlainJson(text, maxDepth);
  return value === undefined
    ? new JsonReader(text, maxDepth, tolerated, oddText === 'replaced').document()
    : { ok: true, value };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(code: JsonIssueCode, expected?: string): ParseResult<never> {
  return { ok: false, issues: [{ path: '', code, ...JSON_ISSUES[code], ...(expected && { expected }) }] };
}
