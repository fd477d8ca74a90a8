import type { JsonObject, JsonValue } from '@colophon/json';
import { CLAIM_ARC_NUMBERS } from '@colophon/records';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** Characters of one claim. */
export const MAX_CLAIM_LENGTH = 4096;

/** Claims that the token carries as numbers; a certificate carries them as decimal text. */
const NUMBERS = ['exp', 'iat'];
// Control characters, Unicode's line and paragraph ends, lone halves of a surrogate pair.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A name in a certificate and its value there. */
export type CertificateClaims = { readonly [claim in keyof typeof CLAIM_ARC_NUMBERS]?: string };

/**
 * The token's claims that a certificate carries, each as text. An absent claim is left out.
 * @throws AuthorityError `authority.token_claim_invalid` for null, an array, an object, an empty string or control
 *   characters in any of them: a template would write them as something that they are not
 */
export function readCertificateClaims(payload: JsonObject, audience: string): CertificateClaims {
  const claims: Record<string, string> = {};
  for (const claim of Object.keys(CLAIM_ARC_NUMBERS)) {
    const value = claim === 'aud' ? audience : payload[claim];
    if (value === undefined) continue;
    claims[claim] = readClaim(claim, value);
  }
  return claims;
}

function readClaim(claim: string, value: JsonValue): string {
  if (NUMBERS.includes(claim) && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > MAX_CLAIM_LENGTH || UNPRINTABLE.test(value)) {
    throw new AuthorityError('authority.token_claim_invalid', `the claim ${claim} is not a plain, non-empty string`);
  }
  return value;
}
