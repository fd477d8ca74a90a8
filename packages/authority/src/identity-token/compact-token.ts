import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** Characters of the whole token. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

/** A signed token taken apart; nothing in it is verified yet. */
export type CompactToken = {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** The first two segments with their dot: what the signature covers, and the only spelling of it there is. */
  readonly signingInput: string;
  readonly signature: Uint8Array;
};

const THREE_SEGMENTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Splits a JWS in compact form (RFC 7515 §7.1), and refuses every spelling but one: padding, white space, line breaks
 * and set trailing bits are decoded by common libraries, so that one signature would have several tokens. An encrypted
 * token (five segments) is refused like any other number of segments, before anything is decoded.
 *
 * @throws AuthorityError `authority.token_missing`, `authority.token_too_large`, `authority.token_malformed`
 */
export function parseCompactToken(token: unknown): CompactToken {
  if (typeof token !== 'string' || token === '') {
    throw new AuthorityError('authority.token_missing', 'the request has no identity token');
  }
  if (token.length > MAX_TOKEN_LENGTH) {
    throw new AuthorityError(
      'authority.token_too_large',
      `an identity token has at most ${MAX_TOKEN_LENGTH} characters`,
    );
  }
  if (!THREE_SEGMENTS.test(token)) throw malformed('three segments of base64url');
  const [header, payload, signature] = token.split('.') as [string, string, string];
  return {
    header: decodeObject(header, 'header'),
    payload: decodeObject(payload, 'payload'),
    signingInput: `${header}.${payload}`,
    signature: decodeSegment(signature, 'signature'),
  };
}

function decodeObject(segment: string, name: string): JsonObject {
  const parsed = parseStrictJson(decodeSegment(segment, name));
  if (!parsed.ok || !isJsonObject(parsed.value)) throw malformed(`a JSON object as ${name}`);
  return parsed.value;
}

function decodeSegment(segment: string, name: string): Uint8Array {
  const bytes = Buffer.from(segment, 'base64url');
  if (bytes.toString('base64url') !== segment) throw malformed(`canonical base64url as ${name}`);
  return new Uint8Array(bytes);
}

function malformed(expected: string): AuthorityError {
  return new AuthorityError('authority.token_malformed', `an identity token has ${expected}`);
}
