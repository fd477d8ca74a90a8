import canonicalize from 'canonicalize';
import type { JsonValue } from '../strict-json/json-value.ts';

const utf8 = new TextEncoder();

/**
 * The canonical form of a JSON value: the same bytes for the same value, however its members were ordered or spaced.
 *
 * @throws TypeError for what is not JSON: undefined, NaN, infinities, lone surrogates, cycles.
 * @see RFC 8785
 */
export function canonicalJson(value: JsonValue): Uint8Array<ArrayBuffer> {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new TypeError('not a JSON value', { cause });
  }
  if (text === undefined) throw new TypeError('not a JSON value');
  return utf8.encode(text);
}
