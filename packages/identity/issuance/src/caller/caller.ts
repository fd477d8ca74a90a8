import type { SourcedClaim, TokenPurpose } from '@colophon/records';

/** Where a caller's token comes from; it says how the token names repository, commit and event. */
export const CALLER_KINDS = ['github', 'gitlab', 'kubernetes', 'spiffe', 'oidc'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** The claims that a forge's token can confirm. */
export const FORGE_CONFIRMS = ['repo', 'repo_uri', 'commit_sha', 'trigger'] as const;
/** A claim that a caller's token can confirm: what a forge says of a job, or who signed in. */
export const CONFIRMED_CLAIMS = [...FORGE_CONFIRMS, 'human_reviewer'] as const satisfies readonly (
  | SourcedClaim
  | 'trigger'
)[];
export type ConfirmedClaim = (typeof CONFIRMED_CLAIMS)[number];

/** One claim of a caller's token, and the whole values of which it must have one. */
export type CallerCondition = {
  /** Names of members, from the payload down. */
  readonly path: readonly string[];
  readonly values: readonly string[];
};

/** Which tokens of a trusted issuer are this caller's. */
export type CallerTokenRule = {
  readonly kind: CallerKind;
  /** Exact `iss`; of SPIFFE `spiffe://<trust domain>`. */
  readonly issuer: string;
  /** All of them hold. */
  readonly where: readonly CallerCondition[];
  /** Whether a token counts once. */
  readonly singleUse: boolean;
  /** Which claims of the identity token it confirms, and the claim of the caller's token that has each. */
  readonly confirms: { readonly [claim in ConfirmedClaim]?: readonly string[] };
};

/** What a caller may ask for: patterns of names. What is absent is not limited here. */
export type CallerRights = {
  readonly agents: readonly string[];
  readonly models?: readonly string[] | undefined;
  /** Names of policy packs. */
  readonly policyPacks?: readonly string[] | undefined;
  /** `<org>/<repo>`, or addresses. */
  readonly repositories?: readonly string[] | undefined;
  readonly audiences?: readonly string[] | undefined;
  readonly purposes?: readonly TokenPurpose[] | undefined;
  /** Whether it may hand in decisions of an admission webhook; no token says so. */
  readonly decisions?: boolean | undefined;
};

/** Somebody who may ask for tokens. */
export type Caller = {
  readonly name: string;
  readonly token?: CallerTokenRule | undefined;
  /** Whether API keys may be made for it. */
  readonly apiKey: boolean;
  readonly may: CallerRights;
};

/** What a verified credential says: whose API key it is, or what a trusted issuer says of its holder. */
export type CallerCredential =
  | { readonly kind: 'api-key'; readonly caller: string }
  | { readonly kind: 'token'; readonly issuer: string; readonly claims: Readonly<Record<string, unknown>> };
