import { parseSha256, parseTimestamp } from '@colophon/notation';
import { parseCommitId } from '../commit-id/commit-id.ts';
import { repositoriesAgree } from '../repository/repositories-agree.ts';
import type { SourcedClaim } from './claim.ts';

/** The one spelling of a claim that can be written in several ways. */
const ONE_SPELLING: { readonly [claim in SourcedClaim]?: (text: string) => string | undefined } = {
  policy_pack_hash: parseSha256,
  prompt_hash: parseSha256,
  review_timestamp: parseTimestamp,
  commit_sha: (text) => parseCommitId(text.toLowerCase()),
};

/**
 * Whether two values of a claim mean the same: a hash with or without `sha256:`, a commit in either case, a time with
 * zeros behind it, a repository in two spellings. Whatever else a claim says is compared letter by letter.
 *
 * @see contract §2.1
 */
export function claimsAgree(claim: SourcedClaim, one: string, other: string): boolean {
  if (claim === 'repo' || claim === 'repo_uri') return repositoriesAgree(one, other);
  return canonicalClaim(claim, one) === canonicalClaim(claim, other);
}

/** The value as this program writes it; what cannot be read stays as it is. */
export function canonicalClaim(claim: SourcedClaim, value: string): string {
  return ONE_SPELLING[claim]?.(value) ?? value;
}
