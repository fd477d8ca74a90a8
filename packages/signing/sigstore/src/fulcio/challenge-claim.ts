import { isJsonObject, type JsonValue } from '@colophon/json';
import { underBase } from '@colophon/peer';
import { isOurSubject } from '../certificate/certificate-identity.ts';
import type { ServiceOptions } from '../service/ask-service.ts';
import { ask, jsonOf } from '../sign/ask.ts';
import type { IdentityToken } from '../sign/identity-token.ts';
import { SigningError } from '../sign/signing-error.ts';

/** The claim of a token whose value a key signs, to prove to the authority that it is the holder's. */
export type ChallengeClaim = 'sub' | 'email';

/** An authority that has no configuration to show. */
const NOT_SHOWN: readonly number[] = [401, 403, 404, 405, 501];

/**
 * The claim that the authority challenges for the token's issuer. It is asked only about a token with an `email` and
 * a subject that is none of ours: any other proves its `sub`. Where the authority shows no configuration,
 * or does not list the issuer by its exact name, cosign's rule holds: `email` where `email_verified` is true, else `sub`.
 * @throws SigningError `signing.ca_unavailable`, `signing.ca_answer_invalid`, `signing.token_malformed` where the claim is
 *   none that a token has
 * @see https://github.com/sigstore/fulcio/blob/v1.8.8/fulcio.proto (GetConfiguration)
 */
export async function challengeClaim(
  fulcioUrl: string,
  { issuer, subject, payload }: IdentityToken,
  options: ServiceOptions,
): Promise<ChallengeClaim> {
  const { email, email_verified: isVerified } = payload;
  if (email === undefined || isOurSubject(subject)) return 'sub';
  if (typeof email !== 'string' || email === '') throw unusable('its email is no text');
  const claim = await configuredClaim(fulcioUrl, issuer, options);
  if (claim === undefined) return isVerified === true || isVerified === 'true' ? 'email' : 'sub';
  if (claim === 'sub' || claim === 'email') return claim;
  throw unusable(`the authority wants a proof over ${JSON.stringify(claim).slice(0, 80)}`);
}

/** What the authority's configuration says of exactly this issuer. */
async function configuredClaim(
  fulcioUrl: string,
  issuer: string,
  options: ServiceOptions,
): Promise<JsonValue | undefined> {
  const url = underBase(fulcioUrl, '/api/v2/configuration');
  const answer = await ask('ca', url, undefined, options, { accepts: NOT_SHOWN });
  if (!answer.isOk) return undefined;
  const { issuers } = jsonOf('ca', url, answer);
  const listed = (Array.isArray(issuers) ? issuers : []).find(
    (one: JsonValue) => isJsonObject(one) && one['issuerUrl'] === issuer,
  );
  return isJsonObject(listed) ? listed['challengeClaim'] : undefined;
}

function unusable(reason: string): SigningError {
  return new SigningError('signing.token_malformed', `the identity token cannot be used: ${reason}`);
}
