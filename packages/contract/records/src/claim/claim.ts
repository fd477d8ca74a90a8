import { SOURCED_CLAIMS, type SourcedClaim, TOKEN_PURPOSES, type TokenPurpose } from './claim-table.ts';

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

/**
 * Whether a source is one of those that a rule accepts. What a witness on the agent's own host says is the agent's user's
 * word, so it is accepted wherever a declared claim is.
 */
export function isAcceptedSource(accepted: readonly ClaimSource[], source: ClaimSource | undefined): boolean {
  if (source === undefined) return false;
  return accepted.includes(source) || (source === 'witness-same-host' && accepted.includes('declared'));
}

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
  /** `purpose=<purpose>`, then `claim=source` pairs in the order of SOURCED_CLAIMS, joined by `;`. */
  readonly claim_sources: string;
  /** The caller's verified event, e.g. `pull_request`. */
  readonly trigger?: string;
  /** Never reassigned, unlike a name. */
  readonly agent_id?: string;
  /** RFC 7638 thumbprint of the one key that may be certified with the token. */
  readonly key_thumbprint?: string;
  /** The same as others read it (RFC 7800 §3.1, RFC 9449 §6.1). */
  readonly cnf?: { readonly jkt: string };
} & { readonly [claim in SourcedClaim]?: string };

const PURPOSE = 'purpose';

/** Every claim whose source a token names, in the order of their sources. */
export const VOUCHED_CLAIMS = [...SOURCED_CLAIMS, 'trigger'] as const;
/** A claim about the run, or the event that started it, which no request can say. */
export type VouchedClaim = SourcedClaim | 'trigger';

/** Writes `purpose=artifact;repo=declared;commit_sha=caller-token`; parse with parseClaimSources and parsePurpose. */
export function formatClaimSources(
  purpose: TokenPurpose,
  sources: { readonly [claim in VouchedClaim]?: ClaimSource },
): string {
  let text = `${PURPOSE}=${purpose}`;
  for (const claim of VOUCHED_CLAIMS) {
    const source = sources[claim];
    if (source !== undefined) text += `;${claim}=${source}`;
  }
  return text;
}

/**
 * The purpose that formatClaimSources wrote; undefined where none is named: in Fulcio's extension other
 * issuers say something else.
 * @returns `unreadable` for a purpose that is named twice, elsewhere than first, or unknown to this program: what a
 *   later program means by it is never what we would guess
 */
export function parsePurpose(text: string): TokenPurpose | 'unreadable' | undefined {
  const pairs = text.split(';');
  const naming = pairs.filter((pair) => pair.split('=', 1)[0]?.trim().toLowerCase() === PURPOSE);
  if (naming.length === 0) return undefined;
  const named = TOKEN_PURPOSES.find((purpose) => pairs[0] === `${PURPOSE}=${purpose}`);
  return naming.length > 1 || named === undefined ? 'unreadable' : named;
}

/** Reads what formatClaimSources wrote; a pair that it does not know is left out, so it counts as unsourced. */
export function parseClaimSources(text: string): { [claim in VouchedClaim]?: ClaimSource } {
  const sources: { [claim in VouchedClaim]?: ClaimSource } = {};
  for (const pair of text.split(';')) {
    const [claim, source, ...rest] = pair.split('=');
    if (rest.length > 0) continue;
    if (!VOUCHED_CLAIMS.includes(claim as VouchedClaim) || !CLAIM_SOURCES.includes(source as ClaimSource)) continue;
    sources[claim as VouchedClaim] = source as ClaimSource;
  }
  return sources;
}
