import { agentReviewType, type CertificateIdentity, CLAIM_SOURCES, type VerifiedSignature } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { reviewsOfCommits } from './commit-review.ts';

const COMMIT = '1'.repeat(40);
const OTHER = '2'.repeat(40);
const reviewOfCommit = (
  commit: string,
  reviews: readonly VerifiedSignature[],
  run?: CertificateIdentity,
  peopleIssuers?: readonly string[],
) => reviewsOfCommits(reviews, peopleIssuers)(commit, run);
const ISSUER = 'https://issuer.example';
const ALICE = { issuer: ISSUER, address: 'alice@example.com' };

type Said = {
  readonly subject?: string;
  readonly issuer?: string;
  readonly subject_type?: 'email';
  readonly claims?: CertificateIdentity['claims'];
  readonly predicate?: object;
  readonly commits?: readonly string[];
  readonly images?: readonly string[];
  readonly at?: string;
  readonly type?: string;
};

/** A review by alice over the commit, unless it is said otherwise. */
function review({ subject = 'reviewer:alice@example.com', issuer = ISSUER, claims = {}, ...said }: Said = {}) {
  const byType = said.subject_type === undefined ? {} : { subject_type: said.subject_type };
  const { predicate = {}, commits = [COMMIT], images = [], at = '10:00:00', type = agentReviewType() } = said;
  return {
    certificate_identity: { issuer, subject, ...byType, claims, sources: {} },
    certified_at: `2026-11-21T${at}Z`,
    log_entry: { log_index: 1, log_id: 'ee', integrated_at: `2026-11-21T${at}Z` },
    statement: {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        ...commits.map((gitCommit) => ({ digest: { gitCommit } })),
        ...images.map((sha256) => ({ digest: { sha256 } })),
      ],
      predicateType: type,
      predicate: {
        human_reviewer: 'alice@example.com',
        review_timestamp: `2026-11-21T${at}Z`,
        decision: 'approved',
        commit_sha: COMMIT,
        ...predicate,
      },
    },
  } satisfies VerifiedSignature;
}
const rejection = (said: Said = {}) => review({ ...said, predicate: { decision: 'rejected', ...said.predicate } });

describe('a review by an e-mail certificate', () => {
  const byMail: Said = { subject: 'alice@example.com', subject_type: 'email' };
  const named = [ISSUER];

  test('counts by the issuer that is named, and by no other', () => {
    expect(reviewOfCommit(COMMIT, [review(byMail)], undefined, named)).toMatchObject({
      reviewer: ALICE,
      basis: { source: 'review', signer: 'alice@example.com' },
    });
    expect(reviewOfCommit(COMMIT, [review(byMail)])).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [review(byMail)], undefined, [])).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [review({ subject: 'alice@example.com' })], undefined, named)).toBeUndefined();
  });

  test('no longer counts once the same person rejects the commit', () => {
    const reviews = [review(byMail), rejection({ ...byMail, at: '11:00:00' })];
    expect(reviewOfCommit(COMMIT, reviews, undefined, named)).toBeUndefined();
  });
});

test('a review without a decision counts, and takes no rejection back', () => {
  const late = review({ at: '12:00:00' });
  const { decision: _, ...predicate } = late.statement.predicate;
  const undecided = { ...late, statement: { ...late.statement, predicate } };
  expect(reviewOfCommit(COMMIT, [undecided])).toMatchObject({ reviewer: ALICE });
  expect(reviewOfCommit(COMMIT, [rejection({ at: '11:00:00' }), undecided])).toBeUndefined();
  const whole = review({ at: '13:00:00' });
  expect(reviewOfCommit(COMMIT, [rejection({ at: '11:00:00' }), undecided, whole])).toMatchObject({ reviewer: ALICE });
});

describe('a rejection in another spelling', () => {
  const approval = () => review({ at: '10:00:00' });
  const elsewhere = (said: Said) => rejection({ at: '11:00:00', ...said });

  test.each<[string, Said, boolean]>([
    ['in capital letters', { subject: 'reviewer:Alice@EXAMPLE.com' }, true],
    ['of another person', { subject: 'reviewer:bob@example.com' }, false],
    ['of another issuer', { subject: 'reviewer:Alice@example.com', issuer: 'https://other.example' }, false],
    ['with a tag', { subject: 'reviewer:alice+x@example.com' }, false],
  ])('%s: is heard: %s', (_title, said, isHeard) => {
    const found = reviewOfCommit(COMMIT, [approval(), elsewhere(said)]);
    expect(found === undefined).toBe(isHeard);
  });

  test('is taken back by a later approval in the usual one', () => {
    const reviews = [elsewhere({ subject: 'reviewer:Alice@example.com' }), review({ at: '12:00:00' })];
    expect(reviewOfCommit(COMMIT, reviews)).toMatchObject({ reviewer: ALICE });
  });
});

describe('an issuer in another spelling', () => {
  const slash = `${ISSUER}/`;

  test('takes back no rejection', () => {
    const no = rejection({ at: '10:00:00' });
    expect(reviewOfCommit(COMMIT, [no, review({ issuer: slash, at: '11:00:00' })])).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [no, review({ at: '11:00:00' })])).toMatchObject({ reviewer: ALICE });
  });

  test('may reject', () => {
    const no = rejection({ issuer: slash, at: '11:00:00' });
    expect(reviewOfCommit(COMMIT, [review({ at: '10:00:00' }), no])).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [review({ at: '12:00:00' }), no])).toBeUndefined();
  });
});

describe('a review that its reviewer signed', () => {
  const bySignature = { reviewer: ALICE, basis: { source: 'review', signer: 'reviewer:alice@example.com' } };

  test.each<[string, Said]>([
    ['names the commit in both places', {}],
    ['names the commit in the predicate alone', { commits: [] }],
    ['names the commit as a subject alone', { predicate: { commit_sha: undefined } }],
    ['names other commits as subjects too', { commits: [OTHER, COMMIT] }],
    ['is certified for the commit', { claims: { commit_sha: COMMIT } }],
    ['says no decision, as contract §2.4 has it', { predicate: { decision: undefined } }],
  ])('counts where it %s', (_title, said) => {
    // As it is read from a bundle: what is not said is not there.
    const signed = JSON.parse(JSON.stringify(review(said))) as VerifiedSignature;
    expect(reviewOfCommit(COMMIT, [signed])).toMatchObject(bySignature);
  });

  test.each<[string, Said]>([
    ['an agent signed it', { subject: 'agent:code-writer', claims: { human_reviewer: 'alice@example.com' } }],
    [
      'a build runner signed it',
      { subject: 'https://ci.example/b.yml', claims: { human_reviewer: 'alice@example.com' } },
    ],
    ['a certificate names her in no way of ours', { subject: 'alice@example.com' }],
    ['another person signed it', { subject: 'reviewer:bob@example.com' }],
    ['it names another commit', { commits: [OTHER], predicate: { commit_sha: OTHER } }],
    ['its subject is another commit', { commits: [OTHER] }],
    ['its predicate names another commit', { predicate: { commit_sha: OTHER } }],
    ['it is certified for another commit', { claims: { commit_sha: OTHER } }],
    ['it names no commit', { commits: [], predicate: { commit_sha: undefined } }],
    ['it rejects', { predicate: { decision: 'rejected' } }],
    ['its decision is spelled otherwise', { predicate: { decision: 'Approved' } }],
    ['it is a statement of another type', { type: 'https://slsa.dev/provenance/v1' }],
  ])('does not count where %s', (_title, said) => {
    const signed = JSON.parse(JSON.stringify(review(said))) as VerifiedSignature;
    expect(reviewOfCommit(COMMIT, [signed])).toBeUndefined();
  });

  test('by a review service counts for the person', () => {
    const signed = review({ subject: 'reviews:issuer.example', claims: { human_reviewer: 'alice@example.com' } });
    expect(reviewOfCommit(COMMIT, [signed])).toMatchObject({
      reviewer: ALICE,
      basis: { source: 'review', signer: 'reviews:issuer.example' },
    });
  });

  test('the newest counts, in whatever order they come', () => {
    const bob = review({
      subject: 'reviewer:bob@example.com',
      predicate: { human_reviewer: 'bob@example.com' },
      at: '10:00:01',
    });
    for (const reviews of [
      [review(), bob],
      [bob, review()],
    ]) {
      expect(reviewOfCommit(COMMIT, reviews)?.reviewer.address).toBe('bob@example.com');
    }
  });

  test('of two of one time, to the fraction of a second, the same counts in whatever order they come', () => {
    const by = (name: string, at: string) =>
      review({ subject: `reviewer:${name}@example.com`, predicate: { human_reviewer: `${name}@example.com` }, at });
    const newest = (reviews: VerifiedSignature[]) => reviewOfCommit(COMMIT, reviews)?.reviewer.address;
    for (const [reviews, name] of [
      [[by('bob', '10:00:00'), by('alice', '10:00:00.000')], 'alice'],
      [[by('alice', '10:00:00'), by('bob', '10:00:00.5')], 'bob'],
      [[by('alice', '10:00:00.5'), by('bob', '10:00:00.25')], 'alice'],
    ] as const) {
      expect([newest([...reviews]), newest(reviews.toReversed())]).toEqual(Array(2).fill(`${name}@example.com`));
    }
  });

  test('has the time that she states, and a plain signature beside it says nothing', () => {
    const { statement: _, ...plain } = review();
    expect(reviewOfCommit(COMMIT, [plain, review()])).toStrictEqual({
      ...bySignature,
      reviewedAt: '2026-11-21T10:00:00Z',
    });
  });

  test('a rejection that she took back stays so when somebody logs it again', () => {
    const no = rejection();
    const yes = review({ at: '10:00:01' });
    const again = { ...no, log_entry: { ...no.log_entry, integrated_at: '2026-11-21T10:05:00Z' } };
    expect(reviewOfCommit(COMMIT, [again, no, yes])).toBeDefined();
    expect(reviewOfCommit(COMMIT, [again, no, yes].toReversed())).toBeDefined();
    // By a certificate of its own it is a new one.
    const anew = { ...again, certified_at: '2026-11-21T10:04:59Z' };
    expect(reviewOfCommit(COMMIT, [anew, no, yes])).toBeUndefined();
  });

  test.each<[string, VerifiedSignature[], boolean]>([
    ['rejected later', [review(), rejection({ at: '10:00:01' })], false],
    ['rejected at the same time', [review(), rejection()], false],
    ['rejected before', [rejection(), review({ at: '10:00:01' })], true],
    ['rejected before, with an image', [rejection({ images: ['a'.repeat(64)] }), review({ at: '10:00:01' })], true],
    ['rejected later, with an image', [review(), rejection({ images: ['a'.repeat(64)], at: '10:00:01' })], false],
    ['rejected later among others', [review(), rejection({ commits: [OTHER, COMMIT], at: '10:00:01' })], false],
    ['rejected of another commit', [review(), rejection({ commits: [], predicate: { commit_sha: OTHER } })], true],
    ['rejected by another', [review(), rejection({ subject: 'reviewer:bob@example.com', at: '10:00:01' })], true],
    ['“rejected” by an agent', [review(), rejection({ subject: 'agent:code-writer', at: '10:00:01' })], true],
    ['rejected under another issuer', [review(), rejection({ issuer: 'https://other.example', at: '10:00:01' })], true],
    [
      'rejected through a review service',
      [review(), rejection({ subject: 'reviews:issuer.example', at: '10:00:01' })],
      false,
    ],
  ])('%s: %#', (_title, reviews, counts) => {
    for (const order of [reviews, reviews.toReversed()]) {
      expect(reviewOfCommit(COMMIT, order) !== undefined).toBe(counts);
    }
  });
});

describe('the reviewer in the run’s own certificate', () => {
  const run = (source: (typeof CLAIM_SOURCES)[number] | undefined): CertificateIdentity => ({
    issuer: ISSUER,
    subject: 'agent:code-writer',
    claims: { human_reviewer: 'alice@example.com', review_timestamp: '2026-11-21T10:00:00Z' },
    sources: source === undefined ? {} : { human_reviewer: source, review_timestamp: source },
  });

  test.each([undefined, ...CLAIM_SOURCES])('from the source %s', (source) => {
    expect(reviewOfCommit(COMMIT, [], run(source))).toEqual(
      source === 'review-event'
        ? {
            reviewer: ALICE,
            reviewedAt: '2026-11-21T10:00:00Z',
            basis: { source: 'review-event', signer: 'agent:code-writer' },
          }
        : undefined,
    );
  });

  test('a time that only the agent says is none', () => {
    const said = {
      ...run('review-event'),
      sources: { human_reviewer: 'review-event', review_timestamp: 'declared' } as const,
    };
    expect(reviewOfCommit(COMMIT, [], said)).not.toHaveProperty('reviewedAt');
  });

  test('a machine is none, and a person without a time is one', () => {
    const named = (claims: CertificateIdentity['claims']) => ({ ...run('review-event'), claims });
    expect(reviewOfCommit(COMMIT, [], named({ human_reviewer: 'noreply@anthropic.com' }))).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [], named({}))).toBeUndefined();
    const untimed = reviewOfCommit(COMMIT, [], named({ human_reviewer: 'alice@example.com' }));
    expect(untimed).toStrictEqual({
      reviewer: ALICE,
      basis: { source: 'review-event', signer: 'agent:code-writer' },
    });
  });

  test('stands behind a signed review, and falls by the same person’s rejection', () => {
    const bob = review({ subject: 'reviewer:bob@example.com', predicate: { human_reviewer: 'bob@example.com' } });
    expect(reviewOfCommit(COMMIT, [bob], run('review-event'))?.reviewer.address).toBe('bob@example.com');
    expect(reviewOfCommit(COMMIT, [rejection()], run('review-event'))).toBeUndefined();
    expect(reviewOfCommit(COMMIT, [rejection({ subject: 'agent:x' })], run('review-event'))).toBeDefined();
  });
});
