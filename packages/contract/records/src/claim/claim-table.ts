import {
  agentName,
  type ClaimForm,
  commitId,
  digest,
  pathSegment,
  person,
  repository,
  repositoryUri,
  time,
  treeId,
  word,
} from './claim-form.ts';

/** What a token is for: to sign an artifact, a commit that has no id yet, or a reviewer's own review. */
export const TOKEN_PURPOSES = ['artifact', 'commit', 'review'] as const;
export type TokenPurpose = (typeof TOKEN_PURPOSES)[number];

/** What is decided once of each claim that says something about the run. */
type Claim = {
  readonly form: ClaimForm;
  /** Its own extension in a certificate, `<arc>.<number>`. Numbers are never reused. */
  readonly arcNumber: number;
  /** Purposes whose requests may carry it and need not. */
  readonly optionalFor: readonly TokenPurpose[];
};

/**
 * The claims that have a source of their own, in the order in which sources are written. Beside a row here a claim has
 * whom we believe about it (issuance/src/claim-rule) and its flag (cli/src/run-context).
 */
export const CLAIMS = {
  agent_name: { form: agentName, arcNumber: 6, optionalFor: [] },
  agent_version: { form: word, arcNumber: 7, optionalFor: [] },
  model_id: { form: word, arcNumber: 8, optionalFor: [] },
  model_provider: { form: pathSegment, arcNumber: 9, optionalFor: ['artifact', 'commit'] },
  policy_pack_hash: { form: digest, arcNumber: 10, optionalFor: [] },
  prompt_hash: { form: digest, arcNumber: 11, optionalFor: [] },
  human_reviewer: { form: person, arcNumber: 12, optionalFor: ['commit'] },
  review_timestamp: { form: time, arcNumber: 13, optionalFor: ['artifact'] },
  repo: { form: repository, arcNumber: 14, optionalFor: ['artifact', 'commit', 'review'] },
  repo_uri: { form: repositoryUri, arcNumber: 20, optionalFor: ['artifact', 'commit', 'review'] },
  commit_sha: { form: commitId, arcNumber: 15, optionalFor: ['artifact', 'review'] },
  // What is known of a commit before it has an id: its tree, and its first parent. A root commit has none.
  tree_sha: { form: treeId, arcNumber: 22, optionalFor: ['artifact'] },
  parent_sha: { form: commitId, arcNumber: 23, optionalFor: ['artifact', 'commit'] },
} as const satisfies Readonly<Record<string, Claim>>;

export type SourcedClaim = keyof typeof CLAIMS;

/** One of something for each of them. */
export type PerClaim<T> = { readonly [claim in SourcedClaim]: T };

/** Claims that say something about the run and so have a source of their own. */
export const SOURCED_CLAIMS = Object.keys(CLAIMS) as readonly SourcedClaim[];

/** The claims that a request of a purpose may carry and need not. */
export type OptionalClaim<Purpose extends TokenPurpose> = {
  [claim in SourcedClaim]: Purpose extends (typeof CLAIMS)[claim]['optionalFor'][number] ? claim : never;
}[SourcedClaim];

/** The same as a list. */
export function optionalClaims(purpose: TokenPurpose): readonly SourcedClaim[] {
  return SOURCED_CLAIMS.filter((claim) => (CLAIMS[claim] as Claim).optionalFor.includes(purpose));
}

/** The form of a claim's value. */
export function formOf(claim: SourcedClaim): ClaimForm {
  return CLAIMS[claim].form;
}
