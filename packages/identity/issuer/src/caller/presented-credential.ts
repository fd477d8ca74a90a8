import { RefusedCredential } from './refused-credential.ts';

/** What a request shows of its caller: at most one text, a token or an API key. */
export type Presented = {
  /** Every `Authorization` header, in its order. */
  readonly authorizations: readonly string[];
  /** Of a token exchange (RFC 8693 §2.1). */
  readonly subjectToken?: string | undefined;
};

const BEARER = /^Bearer +([^\s,]+)$/i;

/**
 * The one credential of a request.
 * @throws RefusedCredential `caller.credential_missing`, `caller.several_credentials`, `caller.scheme_unsupported`
 */
export function oneCredential({ authorizations, subjectToken }: Presented): string {
  if (authorizations.length + (subjectToken === undefined ? 0 : 1) > 1) {
    throw new RefusedCredential('caller.several_credentials', 'a request has one credential, in one place');
  }
  if (subjectToken !== undefined) return subjectToken;
  const [header] = authorizations;
  if (header === undefined) {
    throw new RefusedCredential(
      'caller.credential_missing',
      'this issuer wants a credential: Authorization: Bearer CREDENTIAL',
    );
  }
  const credential = BEARER.exec(header)?.[1];
  if (credential !== undefined) return credential;
  throw new RefusedCredential('caller.scheme_unsupported', 'a credential is sent as Authorization: Bearer CREDENTIAL');
}
