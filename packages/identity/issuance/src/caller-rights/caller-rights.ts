import { compileNamePatterns, type NameMatch } from '@colophon/policy-file/name-pattern';
import type { ClaimSource, SourcedClaim, TokenPurpose } from '@colophon/records';
import type { CallerRights } from '../caller/caller.ts';

/** Every code with which a request is refused that its caller has no right to. */
export const RIGHT_REFUSAL_CODES = [
  'caller.agent_not_allowed',
  'caller.model_not_allowed',
  'caller.policy_pack_not_allowed',
  'caller.repository_not_allowed',
  'caller.audience_not_allowed',
  'caller.purpose_not_allowed',
] as const;
export type RightRefusalCode = (typeof RIGHT_REFUSAL_CODES)[number];

/** The rights of one caller, compiled once. */
export type CompiledRights = {
  readonly agents: NameMatch;
  readonly models: NameMatch | undefined;
  readonly policyPacks: NameMatch | undefined;
  readonly repositories: NameMatch | undefined;
  readonly audiences: NameMatch | undefined;
  readonly purposes: readonly TokenPurpose[];
  readonly decisions: boolean;
};

/** Purposes of a caller whose entry names none: a reviewer's token is asked for in another way. */
const DEFAULT_PURPOSES: readonly TokenPurpose[] = ['artifact', 'commit'];

/** Compiles what a caller may ask for. */
export function compileRights(may: CallerRights): CompiledRights {
  const optional = (patterns: readonly string[] | undefined) => patterns && compileNamePatterns(patterns);
  return {
    agents: compileNamePatterns(may.agents),
    models: optional(may.models),
    policyPacks: optional(may.policyPacks),
    repositories: optional(may.repositories),
    audiences: optional(may.audiences),
    purposes: may.purposes ?? DEFAULT_PURPOSES,
    decisions: may.decisions === true,
  };
}

/** What a token is about to say, and by whose word. */
export type ClaimedToken = {
  readonly purpose: TokenPurpose;
  readonly audience: string;
  readonly claims: { readonly [claim in SourcedClaim]?: string };
  readonly sources: { readonly [claim in SourcedClaim]?: ClaimSource };
  /** Name of the policy pack with the token's hash; undefined where the configuration knows none. */
  readonly policyPack: string | undefined;
  /** Models that answered in the run, whether or not the token names them. */
  readonly servedModels: readonly string[];
};

/** The first right that is missing: its code, the claim, and the rule's name in the caller's own entry. */
export type MissingRight = { readonly code: RightRefusalCode; readonly field: string; readonly rule: string };

/**
 * The right that a token would need and its caller does not have, or undefined. It is asked for what the token will say,
 * whoever says it: a claim that the caller's own token confirms needs the right too.
 */
export function missingRight(rights: CompiledRights, token: ClaimedToken): MissingRight | undefined {
  const { purpose, audience, claims, policyPack, servedModels } = token;
  const isAllowed = (match: NameMatch | undefined, name: string | undefined) =>
    match === undefined || (name !== undefined && match(name));
  if (!rights.purposes.includes(purpose)) return missing('purpose', 'purpose', 'purposes');
  if (purpose !== 'review' && !isAllowed(rights.agents, claims.agent_name))
    return missing('agent', 'agent_name', 'agents');
  const models = [claims.model_id, ...servedModels];
  if (purpose !== 'review' && !models.every((model) => isAllowed(rights.models, model))) {
    return missing('model', 'model_id', 'models');
  }
  if (purpose !== 'review' && !isAllowed(rights.policyPacks, policyPack)) {
    return missing('policy_pack', 'policy_pack_hash', 'policyPacks');
  }
  if (!isAllowed(rights.audiences, audience)) return missing('audience', 'audience', 'audiences');
  const field = strangeRepository(rights.repositories, token);
  return field && missing('repository', field, 'repositories');
}

/**
 * Which of the two names of a repository no pattern stands for. A name has no host, so it does not make an address
 * allowed, unless the caller's token says both.
 */
function strangeRepository(match: NameMatch | undefined, { claims, sources }: ClaimedToken): SourcedClaim | undefined {
  const { repo, repo_uri } = claims;
  if (match === undefined) return undefined;
  if (repo !== undefined && !match(repo)) return 'repo';
  if (repo_uri === undefined || match(repo_uri)) return undefined;
  const isConfirmed = sources.repo === 'caller-token' && sources.repo_uri === 'caller-token';
  return repo !== undefined && isConfirmed ? undefined : 'repo_uri';
}

type Right = RightRefusalCode extends `caller.${infer Name}_not_allowed` ? Name : never;

function missing(right: Right, field: string, rule: keyof CallerRights): MissingRight {
  return { code: `caller.${right}_not_allowed`, field, rule };
}
