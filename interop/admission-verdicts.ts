import { RUN_PREDICATE } from './colophon-up.ts';
import { GOOD_REVIEW, OTHER_COMMIT, REVIEW_TYPE } from './review-predicates.ts';
import type { ReviewedImages } from './reviewed-images.ts';

/** The programs that decide, in the order of the table in docs/other-controllers.md. */
export const DECIDERS = ['colophon admit', 'cosign', 'policy-controller'] as const;
export type Decider = (typeof DECIDERS)[number];

/** What each program says of one kind of image. */
export type Verdict = {
  readonly image: string;
  readonly make: (images: ReviewedImages) => Promise<string>;
  /** Who lets it pass. */
  readonly admitted: readonly Decider[];
  /** Asked on every change; the others only in the long run. */
  readonly isBasic?: true;
  /** Where they differ, the keys in the generated list that say so. */
  readonly gaps?: Partial<Record<Decider, string>>;
};

const ALL: readonly Decider[] = DECIDERS;
const NOBODY: readonly Decider[] = [];
const OTHERS: readonly Decider[] = ['cosign', 'policy-controller'];
const BOB = { by: 'bob@example.com' };
/** Rejected without an image, so of no other image here. */
const REJECTED_COMMIT = 'c'.repeat(40);

const reviewed = (change: object | undefined) => async (images: ReviewedImages) => {
  const image = await images.signed();
  const predicate = change === undefined ? {} : { ...GOOD_REVIEW, ...change };
  await images.attest(image, predicate);
  return image;
};
const bad = (image: string, change: object | undefined): Verdict => ({
  image,
  make: reviewed(change),
  admitted: NOBODY,
});
const { human_reviewer: _, ...WITHOUT_REVIEWER } = GOOD_REVIEW;
const without = (predicate: object) => async (images: ReviewedImages) => {
  const image = await images.signed();
  await images.attest(image, predicate);
  return image;
};

/** Under a policy that names two agents and everybody who reviews. */
export const VERDICTS: readonly Verdict[] = [
  { image: 'signed by the agent, approved by a reviewer', make: reviewed({}), admitted: ALL, isBasic: true },
  { image: 'without a review', make: (images) => images.signed(), admitted: NOBODY, isBasic: true },
  { image: 'without a signature and a review', make: (images) => images.unsigned(), admitted: NOBODY, isBasic: true },
  {
    image: 'signed by an agent outside the list',
    make: async (images) => {
      const image = await images.signed({ agent: 'code-writer-2' });
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: NOBODY,
    isBasic: true,
  },
  { ...bad('`human_reviewer` empty', { human_reviewer: '' }), isBasic: true },
  { ...bad('`human_reviewer` of spaces and tabs', { human_reviewer: ' \t ' }), isBasic: true },
  bad('`human_reviewer` of characters without width', { human_reviewer: '\u200b\ufeff' }),
  { ...bad('`human_reviewer` null', { human_reviewer: null }), isBasic: true },
  bad('`human_reviewer` no text', { human_reviewer: ['alice@example.com'] }),
  bad('`human_reviewer` no address', { human_reviewer: 'Alice' }),
  { image: '`human_reviewer` missing', make: without(WITHOUT_REVIEWER), admitted: NOBODY, isBasic: true },
  bad('`review_timestamp` empty', { review_timestamp: '' }),
  bad('`review_timestamp` blank', { review_timestamp: ' ' }),
  bad('`review_timestamp` null', { review_timestamp: null }),
  bad('`review_timestamp` on no day', { review_timestamp: '2026-02-30T10:00:00Z' }),
  {
    image: '`review_timestamp` missing',
    make: without({ human_reviewer: GOOD_REVIEW.human_reviewer }),
    admitted: NOBODY,
  },
  { image: 'predicate `{}`', make: without({}), admitted: NOBODY },
  {
    image: 'a review of another predicate type',
    make: async (images) => {
      const image = await images.signed();
      await images.attest(image, GOOD_REVIEW, { type: 'https://example.com/agent-review/v1' });
      return image;
    },
    admitted: NOBODY,
  },
  {
    image: 'reviewed by the agent itself',
    make: async (images) => {
      const image = await images.signed();
      await images.attest(image, GOOD_REVIEW, { by: 'code-writer' });
      return image;
    },
    admitted: NOBODY,
    isBasic: true,
  },
  {
    image: 'reviewed, and signed by nobody',
    make: async (images) => {
      const image = await images.unsigned();
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: NOBODY,
  },
  {
    image: 'reviewed, and an agent-run statement in place of the signature',
    make: async (images) => {
      const image = await images.unsigned();
      await images.attest(image, RUN_PREDICATE, { by: 'code-writer', type: REVIEW_TYPE.replace('review', 'run') });
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: ['colophon admit', 'cosign'],
    gaps: { 'policy-controller': 'agent' },
  },
  {
    image: 'reviewed, and any other statement of the agent in place of the signature',
    make: async (images) => {
      const image = await images.unsigned();
      await images.attest(image, {}, { by: 'code-writer', type: 'https://example.com/note/v1' });
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: ['cosign'],
    gaps: { cosign: 'agent' },
  },
  {
    image: 'a review of another commit',
    make: reviewed({ commit_sha: OTHER_COMMIT }),
    admitted: OTHERS,
    gaps: { cosign: 'commit', 'policy-controller': 'commit' },
  },
  {
    image: 'a review that names another reviewer than its certificate',
    make: reviewed({ human_reviewer: 'bob@example.com' }),
    admitted: OTHERS,
    gaps: { cosign: 'reviewer', 'policy-controller': 'reviewer' },
  },
  {
    image: 'a review of the day after it was signed',
    make: reviewed({ review_timestamp: '2099-01-01T00:00:00Z' }),
    admitted: OTHERS,
    gaps: { cosign: 'time', 'policy-controller': 'time' },
  },
  { image: 'rejected', make: reviewed({ decision: 'rejected' }), admitted: NOBODY },
  {
    image: 'approved, and rejected by another reviewer',
    make: async (images) => {
      const image = await images.signed();
      await images.review('approve', image);
      await images.review('reject', image, BOB);
      return image;
    },
    admitted: ['policy-controller'],
    gaps: { 'policy-controller': 'rejections' },
  },
  {
    image: 'approved, and its commit rejected',
    make: async (images) => {
      const image = await images.signed({ commit: REJECTED_COMMIT });
      await images.review('approve', image, { commit: REJECTED_COMMIT });
      await images.review('reject', undefined, { ...BOB, commit: REJECTED_COMMIT });
      return image;
    },
    admitted: OTHERS,
    gaps: { cosign: 'rejections', 'policy-controller': 'rejections' },
  },
  {
    image: 'rejected, and later approved by the same reviewer',
    make: async (images) => {
      const image = await images.signed();
      await images.review('reject', image);
      // The certificate of the approval is younger by a second.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await images.review('approve', image);
      return image;
    },
    admitted: ['colophon admit', 'policy-controller'],
    gaps: { cosign: 'rejections' },
  },
  {
    image: 'two reviews, one of them blank',
    make: async (images) => {
      const image = await images.signed();
      await images.attest(image, { ...GOOD_REVIEW, human_reviewer: ' ' });
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: ['colophon admit', 'policy-controller'],
    gaps: { cosign: 'review' },
  },
  {
    image: 'of a repository that no policy covers',
    make: async (images) => {
      const image = await images.signed({ repository: 'elsewhere' });
      await images.attest(image, GOOD_REVIEW);
      return image;
    },
    admitted: ['cosign'],
    gaps: { cosign: 'images' },
  },
];

/** Under `profile: spec`, where the agent signs the review too. */
export const SPEC_VERDICTS: readonly Verdict[] = [
  ['with a review of the agent, and no signature beside it', GOOD_REVIEW, ALL],
  ['`human_reviewer` empty', { ...GOOD_REVIEW, human_reviewer: '' }, NOBODY],
  ['`human_reviewer` null', { ...GOOD_REVIEW, human_reviewer: null }, NOBODY],
  ['`human_reviewer` missing', WITHOUT_REVIEWER, NOBODY],
  ['predicate `{}`', {}, NOBODY],
  ['`human_reviewer` no address', { ...GOOD_REVIEW, human_reviewer: 'Alice' }, ALL],
  ['`human_reviewer` of spaces and tabs', { ...GOOD_REVIEW, human_reviewer: ' \t ' }, ['colophon admit'] as const],
].map(([image, predicate, admitted]) => ({
  image: image as string,
  make: async (images: ReviewedImages) => {
    const reference = await images.unsigned();
    await images.attest(reference, predicate, { by: 'code-writer' });
    return reference;
  },
  admitted: admitted as readonly Decider[],
  ...([GOOD_REVIEW, WITHOUT_REVIEWER].includes(predicate as typeof GOOD_REVIEW) ? { isBasic: true as const } : {}),
  ...(admitted === ALL || admitted === NOBODY
    ? {}
    : { gaps: { cosign: 'review', 'policy-controller': 'review' } as const }),
}));
