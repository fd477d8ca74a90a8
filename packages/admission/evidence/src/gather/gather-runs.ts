import { kindOf } from '@colophon/fault';
import { eachAtOnce } from '@colophon/peer';
import type { VerifiedSignature } from '@colophon/records';
import type { IdentityPolicy, TrustMaterial } from '@colophon/sigstore';
import { evidenceUrl, fetchEvidence } from '../client/evidence-client.ts';
import { EvidenceClientError } from '../client-error/client-error.ts';
import { reviewsOfCommits } from '../commit-review/commit-review.ts';
import type { RefusedBundle } from './gathered-runs-result.ts';
import { conditionsOf, isChosen, type RunChoice } from './run-choice.ts';
import { findEntries } from './stored-entries.ts';
import { findWords, isReviewBundle, verifyReview, verifyWord } from './stored-reviews.ts';
import { type VerifiedRun, verifyRun } from './verified-run.ts';

/** A bundle of a run, or of the review of a run. */
export type NamedBundle = {
  /** What errors call it. */
  readonly name: string;
  /** Where it can be had, as a mark that rests on it says. */
  readonly url: string;
  readonly bytes: Uint8Array;
};

/** Where runs come from; a server is asked only where there is a choice of its runs. */
export type RunSources = {
  readonly bundles?: readonly NamedBundle[];
  readonly stored?: { readonly server: string; readonly choice: RunChoice };
};

/** Whose signatures count. */
export type GatherTrust = {
  readonly trust: TrustMaterial;
  /** Of runs. */
  readonly policy: IdentityPolicy;
  /** Of reviews, see reviewerPolicy. */
  readonly reviewers: IdentityPolicy;
  /** Issuer whose e-mail certificates are people's, exactly; none where absent. */
  readonly peopleIssuer?: string | undefined;
};

/** Runs, each with the review that counts for its commit. */
export type GatheredRuns = { readonly runs: readonly VerifiedRun[]; readonly refused: readonly RefusedBundle[] };

/**
 * Gathers the runs that are given and those that a choice finds in an evidence store, with the reviews of their commits;
 * every bundle is verified here. What a store gave and does not hold, or was not asked for, is in `refused`.
 * @throws EvidenceClientError `evidence.no_run`, as findEntries; of a bundle that was given VerificationError too
 * @throws TypeError as conditionsOf
 */
export async function gatherRuns(
  { bundles = [], stored }: RunSources,
  { trust, policy, reviewers, peopleIssuer }: GatherTrust,
): Promise<GatheredRuns> {
  const conditions = stored === undefined ? [] : conditionsOf(stored.choice);
  const ofReviews = { trust, policy: reviewers, peopleIssuer };
  const runs = new Map<string, VerifiedRun>();
  const reviews: VerifiedSignature[] = [];
  for (const { name, url, bytes } of bundles) {
    try {
      if (isReviewBundle(bytes, trust.namespace.predicateBase)) {
        reviews.push(verifyReview(bytes, ofReviews));
        continue;
      }
      const run = verifyRun(bytes, url, { trust, policy });
      runs.set(run.bundle, run);
    } catch (error) {
      const facts = { checked: name, expected: 'a bundle with an agent-run attestation' };
      throw error instanceof Error ? Object.assign(error, { facts: { ...facts, ...factsOf(error) } }) : error;
    }
  }
  const refusals: { readonly bundle: string; readonly error: unknown }[] = [];
  if (stored !== undefined && conditions.length > 0) {
    const { server, choice } = stored;
    /** What is verified of the bundles with these numbers, in their order; the rest is kept with its reason. */
    const verified = async <T>(ids: readonly string[], verify: (bundle: Uint8Array, id: string) => T) => {
      const answers = await eachAtOnce(ids, async (id) => {
        const bundle = await fetchEvidence(server, id);
        try {
          return { ok: true as const, value: verify(bundle, id) };
        } catch (error) {
          // What carries no kind is an accident.
          if (kindOf(error) === undefined) throw error;
          return { ok: false as const, bundle: `sha256:${id}`, error };
        }
      });
      refusals.push(...answers.filter((answer) => !answer.ok));
      return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    };
    const ids = new Set<string>();
    for (const condition of conditions) for (const id of await findEntries(server, 'runs', condition)) ids.add(id);
    const unknown = [...ids].filter((id) => !runs.has(`sha256:${id}`)).sort();
    const found = await verified(unknown, (bundle, id) => {
      const run = verifyRun(bundle, evidenceUrl(server, id), { trust, policy });
      if (!isChosen(choice, run)) throw notAskedFor(run);
      return run;
    });
    for (const run of found) runs.set(run.bundle, run);
    const commits = [...runs.values()].map(({ run }) => run.git.commit_sha);
    const words = await verified(await findWords(server, commits, peopleIssuer), (bundle) =>
      verifyWord(bundle, ofReviews),
    );
    reviews.push(...words.filter((word) => word !== undefined));
  }
  const refused: readonly RefusedBundle[] = refusals.map(({ bundle, error }) => {
    const { code, message } = error as EvidenceClientError;
    return { bundle, code, message };
  });
  if (runs.size > 0) {
    const reviewOf = reviewsOfCommits(reviews, peopleIssuer === undefined ? [] : [peopleIssuer]);
    const reviewed = [...runs.values()].map((run) => {
      const review = reviewOf(run.run.git.commit_sha, run.identity);
      return review === undefined ? run : { ...run, review };
    });
    return { runs: reviewed, refused };
  }
  const [firstRefusal] = refusals;
  if (firstRefusal !== undefined) {
    const issues = refused.map(({ bundle, code, message }) => ({ code, message: `${bundle}: ${message}` }));
    throw new EvidenceClientError('evidence.no_run', 'no agent run that was found is verified', {
      checked: conditions.join(' or '),
      issues,
      kind: kindOf(firstRefusal.error) ?? 'machine',
    });
  }
  const message = 'there is no agent run to mark by';
  if (conditions.length === 0) {
    throw new EvidenceClientError('evidence.no_run', message, {
      checked: bundles.map(({ name }) => name).join(', '),
      expected: 'a bundle with an agent-run attestation beside it',
      found: `${reviews.length} review${reviews.length === 1 ? '' : 's'}`,
    });
  }
  throw new EvidenceClientError('evidence.no_run', message, {
    checked: conditions.map((condition) => `runs where ${condition}`).join(' or '),
    next: `colophon query ${shellWord(`runs where ${conditions[0]}`)}`,
  });
}

function notAskedFor({ commits }: VerifiedRun): EvidenceClientError {
  return new EvidenceClientError('evidence.refused', 'the evidence store gave a run that was not asked for', {
    expected: 'a run about the commit or artifact',
    found: `one about ${commits.join(', ') || 'no commit'}`,
  });
}

/** A text with blanks as one word for a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function factsOf(error: Error): object {
  return (error as { facts?: object }).facts ?? {};
}
