import {
  CLAIM_SOURCES,
  type ClaimSource,
  canonicalClaim,
  claimsAgree,
  formatClaimSources,
  type IdentityTokenClaims,
  repositoriesAgree,
  SOURCED_CLAIMS,
  type SourcedClaim,
  type TokenRequest,
  UNKNOWN,
} from '@colophon/records';
import { CLAIM_RULES, type ClaimRule } from '../claim-rule/claim-rule.ts';
import { assertIssuanceContext, type ClaimEvidence, type IssuanceContext } from './issuance-context.ts';
import type { IssuanceRefusal, IssuanceRefusalCode } from './issuance-refusal.ts';

/** The claims of a token, or why there is none. */
export type ClaimDecision = { readonly ok: true; readonly claims: IdentityTokenClaims } | IssuanceRefusal;

/**
 * Decides what an identity token says (contract §2.1). Each claim has the value of the strongest source that supplies
 * it, by CLAIM_RULES, and `claim_sources` says which that was; a claim that nobody supplies is absent. Two values of one
 * claim that do not mean the same are refused, whichever source is stronger: what is signed is never something else than what was
 * asked for. So are a `repo` and a `repo_uri` of two repositories. Every claim is a non-empty string, but `iat` and `exp`, which lie exactly `lifetimeSeconds` apart,
 * and `cnf`, which repeats `key_thumbprint` in the form of RFC 7800. Claims that no caller may set come from the context alone.
 *
 * @throws TypeError for a context that cannot be (no audience, times that are not whole seconds), and for a request
 *   that parseTokenRequest would not have returned.
 */
export function decideClaims(request: TokenRequest, context: IssuanceContext): ClaimDecision {
  assertIssuanceContext(context);
  const aud = request.audience ?? context.audiences[0]!;
  if (!context.audiences.includes(aud)) {
    return refuse('issuance.audience_not_allowed', 'audience', 'This issuer makes no tokens for this audience.');
  }
  const said: { [claim in SourcedClaim]?: string } = {};
  const sources: { [claim in SourcedClaim]?: ClaimSource } = {};
  for (const claim of SOURCED_CLAIMS) {
    const rule = CLAIM_RULES[request.purpose][claim];
    if (rule === undefined) continue;
    const supplied = suppliedValues(claim, rule, request, context.evidence ?? []);
    const strongest = supplied[0];
    if (strongest === undefined) continue;
    if (supplied.some(({ value }) => !claimsAgree(claim, value, strongest.value))) {
      return refuse('issuance.claim_contradicted', claim, `${claim} is not what ${strongest.source} says.`);
    }
    said[claim] = canonicalClaim(claim, strongest.value);
    sources[claim] = worthOf(strongest.source, rule, sources);
  }
  if (said.repo !== undefined && said.repo_uri !== undefined && !repositoriesAgree(said.repo, said.repo_uri)) {
    return refuse(
      'issuance.claim_contradicted',
      'repo_uri',
      'repo_uri is the address of another repository than repo.',
    );
  }
  const isRequired = (claim: SourcedClaim) => CLAIM_RULES[request.purpose][claim] !== undefined;
  const missing =
    request.purpose !== 'review' &&
    context.requiredClaims?.find((claim) => isRequired(claim) && said[claim] === undefined);
  if (missing) return refuse('issuance.claim_missing', missing, 'This issuer makes no token without this claim.');
  return { ok: true, claims: claimsOf(request, context, aud, said, sources) };
}

type Supplied = { readonly source: ClaimSource; readonly value: string };

/**
 * Every value that a believed source gives for the claim, strongest first; what is empty, or the word that
 * certificates mean a missing claim by, supplies nothing. A loop, not a pipeline: eleven claims a token.
 */
function suppliedValues(
  claim: SourcedClaim,
  { sources }: ClaimRule,
  request: TokenRequest,
  evidence: readonly ClaimEvidence[],
): Supplied[] {
  const supplied: Supplied[] = [];
  for (const source of sources) {
    if (source === 'declared') {
      const value = (request as { readonly [name in SourcedClaim]?: string })[claim];
      if (isValue(value)) supplied.push({ source, value });
      continue;
    }
    for (const { source: by, claims } of evidence) {
      const value = claims[claim];
      if (by === source && isValue(value)) supplied.push({ source, value });
    }
  }
  return supplied;
}

/** A source as it stands in the token: the weaker one of its own and that of the claim which it derives this one from. */
function worthOf(
  source: ClaimSource,
  { derivedFrom }: ClaimRule,
  sources: { readonly [claim in SourcedClaim]?: ClaimSource },
): ClaimSource {
  const base = derivedFrom?.[source];
  if (base === undefined) return source;
  const ofBase = sources[base] ?? 'declared';
  return CLAIM_SOURCES.indexOf(ofBase) > CLAIM_SOURCES.indexOf(source) ? ofBase : source;
}

function isValue(value: string | undefined): value is string {
  return value !== undefined && value !== '' && value !== UNKNOWN;
}

function claimsOf(
  request: TokenRequest,
  context: IssuanceContext,
  aud: string,
  said: { readonly [claim in SourcedClaim]?: string },
  sources: { readonly [claim in SourcedClaim]?: ClaimSource },
): IdentityTokenClaims {
  const { issuer: iss, issuedAt: iat, lifetimeSeconds, jti, agentId, trigger } = context;
  const isAgent = request.purpose !== 'review';
  const { dpop_jkt: jkt } = request;
  const name = isAgent ? said.agent_name : said.human_reviewer;
  if (name === undefined) throw new TypeError('the request names no subject: it did not come from parseTokenRequest');
  return {
    iss,
    sub: `${isAgent ? 'agent' : 'reviewer'}:${name}`,
    aud,
    exp: iat + lifetimeSeconds,
    iat,
    jti,
    ...(isAgent && agentId ? { agent_id: agentId } : {}),
    ...said,
    ...(trigger ? { trigger } : {}),
    claim_sources: formatClaimSources(request.purpose, sources),
    ...(jkt === undefined ? {} : { key_thumbprint: jkt, cnf: { jkt } }),
  };
}

function refuse(code: IssuanceRefusalCode, field: string, message: string): IssuanceRefusal {
  return { ok: false, code, field, message };
}
