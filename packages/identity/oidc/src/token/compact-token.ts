import { parseCompactJws } from '@colophon/encoding';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { TokenRefused } from './token-refused.ts';

/** Characters of the whole token: anybody may send one, and all of it is read before its signature. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

/** A signed token taken apart; nothing in it is verified yet. */
export type CompactToken = {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** The first two segments with their dot: what the signature covers, and the only spelling of it there is. */
  readonly signingInput: string;
  readonly signature: Uint8Array;
};

/**
 * Splits a token in its one spelling; its header and payload are JSON objects.
 * @throws TokenRefused `token_missing`, `token_too_large`, `token_malformed`
 */
export function parseCompactToken(token: unknown): CompactToken {
  if (typeof token !== 'string' || token === '') {
    throw new TokenRefused('token_missing', 'the request has no identity token');
  }
  const parsed = parseCompactJws(token, MAX_TOKEN_LENGTH);
  if (!parsed.ok && parsed.problem === 'length') {
    throw new TokenRefused('token_too_large', `an identity token has at most ${MAX_TOKEN_LENGTH} characters`);
  }
  if (token.endsWith('.') || (!parsed.ok && parsed.problem === 'segments')) {
    throw malformed('three segments of base64url');
  }
  if (!parsed.ok) throw malformed(`canonical base64url as ${parsed.problem}`);
  const { header, payload, signature, signingInput } = parsed.value;
  return {
    header: objectOf(header, 'header'),
    payload: objectOf(payload, 'payload'),
    signingInput,
    signature,
  };
}

function objectOf(bytes: Uint8Array, name: string): JsonObject {
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok || !isJsonObject(parsed.value)) throw malformed(`a JSON object as ${name}`);
  return parsed.value;
}

function malformed(expected: string): TokenRefused {
  return new TokenRefused('token_malformed', `an identity token has ${expected}`);
}
