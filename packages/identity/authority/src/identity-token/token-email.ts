import type { JsonObject } from '@colophon/json';
import { isEmailAddress } from '@colophon/records';
import { AuthorityError } from '../authority-error/authority-error.ts';

/**
 * The e-mail address in a token, as Fulcio's issuers of type `email` have it: the issuer must say that it is verified.
 * @throws AuthorityError `authority.token_subject_invalid`, `authority.token_email_unverified`
 */
export function readTokenEmail({ email, email_verified }: JsonObject): string {
  if (typeof email !== 'string' || !isEmailAddress(email)) {
    throw new AuthorityError('authority.token_subject_invalid', 'the token names no e-mail address');
  }
  if (email_verified !== true) {
    throw new AuthorityError('authority.token_email_unverified', 'the token’s e-mail address is not verified');
  }
  return email;
}
