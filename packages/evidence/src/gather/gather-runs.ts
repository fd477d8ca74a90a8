import { kindOf } from '@colophon/fault';
import type { VerifiedSignature } from '@colophon/records';
import type { IdentityPolicy, TrustMaterial } from '@colophon/sigstore';
import { evidenceUrl, fetchEvidence } from '../client/evidence-client.ts';
import { EvidenceClientError } from '../client-error/client-error.ts';
import { reviewOfCommit } from '../commit-review/commit-review.ts';
import type { RefusedBundle } from './gathered-runs-result.ts';
import { conditionsOf, isChosen, type RunChoice } from './run-choice.ts';
import { findEntries } from './stored-entries.ts';
import { findReviews, isReviewBundle, verifyReview } from './stored-reviews.ts';
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
  /** Issuer whose e-mail certificates are people's, exactly; none where absent. An address without quotation marks. */
  readonly peopleIssuer?: string | undefined;
};

/** Runs, each with the review that counts for its commit. */
export type GatheredRuns = { readonly runs: readonly VerifiedRun[]; readonly refused: readonly RefusedBundle[] };

const BUNDLES_AT_ONCE = 8;

/**
 * Gathers the runs that are given and those that a choice finds in an evidence store, with the reviews of their commits;
 * every bundle is verified here. What a store gave and does not hold, or was not asked for, is in `refused`.
 * @throws EvidenceClientError `cli.no_evidence`, as findEntries; of a bundle that was given VerificationError too
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
  const refused: RefusedBundle[] = [];
  let firstRefusal: unknown;
  /** Takes what a server gave, or lists why it does not count. */
  const take = (id: string, work: () => void, onRefusal?: (error: unknown) => void) => {
    try {
      work();
    } catch (error) {
      // What carries no kind is an accident.
      if (kindOf(error) === undefined) throw error;
      const { code, message } = error as EvidenceClientError;
      onRefusal?.(error);
      refused.push({ bundle: `sha256:${id}`, code, message });
    }
  };
  if (stored !== undefined && conditions.length > 0) {
    const { server, choice } = stored;
    const ids = new Set<string>();
    for (const condition of conditions) for (const id of await findEntries(server, 'runs', condition)) ids.add(id);
    await eachAtOnce([...ids].sort(), BUNDLES_AT_ONCE, async (id) => {
      if (runs.has(`sha256:${id}`)) return;
      const bundle = await fetchEvidence(server, id);
      const work = () => {
        const run = verifyRun(bundle, evidenceUrl(server, id), { trust, policy });
        if (!isChosen(choice, run)) throw notAskedFor(run);
        runs.set(run.bundle, run);
      };
      take(id, work, (error) => {
        firstRefusal ??= error;
      });
    });
    const commits = [...runs.values()].map(({ run }) => run.git.commit_sha);
    await eachAtOnce(await findReviews(server, commits, peopleIssuer), BUNDLES_AT_ONCE, async (id) => {
      const bundle = await fetchEvidence(server, id);
      take(id, () => void reviews.push(verifyReview(bundle, ofReviews)));
    });
  }
  if (runs.size > 0) {
    const reviewed = [...runs.values()].map((run) => {
      const review = reviewOfCommit(run.run.git.commit_sha, reviews, run.identity, (issuer) => issuer === peopleIssuer);
      return review === undefined ? run : { ...run, review };
    });
    return { runs: reviewed, refused };
  }
  if (firstRefusal !== undefined) {
    const issues = refused.map(({ bundle, code, message }) => ({ code, message: `${bundle}: ${message}` }));
    throw new EvidenceClientError('cli.no_evidence', 'no agent run that was found is verified', {
      checked: conditions.join(' or '),
      issues,
      kind: kindOf(firstRefusal) ?? 'machine',
    });
  }
  const message = 'there is no agent run to mark by';
  if (conditions.length === 0) {
    throw new EvidenceClientError('cli.no_evidence', message, {
      checked: bundles.map(({ name }) => name).join(', '),
      expected: 'a bundle with an agent-run attestation beside it',
      found: `${reviews.length} review${reviews.length === 1 ? '' : 's'}`,
    });
  }
  throw new EvidenceClientError('cli.no_evidence', message, {
    checked: conditions.map((condition) => `runs where ${condition}`).join(' or '),
    next: `colophon query ${shellWord(`runs where ${conditions[0]}`)}`,
  });
}

function notAskedFor({ commits }: VerifiedRun): EvidenceClientError {
  return new EvidenceClientError('cli.evidence_refused', 'the evidence store gave a run that was not asked for', {
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

async function eachAtOnce<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const open = items.values();
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const item of open) await work(item);
    }),
  );
}
