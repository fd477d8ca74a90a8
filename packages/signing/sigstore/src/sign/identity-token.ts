import { parseCompactJws } from '@colophon/encoding';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { SigningError } from './signing-error.ts';

/** A token and what signing needs to know of it. Its signature is for the authority to verify. */
export type IdentityToken = {
  readonly raw: string;
  readonly subject: string;
  readonly issuer: string;
  /** Every claim. */
  readonly payload: JsonObject;
};

/** Characters. It is the user's own token, of an authority whose limit we do not know; ours takes a quarter of that. */
const MOST_TOKEN_LENGTH = 64 * 1024;

/**
 * Reads `sub` and `iss` of a JWT in its one canonical spelling.
 * @throws SigningError `signing.token_malformed`; the token is never part of it
 * @see RFC 7519 §3
 */
export function readIdentityToken(raw: string): IdentityToken {
  const parsed = parseCompactJws(raw, MOST_TOKEN_LENGTH);
  if (!parsed.ok && parsed.problem === 'length') throw malformed('it is too long');
  if (!parsed.ok || parsed.value.signature.length === 0) throw malformed('it is not three parts of base64url');
  const payload = parseStrictJson(parsed.value.payload, { maxBytes: MOST_TOKEN_LENGTH });
  if (!payload.ok || !isJsonObject(payload.value)) throw malformed('its payload is no JSON object');
  const { sub, iss } = payload.value;
  if (typeof sub !== 'string' || sub === '') throw malformed('it has no subject');
  if (typeof iss !== 'string' || iss === '') throw malformed('it has no issuer');
  return { raw, subject: sub, issuer: iss, payload: payload.value };
}

function malformed(reason: string): SigningError {
  return new SigningError('signing.token_malformed', `the identity token cannot be used: ${reason}`);
}
