import type { ClaimSource, SourcedClaim, TokenPurpose } from '@colophon/records';

/** Who may supply a claim, and what a source's word about it rests on. */
export type ClaimRule = {
  /** Strongest first; a source that is not listed here is not believed about this claim. */
  readonly sources: readonly ClaimSource[];
  /**
   * Sources that derive this claim from another one, and from which: their word is worth no more than that one's source.
   * It stands before this claim in SOURCED_CLAIMS.
   */
  readonly derivedFrom?: { readonly [source in ClaimSource]?: SourcedClaim };
};

const declaredOnly: ClaimRule = { sources: ['declared'] };

const ofTheRepository: ClaimRule = { sources: ['caller-token', 'declared'] };

/** What an agent's tokens say of the run, whatever they are for. */
const ofTheRun = {
  agent_name: { sources: ['registry', 'declared'] },
  agent_version: declaredOnly,
  model_id: { sources: ['witness-isolated', 'witness-same-host', 'declared'] },
  model_provider: {
    sources: ['witness-isolated', 'witness-same-host', 'registry', 'declared'],
    derivedFrom: { registry: 'model_id' },
  },
  policy_pack_hash: declaredOnly,
  prompt_hash: { sources: ['witness-isolated', 'witness-same-host', 'declared'] },
  human_reviewer: { sources: ['review-event', 'declared'] },
  repo: ofTheRepository,
  repo_uri: ofTheRepository,
  // A caller's token names the commit that started its job, which is not the one that is about to be made.
  tree_sha: declaredOnly,
  parent_sha: declaredOnly,
} as const satisfies { readonly [claim in SourcedClaim]?: ClaimRule };

/**
 * The rule of precedence, claim by claim: which claims a token of each purpose carries and whom we believe about them
 * (contract §2.1 leaves open how they reach the token). `declared` is the request itself. A model's identifier is what
 * the provider answered (contract §9), so a witness wins there; the time of a review is the review event's.
 *
 * The registry of models knows who serves a model only by the identifier that it is asked for; a review event tells when
 * a review was, and whose that is, the claim of the reviewer says.
 */
export const CLAIM_RULES: Readonly<Record<TokenPurpose, { readonly [claim in SourcedClaim]?: ClaimRule }>> = {
  artifact: {
    ...ofTheRun,
    review_timestamp: { sources: ['review-event', 'declared'], derivedFrom: { 'review-event': 'human_reviewer' } },
    commit_sha: ofTheRepository,
  },
  commit: ofTheRun,
  review: {
    human_reviewer: { sources: ['caller-token', 'declared'] },
    repo: ofTheRepository,
    repo_uri: ofTheRepository,
    commit_sha: ofTheRepository,
  },
};
