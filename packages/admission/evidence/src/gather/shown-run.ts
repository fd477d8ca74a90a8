import type { GatheredRun } from './gathered-runs-result.ts';
import type { VerifiedRun } from './verified-run.ts';

/** A verified run as results show it: who signed, whose review counts, and whom the agent names who does not. */
export function shownRun({ run, bundle, url, loggedAt, review, identity }: VerifiedRun): GatheredRun {
  return {
    bundle_digest: bundle,
    url,
    certificate_identity: identity,
    commit_sha: run.git.commit_sha,
    integrated_at: loggedAt,
    changed_file_count: run.git.files_changed?.length ?? 0,
    ...(review && {
      review: {
        reviewer: review.reviewer.address,
        ...(review.reviewedAt === undefined ? {} : { reviewed_at: review.reviewedAt }),
        basis: review.basis,
      },
    }),
    ...claimedBy(run.human_review?.reviewer ?? identity.claims.human_reviewer, review),
  };
}

function claimedBy(claimed: string | undefined, review: VerifiedRun['review']) {
  return claimed === undefined || claimed === review?.reviewer.address ? {} : { claimed_reviewer: claimed };
}
