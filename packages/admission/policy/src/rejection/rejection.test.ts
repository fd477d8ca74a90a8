import type { Statement, VerifiedSignature } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { rejects } from '../about/about.ts';
import { isNegativeReview } from '../meaning/meaning.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { approvalOf, type ReviewWord, rejectionOf, takesBack, takesBackFor } from './rejection.ts';

const COMMIT = 'a'.repeat(40);
const OTHER_COMMIT = 'b'.repeat(40);
const image = (digit: string) => `sha256:${digit.repeat(64)}`;
const APPROVAL = {
  human_reviewer: 'alice@example.com',
  review_timestamp: '2026-11-22T09:59:58Z',
  decision: 'approved',
};
const TYPE = 'https://any.example/predicates/agent-review/v1';

function signature({
  subject = 'reviewer:alice@example.com',
  predicate = { decision: 'rejected' } as unknown,
  subjects = [{ sha256: '1'.repeat(64) }, { gitCommit: COMMIT }] as Array<Record<string, string>>,
  predicateType = TYPE,
} = {}): VerifiedSignature {
  const statement = {
    subject: subjects.map((digest) => ({ digest })),
    predicateType,
    predicate,
  } as unknown as Statement;
  return {
    certificate_identity: { issuer: 'https://issuer.example', subject, claims: {}, sources: {} },
    statement,
    certified_at: '2026-11-22T09:59:50Z',
    log_entry: { log_index: 1, log_id: '00', integrated_at: '2026-11-22T10:00:00Z' },
  };
}

describe('rejectionOf', () => {
  test('says who, when and about what', () => {
    const predicate = { decision: 'rejected', review_timestamp: '2026-11-22T09:59:58Z', commit_sha: OTHER_COMMIT };
    const subjects = [{ sha256: 'A'.repeat(64) }, { sha256: 'a'.repeat(64) }, { gitCommit: COMMIT.toUpperCase() }];
    expect(rejectionOf(signature({ predicate, subjects }))).toStrictEqual({
      person: { issuer: 'https://issuer.example', address: 'alice@example.com' },
      subject: 'reviewer:alice@example.com',
      content: expect.stringMatching(/^[0-9a-f]{64}$/),
      integrated_at: '2026-11-22T10:00:00Z',
      certified_at: '2026-11-22T09:59:50Z',
      stated_at: '2026-11-22T09:59:58Z',
      images: [image('a')],
      commits: [COMMIT, OTHER_COMMIT],
    });
  });

  test('names nothing that is no digest and no commit, and no time that nothing vouches for', () => {
    const subjects = [{ sha256: 'a'.repeat(63) }, { sha256: '1'.repeat(64) }, { gitCommit: 'abc' }, { sha1: COMMIT }];
    const { certified_at: _, ...found } = signature({ subjects, predicate: { decision: 'rejected', commit_sha: 'x' } });
    const rejection = rejectionOf(found);
    expect(rejection).toMatchObject({ images: [image('1')], commits: [COMMIT] });
    expect(rejection).not.toHaveProperty('certified_at');
  });

  test('has one content for every copy, and another for every other word', () => {
    const { log_entry: log, ...rest } = signature();
    const content = rejectionOf(signature())?.content;
    const again = { ...rest, log_entry: { ...log, log_index: 7, integrated_at: '2026-11-22T10:05:00Z' } };
    expect(rejectionOf(again)?.content).toBe(content);
    for (const other of [{ subject: 'reviewer:bob@example.com' }, { predicate: { decision: 'no' } }]) {
      expect(rejectionOf(signature(other))?.content).not.toBe(content);
    }
    const byService = (human_reviewer: string) => {
      const service = signature({ subject: 'reviews:issuer.example' });
      return rejectionOf({
        ...service,
        certificate_identity: { ...service.certificate_identity, claims: { human_reviewer } },
      })?.content;
    };
    expect(byService('alice@example.com')).not.toBe(byService('bob@example.com'));
  });

  test('a time that is none is no stated time', () => {
    const found = rejectionOf(signature({ predicate: { decision: 'rejected', review_timestamp: 'yesterday' } }));
    expect(found).toBeDefined();
    expect(found).not.toHaveProperty('stated_at');
  });

  test.each([['Approved'], ['rejected'], [''], [null], [true], [['approved']]])(
    'a decision %j is a rejection and no approval',
    (decision) => {
      expect(rejectionOf(signature({ predicate: { decision } }))).toBeDefined();
      expect(approvalOf(signature({ predicate: { decision } }))).toBeUndefined();
    },
  );

  test.each([[{ decision: 'approved' }], [{}], [null], ['rejected']])('%j is no rejection', (predicate) => {
    expect(isNegativeReview(predicate)).toBe(false);
    expect(isNegativeReview(undefined)).toBe(false);
    expect(rejectionOf(signature({ predicate }))).toBeUndefined();
  });

  test.each([
    ['an agent', { subject: 'agent:code-writer' }],
    ['a type that only describes', { predicateType: 'https://cyclonedx.org/bom' }],
  ])('%s rejects nothing', (_title, difference) => {
    expect(rejectionOf(signature(difference))).toBeUndefined();
    expect(approvalOf(signature({ ...difference, predicate: APPROVAL }))).toBeUndefined();
  });

  test.each([
    ['a review of a later version', { predicateType: 'https://any.example/predicates/agent-review/v2' }],
    [
      'a failed test',
      { predicateType: 'https://in-toto.io/attestation/test-result/v0.1', predicate: { result: 'FAILED' } },
    ],
  ])('%s rejects, and approves nothing', (_title, difference) => {
    expect(rejectionOf(signature(difference))).toMatchObject({ images: [image('1')], commits: [COMMIT] });
    expect(approvalOf(signature({ ...difference, predicate: APPROVAL }))).toBeUndefined();
  });

  test('a plain signature is no word', () => {
    const { statement: _, ...plain } = signature();
    expect(rejectionOf(plain)).toBeUndefined();
    expect(approvalOf(plain)).toBeUndefined();
  });

  test('a type of the policy’s own counts where it is named', () => {
    const own = signature({ predicateType: 'https://acme.example/review' });
    expect(approvalOf({ ...own, statement: { ...own.statement!, predicate: APPROVAL } })).toBeUndefined();
    expect(
      approvalOf({ ...own, statement: { ...own.statement!, predicate: APPROVAL } }, 'https://acme.example/review'),
    ).toBeDefined();
    expect(isReviewType('agent-review/v1')).toBe(false);
  });
});

describe('approvalOf', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['says approved', APPROVAL, true],
    ['says nothing else', { ...APPROVAL, decision: undefined }, false],
    ['names another person than its certificate', { ...APPROVAL, human_reviewer: 'bob@example.com' }, false],
    ['has no time', { human_reviewer: 'alice@example.com' }, false],
    ['has a target that is no subject of it', { ...APPROVAL, target: { kind: 'image', digest: image('9') } }, false],
    ['is malformed elsewhere', { ...APPROVAL, review_duration_seconds: -1 }, false],
  ])('takes a review that %s: %#', (_title, predicate, expected) => {
    expect(approvalOf(signature({ predicate })) !== undefined).toBe(expected);
  });

  test('a review without a decision approves', () => {
    const { decision: _, ...silent } = APPROVAL;
    expect(approvalOf(signature({ predicate: silent }))).toBeDefined();
  });

  test('a review service approves for whom its certificate names, and for nobody else', () => {
    const subject = 'reviews:issuer.example';
    const bySomebody = (human_reviewer?: string) => {
      const { certificate_identity: identity, ...rest } = signature({ subject, predicate: APPROVAL });
      return {
        ...rest,
        certificate_identity: { ...identity, claims: human_reviewer === undefined ? {} : { human_reviewer } },
      };
    };
    expect(approvalOf(bySomebody('alice@example.com'))).toMatchObject({ person: { address: 'alice@example.com' } });
    expect(approvalOf(bySomebody('bob@example.com'))).toBeUndefined();
    expect(approvalOf(bySomebody())).toBeUndefined();
  });

  test('a person is known by the subject alone where an issuer of people writes it so', () => {
    const said = signature({ subject: 'alice@example.com', predicate: APPROVAL });
    const byType = { ...said.certificate_identity, subject_type: 'email' } as const;
    expect(approvalOf({ ...said, certificate_identity: byType })).toMatchObject({
      person: { issuer: 'https://issuer.example', address: 'alice@example.com' },
    });
    // A URI that reads like an address is whatever its issuer likes.
    expect(approvalOf(said)).toBeUndefined();
  });

  test('a machine approves nothing, by whatever name it is certified', () => {
    const address = 'builder@acme.iam.gserviceaccount.com';
    const predicate = { ...APPROVAL, human_reviewer: address };
    for (const subject of [address, `reviewer:${address}`]) {
      const said = signature({ subject, predicate });
      const byType = { ...said.certificate_identity, subject_type: 'email' } as const;
      expect(approvalOf({ ...said, certificate_identity: byType })).toBeUndefined();
      expect(approvalOf(said)).toBeUndefined();
    }
    const claimed = signature({ subject: address, predicate: APPROVAL });
    const claims = { human_reviewer: 'alice@example.com' };
    const identity = { ...claimed.certificate_identity, subject_type: 'email', claims } as const;
    expect(approvalOf({ ...claimed, certificate_identity: identity })).toBeUndefined();
  });
});

describe('the e-mail certificate of a person', () => {
  const said = signature({ subject: 'alice@example.com' });
  const byType = { ...said, certificate_identity: { ...said.certificate_identity, subject_type: 'email' } as const };
  const named = ['https://issuer.example'];

  test('rejects where its issuer is named, and nowhere else', () => {
    expect(rejectionOf(byType, named)).toMatchObject({
      person: { issuer: 'https://issuer.example', address: 'alice@example.com' },
      subject: 'alice@example.com',
    });
    expect(rejectionOf(byType)).toBeUndefined();
    expect(rejectionOf(byType, [])).toBeUndefined();
    expect(rejectionOf(said, named)).toBeUndefined();
  });
});

describe('rejects', () => {
  const made = { digests: new Set([image('1'), image('2')]), commits: new Set([COMMIT]) };
  const says = (images: string[], commits: string[]) => ({ ...word('10:00:00'), images, commits });

  test.each([
    ['the image by its digest', says([image('1')], [OTHER_COMMIT]), true],
    ['a manifest in the index', says([image('9'), image('2')], []), true],
    ['nothing but its commit', says([], [OTHER_COMMIT, COMMIT]), true],
    ['another image of the same commit', says([image('9')], [COMMIT]), false],
    ['nothing but another commit', says([], [OTHER_COMMIT]), false],
    ['nothing', says([], []), false],
  ])('%s', (_title, rejection, expected) => {
    expect(rejects(rejection, made)).toBe(expected);
  });
});

function word(time: string, difference: Partial<ReviewWord> = {}): ReviewWord {
  return {
    person: { issuer: 'https://issuer.example', address: 'alice@example.com' },
    subject: 'reviewer:alice@example.com',
    integrated_at: `2026-11-22T${time}Z`,
    certified_at: `2026-11-22T${time}Z`,
    images: [image('1')],
    commits: [COMMIT],
    ...difference,
  };
}

function withoutCertificate({ certified_at: _, ...rest }: ReviewWord): ReviewWord {
  return rest;
}

describe('takesBack', () => {
  const rejection = word('10:00:00', { certified_at: '2026-11-22T09:59:59Z' });
  const byService = { subject: 'reviews:issuer.example' };
  const onlyCommit = { ...rejection, images: [] };

  test.each<[string, ReviewWord, ReviewWord, boolean]>([
    ['a later approval', word('10:00:01'), rejection, true],
    ['a later approval by a fraction of a second', word('10:00:00.5'), rejection, true],
    ['a later approval that a service signed', word('10:00:01', byService), rejection, true],
    // It may be an index that somebody put the image into.
    ['a later approval of more', word('10:00:01', { images: [image('2'), image('1')] }), rejection, false],
    [
      'a later approval of an index that names the image as a platform of it',
      word('10:00:01', { images: [image('2'), image('1')], target: { kind: 'image', digest: image('2') } }),
      rejection,
      true,
    ],
    ['an approval of the same second', word('10:00:00'), rejection, false],
    ['an earlier approval', word('09:59:59'), rejection, false],
    [
      'an old approval that was logged again',
      word('10:05:00', { certified_at: '2026-11-22T09:59:58Z', stated_at: '2026-11-22T10:04:59Z' }),
      rejection,
      false,
    ],
    [
      'an approval whose certificate is of the second in which the rejection was signed',
      word('10:00:01', { certified_at: '2026-11-22T10:00:00Z' }),
      rejection,
      false,
    ],
    ['an approval by a certificate of no known time', withoutCertificate(word('10:05:00')), rejection, false],
    [
      'a later approval, whatever times the two state',
      word('10:00:01', { stated_at: '2026-11-22T09:00:00Z' }),
      { ...rejection, stated_at: '2026-11-22T23:00:00Z' },
      true,
    ],
    ['another image', word('10:00:01', { images: [image('2')] }), rejection, false],
    ['half of what was rejected', word('10:00:01'), { ...rejection, images: [image('1'), image('2')] }, false],
    ['the image with another commit', word('10:00:01', { commits: [OTHER_COMMIT] }), rejection, false],
    ['the image without the commit', word('10:00:01', { commits: [] }), rejection, false],
    ['an image of the commit, where only the commit was rejected', word('10:00:01'), onlyCommit, false],
    ['the commit, where only it was rejected', word('10:00:01', { images: [] }), onlyCommit, true],
    ['another commit', word('10:00:01', { commits: [OTHER_COMMIT] }), onlyCommit, false],
    ['nothing', word('10:00:01'), { ...rejection, images: [], commits: [] }, false],
    [
      'another person’s',
      word('10:00:01', { person: { issuer: 'https://issuer.example', address: 'bob@example.com' } }),
      rejection,
      false,
    ],
    [
      'the same address of another issuer',
      word('10:00:01', { person: { issuer: 'https://other.example', address: 'alice@example.com' } }),
      rejection,
      false,
    ],
  ])('%s', (_title, approval, rejected, expected) => {
    expect(takesBack(approval, rejected)).toBe(expected);
  });

  test('for one image, an approval need not cover the others', () => {
    const both = { ...rejection, images: [image('1'), image('2')] };
    const at = (digits: string[], commits: string[]) => ({
      kind: 'image' as const,
      digest: image(digits[0] as string),
      digests: new Set(digits.map(image)),
      commits: new Set(commits),
    });
    expect(takesBackFor(word('10:00:01'), both, at(['1'], []))).toBe(true);
    expect(takesBackFor(word('10:00:01'), both, at(['2'], []))).toBe(false);
    expect(takesBackFor(word('10:00:01', { commits: [] }), both, at(['1'], []))).toBe(false);
    expect(takesBackFor(word('10:00:01'), both, at(['1', '2'], []))).toBe(false);
    const commits = { ...onlyCommit, commits: [COMMIT, OTHER_COMMIT] };
    expect(takesBackFor(word('10:00:01'), commits, at(['1'], [COMMIT]))).toBe(true);
    expect(takesBackFor(word('10:00:01'), commits, at(['1'], [COMMIT, OTHER_COMMIT]))).toBe(false);
  });
});
