import type { SourcedClaim } from '../claim/claim-table.ts';
import { claimsAgree } from '../claim/claims-agree.ts';
import type { Statement } from '../statement/statement.ts';
import { type RunSigner, SHARED_FIELDS, saidBySigner, statedAt } from './shared-field.ts';

/** A member of an agent-run statement that contradicts the certificate of its signer. */
export type RunContradiction = {
  /** Its place, dots between the names: below the predicate (`model.id`), or `subject.<index>.digest.gitCommit`. */
  readonly field: string;
  readonly stated: string;
  /** What stands against it; absent where a run names an agent and its signer is none. */
  readonly expected?: string;
};

/**
 * What an agent-run statement says and its signer denies; empty where they say one thing. This is the one rule for
 * signing, import, admission, questions and SBOM marks.
 *
 * Agent, version, model, provider, prompt, policy, repository, commit and review are equal where both speak, by
 * claimsAgree. A claim that is absent or `unknown` is silent, except the agent: a run stands for its agent only with that
 * agent's certificate, so a build runner's or a reviewer's is a contradiction. A subject with a `gitCommit` names the
 * commit of the run.
 *
 * @see contract §2.1, §2.3
 */
export function runContradictions(
  { subject, predicate }: Pick<Statement, 'subject' | 'predicate'>,
  signer: RunSigner,
): RunContradiction[] {
  const found: RunContradiction[] = [];
  for (const { path, claim } of SHARED_FIELDS) {
    const stated = statedAt(predicate, path);
    if (stated === undefined) continue;
    const said = deniedBy(signer, claim, stated);
    if (said !== undefined) found.push({ field: path.join('.'), stated, ...said });
  }
  const commit = saidBySigner(signer, 'commit_sha') ?? statedAt(predicate, ['git', 'commit_sha']);
  for (const [index, { digest }] of subject.entries()) {
    const stated = digest['gitCommit'];
    if (stated === undefined || commit === undefined || claimsAgree('commit_sha', stated, commit)) continue;
    found.push({ field: `subject.${index}.digest.gitCommit`, stated, expected: commit });
  }
  return found;
}

function deniedBy(signer: RunSigner, claim: SourcedClaim, stated: string): { expected?: string } | undefined {
  if (claim === 'agent_name' && saidBySigner(signer, claim) === undefined) return {};
  // Name and address both identify one repository: each is compared with both.
  const claims: readonly SourcedClaim[] = claim === 'repo' || claim === 'repo_uri' ? ['repo', 'repo_uri'] : [claim];
  for (const one of claims) {
    const expected = saidBySigner(signer, one);
    if (expected !== undefined && !claimsAgree(claim, stated, expected)) return { expected };
  }
  return undefined;
}
