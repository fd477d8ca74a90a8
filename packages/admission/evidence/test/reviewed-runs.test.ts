import { describe, expect, it, onTestFinished } from 'vitest';
import { ARTIFACT, COMMIT, type Kept, type RunChanges, witnessedRuns } from './witnessed-runs.ts';

const OTHER_ARTIFACT = 'b'.repeat(64);
const OTHER_COMMIT = '2'.repeat(40);

const reviewed = ({ find }: Pick<Kept, 'find'>) => find('runs where reviewed = true order by sequence');
const unreviewed = ({ find }: Pick<Kept, 'find'>) => find('runs where reviewed = false order by sequence');

const REVIEWS: ReadonlyArray<[string, Parameters<Kept['keepReview']>[0]]> = [
  ['its commit', { commit_sha: COMMIT }],
  ['its artifact', { artifact: ARTIFACT }],
  ['both', { commit_sha: COMMIT, artifact: ARTIFACT }],
  ['its commit, as git has it in its subject', { digest: { gitCommit: COMMIT } }],
  ['its commit, as older tools write it', { digest: { sha1: COMMIT } }],
];

const BEFORE = '2026-11-21T08:00:00Z';
const LATER = '2026-11-21T11:00:00Z';

describe.each(REVIEWS)('a run is reviewed by an approval of %s', (_what, review) => {
  it('that comes after it', async () => {
    const kept = witnessedRuns(onTestFinished);
    const run = await kept.keepRun();
    expect([reviewed(kept), unreviewed(kept)]).toEqual([[], [run]]);
    await kept.keepReview(review);
    expect([reviewed(kept), unreviewed(kept)]).toEqual([[run], []]);
  });

  it.each([LATER, '2026-11-21T10:02:00Z'])('that was kept before it, and that the log took at %s', async (at) => {
    const kept = witnessedRuns(onTestFinished);
    await kept.keepReview({ ...review, at });
    await kept.keepReview({ ...review, at: BEFORE });
    const run = await kept.keepRun();
    expect([reviewed(kept), unreviewed(kept)]).toEqual([[run], []]);
  });

  it('and not by one that is older, whichever was kept first', async () => {
    for (const isFirst of [true, false]) {
      const kept = witnessedRuns(onTestFinished);
      if (isFirst) await kept.keepReview({ ...review, at: BEFORE });
      const run = await kept.keepRun();
      if (!isFirst) await kept.keepReview({ ...review, at: BEFORE });
      expect([reviewed(kept), unreviewed(kept)]).toEqual([[], [run]]);
    }
  });
});

describe('a run is not reviewed', () => {
  it.each<[string, Parameters<Kept['keepReview']>[0]]>([
    ['another commit and another artifact', { commit_sha: OTHER_COMMIT, artifact: OTHER_ARTIFACT }],
    ['nothing that it is about', {}],
    ['its commit, to reject it', { commit_sha: COMMIT, decision: 'rejected' }],
    ['its artifact, to reject it', { artifact: ARTIFACT, decision: 'rejected' }],
    ['its artifact, without a decision', { artifact: ARTIFACT, decision: undefined }],
    ['its commit, which the agent signed itself', { commit_sha: COMMIT, subject: 'agent:code-writer' }],
    ['its artifact, which the agent signed itself', { artifact: ARTIFACT, subject: 'agent:code-writer' }],
    ['its commit, which another person signed', { commit_sha: COMMIT, subject: 'reviewer:eve@example.com' }],
  ])('by a review of %s', async (_what, review) => {
    for (const isFirst of [true, false]) {
      const kept = witnessedRuns(onTestFinished);
      if (isFirst) await kept.keepReview({ ...review, at: LATER });
      const run = await kept.keepRun();
      if (!isFirst) await kept.keepReview(review);
      expect([reviewed(kept), unreviewed(kept)]).toEqual([[], [run]]);
    }
  });

  it('by its own word of a review', async () => {
    const kept = witnessedRuns(onTestFinished);
    const human_review = { reviewer: 'dana@example.com', reviewed_at: '2026-11-21T09:00:00Z', approved: true };
    const run = await kept.keepRun({ review: human_review });
    expect(unreviewed(kept)).toEqual([run]);
    expect(kept.find('runs where human_review.reviewer = dana@example.com')).toEqual([run]);
  });
});

const MANY: ReadonlyArray<[string, RunChanges['subjects'], ReadonlyArray<Parameters<Kept['keepReview']>[0]>, boolean]> =
  [
    ['two artifacts', [{ sha256: OTHER_ARTIFACT }, { sha256: ARTIFACT }], [{ artifact: ARTIFACT }], false],
    [
      'two artifacts, each approved',
      [{ sha256: OTHER_ARTIFACT }, { sha256: ARTIFACT }],
      [{ artifact: ARTIFACT }, { artifact: OTHER_ARTIFACT }],
      true,
    ],
    ['two artifacts of its commit', [{ sha256: OTHER_ARTIFACT }, { sha256: ARTIFACT }], [{ commit_sha: COMMIT }], true],
    [
      'an artifact that has another kind of digest',
      [{ sha512: 'e' }, { sha256: ARTIFACT }],
      [{ artifact: ARTIFACT }],
      false,
    ],
    ['a commit', [{ gitCommit: COMMIT }], [{ commit_sha: COMMIT }], true],
    ['a commit, of which its artifact is approved', [{ gitCommit: COMMIT }], [{ artifact: ARTIFACT }], false],
  ];

it.each(MANY)(
  'a run of %s is reviewed where approvals cover all of it',
  async (_what, subjects, reviews, isReviewed) => {
    for (const isFirst of [true, false]) {
      const kept = witnessedRuns(onTestFinished);
      const keepReviews = async () => {
        for (const review of reviews) await kept.keepReview({ ...review, at: LATER });
      };
      if (isFirst) await keepReviews();
      const run = await kept.keepRun({ ...(subjects && { subjects }) });
      if (!isFirst) await keepReviews();
      expect([reviewed(kept), unreviewed(kept)]).toEqual(isReviewed ? [[run], []] : [[], [run]]);
    }
  },
);

describe('runs that were reviewed', () => {
  it('are all of the commit or the artifact that a review is about, and no others', async () => {
    const kept = witnessedRuns(onTestFinished);
    const ofCommit = await kept.keepRun({ artifact: OTHER_ARTIFACT });
    const ofArtifact = await kept.keepRun({ commit: OTHER_COMMIT });
    const ofNeither = await kept.keepRun({ commit: OTHER_COMMIT, artifact: OTHER_ARTIFACT });
    await kept.keepReview({ commit_sha: COMMIT });
    expect(reviewed(kept)).toEqual([ofCommit]);
    await kept.keepReview({ artifact: ARTIFACT });
    expect(reviewed(kept)).toEqual([ofCommit, ofArtifact]);
    expect(unreviewed(kept)).toEqual([ofNeither]);
  });

  it('find their artifacts and commits, and so do those that were not', async () => {
    const { keepRun, keepReview, find } = witnessedRuns(onTestFinished);
    await keepRun();
    await keepRun({ commit: OTHER_COMMIT, artifact: OTHER_ARTIFACT });
    await keepReview({ commit_sha: COMMIT });
    expect(find('artifacts where reviewed = true')).toEqual([ARTIFACT]);
    expect(find('artifacts where reviewed = false')).toEqual([OTHER_ARTIFACT]);
    expect(find('commits where reviewed = true')).toEqual([COMMIT]);
    expect(find('commits where reviewed = false')).toEqual([OTHER_COMMIT]);
  });

  it('stay reviewed over a restart, and are marked once by many reviews', async () => {
    const kept = witnessedRuns(onTestFinished);
    const run = await kept.keepRun();
    for (const decision of ['approved', 'rejected', 'approved'])
      await kept.keepReview({ commit_sha: COMMIT, decision });
    kept.reopen();
    expect(reviewed(kept)).toEqual([run]);
  });

  it('are found with what a witness saw of them', async () => {
    const { keepRun, keepReview, keepReceipt, find } = witnessedRuns(onTestFinished);
    const receipt = await keepReceipt();
    const run = await keepRun({ receipt });
    await keepRun({ receipt, commit: OTHER_COMMIT, artifact: OTHER_ARTIFACT });
    await keepReview({ artifact: ARTIFACT });
    expect(find('runs where reviewed = true and models.served = claude-opus-4-1')).toEqual([run]);
    expect(find('runs where reviewed = false and models.served = claude-opus-4-1')).toHaveLength(1);
  });
});
