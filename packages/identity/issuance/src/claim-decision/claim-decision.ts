import {
  CLAIM_SOURCES,
  type ClaimSource,
  canonicalClaim,
  claimsAgree,
  formatClaimSources,
  type IdentityTokenClaims,
  isAcceptedSource,
  repositoriesAgree,
  SOURCED_CLAIMS,
  type SourcedClaim,
  type TokenRequest,
  UNKNOWN,
} from '@colophon/records';
import { missingRight } from '../caller-rights/caller-rights.ts';
import { CLAIM_RULES, type ClaimRule } from '../claim-rule/claim-rule.ts';
import type { Registry } from '../registry/registry.ts';
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
  const evidence = [...(context.evidence ?? []), ...registryEvidence(request, context.registry)];
  const said: { [claim in SourcedClaim]?: string } = {};
  const sources: { [claim in SourcedClaim]?: ClaimSource } = {};
  let contradicted: IssuanceRefusal | undefined;
  for (const claim of SOURCED_CLAIMS) {
    const rule = CLAIM_RULES[request.purpose][claim];
    if (rule === undefined) continue;
    const supplied = suppliedValues(claim, rule, request, evidence);
    const strongest = supplied[0];
    if (strongest === undefined) continue;
    if (supplied.some(({ value }) => !claimsAgree(claim, value, strongest.value))) {
      contradicted ??= refuse('issuance.claim_contradicted', claim, `${claim} is not what ${strongest.source} says.`);
    }
    said[claim] = canonicalClaim(claim, strongest.value);
    sources[claim] = worthOf(strongest.source, rule, sources);
  }
  // Rights first: to whom a claim does not belong, nothing is told about it.
  const refusal =
    refuseWithoutRight(request, context, aud, said, sources) ??
    refuseByRegistry(request, context.registry) ??
    contradicted ??
    refuseOtherRepository(said) ??
    refuseUnvouched(request, context, said, sources);
  if (refusal !== undefined) return refusal;
  return { ok: true, claims: claimsOf(request, context, aud, said, sources) };
}

/** What the operator's own lists say about the request: that there is such an agent, and who serves the model. */
function registryEvidence(request: TokenRequest, registry: Registry | undefined): readonly ClaimEvidence[] {
  if (registry === undefined || request.purpose === 'review') return [];
  const agent_name = registry.agent(request.agent_name)?.name;
  const model_provider = registry.providerOf(request.model_id);
  const claims = { ...(agent_name && { agent_name }), ...(model_provider && { model_provider }) };
  return [{ source: 'registry', claims }];
}

function refuseWithoutRight(
  { purpose }: TokenRequest,
  { caller, registry, servedModels = [] }: IssuanceContext,
  audience: string,
  claims: Claimed,
  sources: Sourced,
): IssuanceRefusal | undefined {
  if (caller === undefined) return undefined;
  const policyPack = claims.policy_pack_hash && registry?.policyPackOf(claims.policy_pack_hash);
  const missing = missingRight(caller.rights, { purpose, audience, claims, sources, policyPack, servedModels });
  if (missing !== undefined) {
    const rule = `callers[${caller.name}].may.${missing.rule}`;
    return refuse(missing.code, missing.field, `No rule in ${rule} stands for this ${missing.field}.`);
  }
  // Whoever may ask for reviewers' tokens at all must not choose the reviewer.
  if (purpose !== 'review' || sources.human_reviewer === 'caller-token') return undefined;
  return refuse('caller.reviewer_unconfirmed', 'human_reviewer', 'The credential does not say who the reviewer is.');
}

function refuseByRegistry(request: TokenRequest, registry: Registry | undefined): IssuanceRefusal | undefined {
  if (registry === undefined || !registry.namesAgents || request.purpose === 'review') return undefined;
  const agent = registry.agent(request.agent_name);
  if (agent === undefined) {
    return refuse('issuance.agent_unregistered', 'agent_name', 'The configuration lists no agent of this name.');
  }
  if ((agent.state ?? 'active') !== 'active') {
    return refuse('issuance.agent_inactive', 'agent_name', `This agent is ${agent.state}, and gets no tokens.`);
  }
  if (registry.hasVersion(agent, request.agent_version)) return undefined;
  return refuse('issuance.agent_version_unregistered', 'agent_version', 'The configuration lists no such version.');
}

function refuseOtherRepository({ repo, repo_uri }: Claimed): IssuanceRefusal | undefined {
  if (repo === undefined || repo_uri === undefined || repositoriesAgree(repo, repo_uri)) return undefined;
  return refuse('issuance.claim_contradicted', 'repo_uri', 'repo_uri is the address of another repository than repo.');
}

/** What a strict configuration demands of an agent's token: claims that stand there, and who vouches for them. */
function refuseUnvouched(
  { purpose }: TokenRequest,
  { requiredClaims, requiredSources = {} }: IssuanceContext,
  said: Claimed,
  sources: Sourced,
): IssuanceRefusal | undefined {
  if (purpose === 'review') return undefined;
  for (const claim of SOURCED_CLAIMS) {
    if (CLAIM_RULES[purpose][claim] === undefined) continue;
    const accepted = requiredSources[claim];
    if (said[claim] === undefined && (requiredClaims?.includes(claim) || accepted !== undefined)) {
      return refuse('issuance.claim_missing', claim, 'This issuer makes no token without this claim.');
    }
    if (accepted !== undefined && !isAcceptedSource(accepted, sources[claim])) {
      const message = `This issuer wants ${claim} from ${accepted.join(' or ')}, and has it from ${sources[claim]}.`;
      return refuse('issuance.source_not_accepted', claim, message);
    }
  }
  return undefined;
}

type Claimed = { readonly [claim in SourcedClaim]?: string };
type Sourced = { readonly [claim in SourcedClaim]?: ClaimSource };

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
  return CLAIM_SOURCES[Math.max(CLAIM_SOURCES.indexOf(ofBase), CLAIM_SOURCES.indexOf(source))]!;
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
  // One address in one spelling: a rejection and an approval by one person have one subject. What an agent says stays.
  const human_reviewer = isAgent ? said.human_reviewer : said.human_reviewer?.toLowerCase();
  const name = isAgent ? said.agent_name : human_reviewer;
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
    ...(human_reviewer === undefined ? {} : { human_reviewer }),
    ...(trigger ? { trigger } : {}),
    // Only a caller's verified credential names an event.
    claim_sources: formatClaimSources(request.purpose, trigger ? { ...sources, trigger: 'caller-token' } : sources),
    ...(jkt === undefined ? {} : { key_thumbprint: jkt, cnf: { jkt } }),
  };
}

function refuse(code: IssuanceRefusalCode, field: string, message: string): IssuanceRefusal {
  return { ok: false, code, field, message };
}
