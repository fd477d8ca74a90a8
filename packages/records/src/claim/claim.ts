import { SOURCED_CLAIMS, type SourcedClaim } from './claim-table.ts';

/** Who vouches for a claim, strongest first. `declared` is the caller's own word. */
export const CLAIM_SOURCES = [
  'caller-token',
  'review-event',
  'witness-isolated',
  'witness-same-host',
  'registry',
  'declared',
] as const;
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

/** Claims that no caller may set, in any field of any request. */
export const RESERVED_CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'cnf',
  'key_thumbprint',
  'claim_sources',
  'trigger',
  'agent_id',
  'email',
  'email_verified',
] as const;

/** The identity token's payload (contract §2.1 and our additions). Claims that nobody supplied are absent, never null. */
export type IdentityTokenClaims = {
  readonly iss: string;
  /** `agent:<agent_name>`, or `reviewer:<e-mail>` for a reviewer's own token. */
  readonly sub: string;
  readonly aud: string;
  /** Seconds since the epoch; exactly `iat` + the configured lifetime (600). */
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  /** `claim=source` pairs in the order of SOURCED_CLAIMS, joined by `;`. */
  readonly claim_sources: string;
  /** The caller's verified event, e.g. `pull_request`. */
  readonly trigger?: string;
  /** Never reassigned, unlike a name. */
  readonly agent_id?: string;
} & { readonly [claim in SourcedClaim]?: string };

/** Writes `repo=declared;commit_sha=caller-token`; parse with parseClaimSources. */
export function formatClaimSources(sources: { readonly [claim in SourcedClaim]?: ClaimSource }): string {
  let text = '';
  for (const claim of SOURCED_CLAIMS) {
    const source = sources[claim];
    if (source !== undefined) text += `${text === '' ? '' : ';'}${claim}=${source}`;
  }
  return text;
}

/** Reads what formatClaimSources wrote; a pair that it does not know is left out, so it counts as unsourced. */
export function parseClaimSources(text: string): { [claim in SourcedClaim]?: ClaimSource } {
  const sources: { [claim in SourcedClaim]?: ClaimSource } = {};
  for (const pair of text.split(';')) {
    const [claim, source, ...rest] = pair.split('=');
    if (rest.length > 0) continue;
    if (!SOURCED_CLAIMS.includes(claim as SourcedClaim) || !CLAIM_SOURCES.includes(source as ClaimSource)) continue;
    sources[claim as SourcedClaim] = source as ClaimSource;
  }
  return sources;
}
