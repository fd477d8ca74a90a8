import type { JsonValue } from '@colophon/json';
import { TokenRefused } from '../token/token-refused.ts';
import type { TrustedIssuer } from './caller-token.ts';

/** What `typ` may say: a token of no special type, or an access token (RFC 9068), which is a caller's credential. */
const TYPES: Readonly<Record<TrustedIssuer['kind'], readonly string[]>> = {
  oidc: ['jwt', 'at+jwt'],
  // JWT-SVID §2.3
  spiffe: ['jwt', 'jose'],
};

/**
 * Refuses a token that its issuer made for another use, such as a proof of possession, an event or a logout: one key
 * often signs several kinds.
 * @throws TokenRefused `token_type_refused`
 * @see RFC 8725 §3.11 and §3.12; RFC 7515 §4.1.9 for the spellings of a type
 */
export function checkType(typ: JsonValue | undefined, kind: TrustedIssuer['kind']): void {
  const name = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  if (name === undefined || (typeof name === 'string' && TYPES[kind].includes(name))) return;
  throw new TokenRefused('token_type_refused', 'the token’s type is not that of a caller’s credential');
}
