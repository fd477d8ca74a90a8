import type { ClaimSource, SourcedClaim } from '@colophon/records';
import type { KnownCaller } from '../caller/caller-book.ts';
import type { Registry } from '../registry/registry.ts';

/** What somebody other than the caller's request confirms: a verified token, a review event, a receipt, a registry. */
export type ClaimEvidence = {
  readonly source: Exclude<ClaimSource, 'declared'>;
  readonly claims: { readonly [claim in SourcedClaim]?: string };
};

/** Everything that decideClaims needs beside the request; all of it is the issuer's own, or verified by it. */
export type IssuanceContext = {
  /** The issuer's URL. */
  readonly issuer: string;
  /** The audiences that may be asked for; the first one is that of a request that names none. */
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly lifetimeSeconds: number;
  readonly jti: string;
  /** The agent's id that is never reassigned; left out of a reviewer's token. */
  readonly agentId?: string;
  /** The caller's verified event, e.g. `pull_request`; never from a request. */
  readonly trigger?: string;
  readonly evidence?: readonly ClaimEvidence[];
  /** Models that a witness saw answer beside the one that the token names. */
  readonly servedModels?: readonly string[];
  /** Who asks; absent where nobody is asked who they are. */
  readonly caller?: Pick<KnownCaller, 'name' | 'rights'>;
  /** What the operator says of agents, models and policy packs. */
  readonly registry?: Registry;
  /** Claims without which a strict configuration issues no token to an agent, where the token's purpose has them. */
  readonly requiredClaims?: readonly SourcedClaim[];
  /** Sources without one of which a strict configuration issues no token that could carry the claim. */
  readonly requiredSources?: { readonly [claim in SourcedClaim]?: readonly ClaimSource[] };
};

/** @throws TypeError where the issuer itself is wired wrongly; nothing of it depends on a request. */
export function assertIssuanceContext(context: IssuanceContext): void {
  const { issuer, audiences, issuedAt, lifetimeSeconds, jti } = context;
  if (issuer === '' || jti === '') throw new TypeError('issuer and jti must not be empty');
  if (audiences.length === 0 || audiences.includes('')) throw new TypeError('audiences must be named');
  if (!Number.isSafeInteger(issuedAt) || issuedAt < 0) throw new TypeError('issuedAt must be whole seconds');
  if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < 1) {
    throw new TypeError('lifetimeSeconds must be whole seconds, at least 1');
  }
}
