import { basename } from 'node:path';
import { reviewOfCommit } from '@colophon/evidence';
import { kindOf } from '@colophon/fault';
import type { VerifiedSignature } from '@colophon/records';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { evidenceUrl, fetchEvidence } from '../evidence-client/evidence-client.ts';
import { issuerUrl } from '../home/issuer-url.ts';
import { readInput } from '../input/input.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { reportOf } from '../report/report.ts';
import { counted, shellWord } from '../terminal/terminal.ts';
import { identityPolicy, trustMaterial, type VerificationFlags } from '../verification-flags/verification-flags.ts';
import { type VerifiedRun, verifyRun } from './run-evidence.ts';
import { findEntries } from './stored-entries.ts';
import { findReviews, isReviewBundle, reviewerPolicy, verifyReview } from './stored-reviews.ts';
import { conditionsOf, isChosen, type RunChoice } from './stored-runs.ts';

/** Which runs, by whom, and where they are. */
export type GatherFlags = VerificationFlags &
  RunChoice & { readonly issuer?: string; readonly bundle?: readonly string[] };

/** A bundle that was looked at and does not count, and why. */
export type Refused = { readonly bundle: string; readonly code: string; readonly message: string };
/** Runs, each with the review that counts for its commit. */
export type GatheredRuns = { readonly runs: readonly VerifiedRun[]; readonly refused: readonly Refused[] };

const BUNDLES_AT_ONCE = 8;

/**
 * Gathers the runs that the flags choose, from files and the evidence store, and the reviews of their commits; every
 * bundle is verified here. What does not hold, or was not asked for, is in `refused`.
 * @throws CliError `cli.no_evidence` (exit 10, or that of the first refusal), as findEntries; of a file that was named
 * VerificationError too
 */
export async function gatherRuns(flags: GatherFlags, command: Command, session: Session): Promise<GatheredRuns> {
  // What the caller wants pinned is checked before anything is read or asked.
  const policy = identityPolicy(flags);
  const { trust } = await trustMaterial(flags, command, session);
  const ofReviews = { trust, policy: reviewerPolicy(flags) };
  const runs = new Map<string, VerifiedRun>();
  const reviews: VerifiedSignature[] = [];
  for (const file of flags.bundle ?? []) {
    const bundle = await readInput(file);
    try {
      if (isReviewBundle(bundle, trust.namespace.predicateBase)) {
        reviews.push(verifyReview(bundle, ofReviews));
        continue;
      }
      const run = verifyRun(bundle, encodeURI(basename(file)), { trust, policy });
      runs.set(run.bundle, run);
    } catch (error) {
      const facts = { checked: file, expected: 'a bundle with an agent-run attestation' };
      throw error instanceof Error ? Object.assign(error, { facts: { ...facts, ...factsOf(error) } }) : error;
    }
  }
  const conditions = conditionsOf(flags);
  const refused: Refused[] = [];
  let firstRefusal: unknown;
  /** Takes what a server gave, or lists why it does not count. */
  const take = (id: string, work: () => void, onRefusal?: (error: unknown) => void) => {
    try {
      work();
    } catch (error) {
      const { code, message } = reportOf(error);
      if (code === 'cli.internal') throw error;
      onRefusal?.(error);
      refused.push({ bundle: `sha256:${id}`, code, message });
    }
  };
  if (conditions.length > 0) {
    const server = issuerUrl(session.env, dataFlag(command), flags.issuer);
    const ids = new Set<string>();
    for (const condition of conditions) for (const id of await findEntries(server, 'runs', condition)) ids.add(id);
    await eachAtOnce([...ids].sort(), BUNDLES_AT_ONCE, async (id) => {
      if (runs.has(`sha256:${id}`)) return;
      const bundle = await fetchEvidence(server, id);
      const work = () => {
        const run = verifyRun(bundle, evidenceUrl(server, id), { trust, policy });
        if (!isChosen(flags, run)) throw notAskedFor(run);
        runs.set(run.bundle, run);
      };
      take(id, work, (error) => {
        firstRefusal ??= error;
      });
    });
    const commits = [...runs.values()].map(({ run }) => run.git.commit_sha);
    await eachAtOnce(await findReviews(server, commits), BUNDLES_AT_ONCE, async (id) => {
      const bundle = await fetchEvidence(server, id);
      take(id, () => void reviews.push(verifyReview(bundle, ofReviews)));
    });
  }
  if (runs.size > 0) {
    const reviewed = [...runs.values()].map((run) => {
      const review = reviewOfCommit(run.run.git.commit_sha, reviews, run.identity);
      return review === undefined ? run : { ...run, review };
    });
    return { runs: reviewed, refused };
  }
  if (firstRefusal !== undefined) {
    const issues = refused.map(({ bundle, code, message }) => ({ code, message: `${bundle}: ${message}` }));
    throw new CliError('cli.no_evidence', 'no agent run that was found is verified', {
      checked: conditions.join(' or '),
      issues,
      kind: kindOf(firstRefusal) ?? 'machine',
    });
  }
  const message = 'there is no agent run to mark by';
  if (conditions.length === 0) {
    throw new CliError('cli.no_evidence', message, {
      checked: (flags.bundle ?? []).join(', '),
      expected: 'a bundle with an agent-run attestation beside it',
      found: counted(reviews.length, 'review'),
    });
  }
  throw new CliError('cli.no_evidence', message, {
    checked: conditions.map((condition) => `runs where ${condition}`).join(' or '),
    next: `colophon query ${shellWord(`runs where ${conditions[0]}`)}`,
  });
}

function notAskedFor({ commits }: VerifiedRun): CliError {
  return new CliError('cli.evidence_refused', 'the evidence store gave a run that was not asked for', {
    expected: 'a run about the commit or artifact',
    found: `one about ${commits.join(', ') || 'no commit'}`,
  });
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
