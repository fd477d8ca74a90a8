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

/** Characters; an authority refuses longer ones anyway. */
const MOST_TOKEN_LENGTH = 64 * 1024;

/**
 * Reads `sub` and `iss` of a JWT in its one canonical spelling.
 * @throws SigningError `signing.token_malformed`; the token is never part of it
 * @see RFC 7519 §3
 */
export function readIdentityToken(raw: string): IdentityToken {
  if (raw.length > MOST_TOKEN_LENGTH) throw malformed('it is too long');
  const parts = raw.split('.');
  if (parts.length !== 3 || !parts.every(isBase64Url)) throw malformed('it is not three parts of base64url');
  const payload = parseStrictJson(Buffer.from(parts[1] as string, 'base64url'), { maxBytes: MOST_TOKEN_LENGTH });
  if (!payload.ok || !isJsonObject(payload.value)) throw malformed('its payload is no JSON object');
  const { sub, iss } = payload.value;
  if (typeof sub !== 'string' || sub === '') throw malformed('it has no subject');
  if (typeof iss !== 'string' || iss === '') throw malformed('it has no issuer');
  return { raw, subject: sub, issuer: iss, payload: payload.value };
}

function isBase64Url(part: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part;
}

function malformed(reason: string): SigningError {
  return new SigningError('signing.token_malformed', `the identity token cannot be used: ${reason}`);
}
