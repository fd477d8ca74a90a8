import type { ClaimSource, VouchedClaim } from '../claim/claim.ts';
import { CLAIMS, SOURCED_CLAIMS, type SourcedClaim, type TokenPurpose } from '../claim/claim-table.ts';

/** Fulcio's arc: OIDs `1.3.6.1.4.1.57264.1.<n>`. */
export const FULCIO_ARC = '1.3.6.1.4.1.57264.1';

/** Says in every certificate of the embedded authority what it is. */
export const LOCAL_ORGANIZATION = 'Colophon local authority';

/** What stands in a certificate where the token had no such claim. Never counts as a value. */
export const UNKNOWN = 'unknown';

const OTHER_ARC_NUMBERS = {
  iss: 1,
  sub: 2,
  aud: 3,
  exp: 4,
  iat: 5,
  jti: 16,
  claim_sources: 17,
  trigger: 18,
  agent_id: 19,
  key_thumbprint: 21,
} as const;

/** A claim that has an extension of its own in a certificate. */
export type CertifiedClaim = SourcedClaim | keyof typeof OTHER_ARC_NUMBERS;

/** `<arc>.<n>`, DER UTF8String: every claim of the token on its own, in the order of the numbers. */
export const CLAIM_ARC_NUMBERS = Object.fromEntries(
  [
    ...Object.entries(OTHER_ARC_NUMBERS),
    ...SOURCED_CLAIMS.map((claim) => [claim, CLAIMS[claim].arcNumber] as const),
  ].sort(([, one], [, other]) => one - other),
) as Readonly<Record<CertifiedClaim, number>>;

/**
 * Fulcio's closed set of extensions and what each carries for us. `{claim}` is replaced by the claim, or by
 * `unknown` (`none` for key_thumbprint) where the token has none. The same mapping, as Fulcio's configuration, is
 * in docs/fulcio.md.
 */
export const FULCIO_EXTENSION_TEMPLATES: Readonly<Record<number, string>> = {
  2: '{trigger}',
  3: '{commit_sha}',
  5: '{repo}',
  9: '{iss}/agents/{agent_name}@{agent_version}',
  10: '{policy_pack_hash}',
  11: '{claim_sources}',
  12: '{repo_uri}',
  13: '{commit_sha}',
  18: '{iss}/models/{model_provider}/{model_id}',
  19: '{prompt_hash}',
  20: '{trigger}',
  21: '{iss}/runs/{jti}',
  22: '{key_thumbprint}',
  23: '{human_reviewer} {review_timestamp}',
};

/** What stands in Fulcio's extensions for an absent claim: there is nothing unknown about a key that the token was not bound to. */
export function absentClaimText(claim: string): string {
  return claim === 'key_thumbprint' ? 'none' : UNKNOWN;
}

/** What each of Fulcio's extensions says of a token with these claims, by its number; only claims that are text count. */
export function fulcioExtensionTexts(claims: { readonly [claim: string]: unknown }): ReadonlyMap<number, string> {
  const textOf = (claim: string): string => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return typeof value === 'string' ? value : absentClaimText(claim);
  };
  return new Map(
    Object.entries(FULCIO_EXTENSION_TEMPLATES).map(([number, template]) => [
      Number(number),
      template.replace(/\{(\w+)\}/g, (_, claim: string) => textOf(claim)),
    ]),
  );
}

/**
 * What a signing certificate says about its holder, read from either mapping; `unknown` values are left out. A bare key has
 * none of it: `issuer` is empty then, and `key` names it.
 */
export type CertificateIdentity = {
  /** Certificate OIDC issuer. */
  readonly issuer: string;
  /** The subject alternative name, e.g. `agent:code-writer`. */
  readonly subject: string;
  /** Where the name is an e-mail address by its type; absent for a URI and for Fulcio's user name, however they read. */
  readonly subject_type?: 'email';
  /** `sha256:<hex>` over the SubjectPublicKeyInfo of a bare key that signed; absent where a certificate stands behind it. */
  readonly key?: string;
  /** The trusted root under which the certificate was verified, by its name; absent where nothing was verified. */
  readonly root?: string;
  /** What the token was for; absent in certificates of other issuers, and where a Fulcio leaves the claim out. */
  readonly purpose?: TokenPurpose;
  readonly trigger?: string;
  readonly jti?: string;
  readonly agent_id?: string;
  readonly key_thumbprint?: string;
  readonly claims: { readonly [claim in SourcedClaim]?: string };
  readonly sources: { readonly [claim in VouchedClaim]?: ClaimSource };
};

/** The identity of a bare key, which nobody certifies: its name, and no claim. */
export function keyIdentity(key: string): CertificateIdentity {
  return { issuer: '', subject: `key:${key}`, key, claims: {}, sources: {} };
}
