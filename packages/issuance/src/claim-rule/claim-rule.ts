import type { ClaimSource, SourcedClaim, TokenPurpose } from '@colophon/records';

/** Who may supply a claim, and what happens when the request says something else. */
export type ClaimRule = {
  /** Strongest first; a source that is not listed here is not believed about this claim. */
  readonly sources: readonly ClaimSource[];
  /**
   * `refuse`: a request that contradicts the stronger source is a lie or a mistake, and gets no token.
   * `override`: the stronger source simply knows better, e.g. a pipeline that builds the merge of the commit that the
   * agent named.
   */
  readonly contradiction: 'refuse' | 'override';
};

const declaredOnly: ClaimRule = { sources: ['declared'], contradiction: 'refuse' };

const ofTheRepository: ClaimRule = { sources: ['caller-token', 'declared'], contradiction: 'override' };

/**
 * The rule of precedence, claim by claim: which claims a token of each purpose carries and whom we believe about them
 * (contract §2.1 leaves open how they reach the token). `declared` is the request itself. A model's identifier is what
 * the provider answered (contract §9), so a witness wins there; the time of a review is the review event's.
 */
export const CLAIM_RULES: Readonly<Record<TokenPurpose, { readonly [claim in SourcedClaim]?: ClaimRule }>> = {
  artifact: {
    agent_name: { sources: ['registry', 'declared'], contradiction: 'refuse' },
    agent_version: declaredOnly,
    model_id: { sources: ['witness-isolated', 'witness-same-host', 'declared'], contradiction: 'refuse' },
    model_provider: {
      sources: ['witness-isolated', 'witness-same-host', 'registry', 'declared'],
      contradiction: 'override',
    },
    policy_pack_hash: declaredOnly,
    prompt_hash: { sources: ['witness-isolated', 'witness-same-host', 'declared'], contradiction: 'refuse' },
    human_reviewer: { sources: ['review-event', 'declared'], contradiction: 'refuse' },
    review_timestamp: { sources: ['review-event', 'declared'], contradiction: 'refuse' },
    repo: ofTheRepository,
    repo_uri: ofTheRepository,
    commit_sha: ofTheRepository,
  },
  review: {
    human_reviewer: { sources: ['caller-token', 'declared'], contradiction: 'refuse' },
    repo: ofTheRepository,
    repo_uri: ofTheRepository,
    commit_sha: ofTheRepository,
  },
};
