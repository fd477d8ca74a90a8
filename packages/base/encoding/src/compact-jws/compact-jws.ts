import { decodeBase64Url } from '../base64/base64.ts';

/** A JWS taken apart; nothing in it is verified, and header and payload are not looked into. */
export type CompactJws = {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** Empty in an unsecured JWS (RFC 7515, appendix A.5): who wants a signature has to ask for its length. */
  readonly signature: Uint8Array;
  /** The first two segments with their dot: what the signature covers, and the only spelling of it there is. */
  readonly signingInput: string;
};

/** What is wrong: too many characters, no three segments of base64url, or a segment that is not canonical. */
export type CompactJwsProblem = 'length' | 'segments' | 'header' | 'payload' | 'signature';

const THREE_SEGMENTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)$/;

/**
 * Splits a JWS in compact form (RFC 7515 §7.1), and refuses every spelling but one: padding, white space, line breaks
 * and set trailing bits are decoded by common libraries, so that one signature would have several tokens. An encrypted
 * token (five segments) is refused like any other number of segments, before anything is decoded. Never throws.
 *
 * @param maxLength characters of the whole text; a server allows fewer than a program that reads its
 *   own user's token
 */
export function parseCompactJws(
  text: string,
  maxLength: number,
): { readonly ok: true; readonly value: CompactJws } | { readonly ok: false; readonly problem: CompactJwsProblem } {
  if (text.length > maxLength) return { ok: false, problem: 'length' };
  const segments = THREE_SEGMENTS.exec(text);
  if (segments === null) return { ok: false, problem: 'segments' };
  const [header, payload, signature] = segments.slice(1).map(decodeBase64Url);
  if (header === undefined) return { ok: false, problem: 'header' };
  if (payload === undefined) return { ok: false, problem: 'payload' };
  if (signature === undefined) return { ok: false, problem: 'signature' };
  return { ok: true, value: { header, payload, signature, signingInput: text.slice(0, text.lastIndexOf('.')) } };
}
