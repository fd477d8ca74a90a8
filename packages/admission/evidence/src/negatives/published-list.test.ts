import {
  agentReviewType,
  createAgentReviewStatement,
  createReviewWithdrawalStatement,
  joinNegativesPages,
  MOST_REJECTED_DIGESTS,
  parseStandingNegatives,
  type Statement,
  type Subject,
  type VerifiedSignature,
} from '@colophon/records';
import { type Database, openDatabase, ReviewWordStore } from '@colophon/store';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEvidence, type Evidence } from '../evidence/evidence.ts';
import { SPLIT_PAGE_BYTES } from './listed-word.ts';
import { MAX_LIST_AGE_MS } from './published-list.ts';
import { standingWords } from './standing-list.ts';

const ISSUER = 'https://agents.acme.example';
const START = Date.parse('2026-11-22T10:00:00Z');
const IMAGE = 'a'.repeat(64);

let db: Database;
let app: FastifyInstance;
let evidence: Evidence;
let now: number;
let sign: (statement: Statement) => Promise<Uint8Array>;
let signed: Statement[];

beforeEach(async () => {
  db = openDatabase(':memory:');
  now = START;
  signed = [];
  sign = async (statement) => {
    signed.push(statement);
    return Buffer.from(JSON.stringify(statement));
  };
  await open();
});
afterEach(async () => {
  await app.close();
  db.close();
});

async function open(): Promise<void> {
  const verify = (bundle: Uint8Array) => JSON.parse(Buffer.from(bundle).toString()) as VerifiedSignature;
  evidence = createEvidence({ db, verify, clock: { now: () => now }, sign: (statement) => sign(statement) });
  app = Fastify();
  await evidence.register(app);
}

let logIndex = 0;
function signature(subject: string, statement: Statement, at: number = now, claims = {}): VerifiedSignature {
  const integratedAt = new Date(at).toISOString();
  logIndex += 1;
  return {
    certificate_identity: { issuer: ISSUER, subject, claims, sources: {} },
    statement,
    certified_at: integratedAt,
    log_entry: { log_index: logIndex, log_id: 'ee', integrated_at: integratedAt },
  };
}
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const keep = async (one: VerifiedSignature) => (await evidence.importBundle(bytesOf(one))).id;

function review(
  decision: unknown,
  subjects: Subject[],
  human_reviewer = 'alice@example.com',
  more: object = {},
): Statement {
  const predicate = { human_reviewer, review_timestamp: '2026-11-22T09:00:00Z', ...more };
  return { ...createAgentReviewStatement({ subjects, predicate }), predicate: { ...predicate, decision } };
}
const image = (sha256: string): Subject => ({ digest: { sha256 } });
const reject = (sha256: string) => signature('reviewer:alice@example.com', review('rejected', [image(sha256)]));
const digest = (n: number) => n.toString(16).padStart(64, '0');

const ask = () => app.inject('/negatives');
const askPage = (digest: string) => app.inject(`/negatives/pages/${digest.replace('sha256:', '')}`);
async function list() {
  const answer = await ask();
  expect(answer.statusCode).toBe(200);
  const parsed = parseStandingNegatives(answer.json().predicate);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const pages = await Promise.all(
    parsed.value.pages.map(async ({ digest }) => [digest, (await askPage(digest)).rawPayload] as const),
  );
  return { ...joinNegativesPages(parsed.value, new Map(pages)), pages: parsed.value.pages };
}

describe('a reviewer by their company’s login', () => {
  const SSO = 'https://sso.acme.example';
  const DANA = 'dana@acme.example';
  /** An e-mail certificate of the company's own authority. */
  const byLogin = (statement: Statement, more: object = {}): VerifiedSignature => {
    const one = signature(DANA, statement);
    return {
      ...one,
      certificate_identity: { ...one.certificate_identity, issuer: SSO, subject_type: 'email', ...more },
    };
  };
  async function openFor(peopleIssuers: readonly string[]): Promise<void> {
    await app.close();
    const verify = (bundle: Uint8Array) => JSON.parse(Buffer.from(bundle).toString()) as VerifiedSignature;
    const clock = { now: () => now };
    evidence = createEvidence({ db, verify, clock, peopleIssuers, sign: (statement) => sign(statement) });
    app = Fastify();
    await evidence.register(app);
  }

  test('rejects and approves where the store names the issuer, and stands in the list', async () => {
    await openFor([SSO]);
    const rejection = byLogin(review('rejected', [image(IMAGE)], DANA));
    expect(await evidence.importBundle(bytesOf(rejection))).toMatchObject({ kind: 'review' });
    expect((await list()).rejections).toMatchObject([{ person: DANA, issuer: SSO, subject: DANA }]);
    // A store that forgets the issuer does not forget what was said.
    await openFor([]);
    expect((await list()).rejections).toHaveLength(1);
    await openFor([SSO]);
    now += 3_600_000;
    expect(await evidence.importBundle(bytesOf(byLogin(review('approved', [image(IMAGE)], DANA))))).toMatchObject({
      kind: 'review',
    });
    expect((await list()).rejections).toEqual([]);
  });

  test('a no that was kept before the store named the issuer stands in the list once it is handed in again', async () => {
    await openFor([]);
    const later = 'https://acme.example/agent-review/v2';
    const no = bytesOf(byLogin({ ...review('rejected', [image(IMAGE)], DANA), predicateType: later }));
    expect(await evidence.importBundle(no)).toMatchObject({ kind: 'attestation', isNew: true });
    await openFor([SSO]);
    expect((await list()).rejections).toEqual([]);
    expect(await evidence.importBundle(no)).toMatchObject({ kind: 'attestation', isNew: false });
    expect((await list()).rejections).toMatchObject([{ person: DANA, issuer: SSO, subject: DANA }]);
  });

  test.each<[title: string, peopleIssuers: readonly string[], more: object]>([
    ['an issuer that the store does not name', [], {}],
    ['an issuer whose name begins so', [`${SSO}/`, 'https://sso.acme'], {}],
    ['a service account', [SSO], { subject: 'builder@acme.iam.gserviceaccount.com' }],
  ])('by %s is refused, whatever they say', async (_title, peopleIssuers, more) => {
    await openFor(peopleIssuers);
    const address = (more as { subject?: string }).subject ?? DANA;
    for (const decision of ['rejected', 'approved']) {
      const one = byLogin(review(decision, [image(IMAGE)], address), more);
      await expect(evidence.importBundle(bytesOf(one))).rejects.toMatchObject({ code: 'evidence.reviewer_unknown' });
    }
    expect((await list()).rejections).toEqual([]);
  });

  test('with an address that is a URI is a claim of a review, and stands in no list', async () => {
    await openFor([SSO]);
    const one = byLogin(review('rejected', [image(IMAGE)], DANA), { subject_type: undefined });
    expect(await evidence.importBundle(bytesOf(one))).toMatchObject({ kind: 'review-claim' });
    expect((await list()).rejections).toEqual([]);
  });

  test('who names somebody else is a claim of a review', async () => {
    await openFor([SSO]);
    const one = byLogin(review('approved', [image(IMAGE)], 'alice@example.com'));
    expect(await evidence.importBundle(bytesOf(one))).toMatchObject({ kind: 'review-claim' });
  });
});

describe('when the list is signed', () => {
  test('once for all who ask at once, and then not again for five minutes', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => list()));
    expect(new Set(answers.map(({ sequence }) => sequence))).toEqual(new Set([1]));
    now += MAX_LIST_AGE_MS - 1;
    expect(await list()).toMatchObject({ sequence: 1, time: '2026-11-22T10:00:00Z' });
    expect(signed).toHaveLength(1);
    now += 1;
    expect(await list()).toMatchObject({ sequence: 2, time: '2026-11-22T10:05:00Z' });
    expect(signed).toHaveLength(2);
  });

  test('again as soon as a rejection is stored', async () => {
    await list();
    const id = await keep(reject(IMAGE));
    expect(await list()).toMatchObject({ sequence: 2, rejections: [{ id, images: [`sha256:${IMAGE}`] }] });
  });

  test('not again for a word that changes nothing in it', async () => {
    await keep(reject(IMAGE));
    const before = await list();
    await keep(signature('reviewer:bob@example.com', review('approved', [image(digest(1))], 'bob@example.com')));
    expect(await list()).toEqual(before);
    expect(signed).toHaveLength(1);
    await keep(reject(digest(2)));
    expect((await list()).rejections).toHaveLength(2);
    expect(signed).toHaveLength(2);
  });

  test('again when the clock went back: such a list is from the future', async () => {
    await list();
    now -= 1;
    expect(await list()).toMatchObject({ sequence: 2 });
  });

  test('a rejection that is stored while a list is being signed is in the list of whoever asks after it', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { promise } = gate;
    const signNow = sign;
    sign = async (statement) => {
      begun.resolve();
      await promise;
      return signNow(statement);
    };
    const before = list();
    await begun.promise;
    const id = await keep(reject(IMAGE));
    const after = list();
    gate.resolve();
    expect((await before).rejections).toEqual([]);
    expect((await after).rejections).toMatchObject([{ id }]);
  });

  test('never is an older list handed out in place of one that cannot be signed', async () => {
    await list();
    const signNow = sign;
    sign = () => Promise.reject(new Error('the log is down'));
    now += MAX_LIST_AGE_MS;
    const refused = await ask();
    expect(refused.statusCode).toBe(503);
    expect(refused.json()).toMatchObject({ code: 'evidence.negatives_unsigned' });
    expect(refused.headers['cache-control']).toBe('no-store');
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.body).not.toContain('the log is down');
    sign = signNow;
    expect((await list()).sequence).toBeGreaterThan(2);
  });

  test('its number is stored before it is signed, and never given twice', async () => {
    sign = () => Promise.reject(new Error('the process dies here'));
    await ask();
    sign = async (statement) => bytesOf(statement);
    await app.close();
    await open();
    expect((await list()).sequence).toBe(2);
  });

  test('without a signer there is no list', async () => {
    const other = Fastify();
    await createEvidence({ db, verify: () => reject(IMAGE) }).register(other);
    expect((await other.inject('/negatives')).statusCode).toBe(404);
    await other.close();
  });
});

describe('what stands in the list', () => {
  test('a review service speaks for the person whom its certificate names', async () => {
    const claims = { human_reviewer: 'alice@example.com' };
    const id = await keep(signature('reviews:reviews.acme.example', review('rejected', [image(IMAGE)]), now, claims));
    expect((await list()).rejections).toMatchObject([
      {
        id,
        person: 'alice@example.com',
        subject: 'reviews:reviews.acme.example',
        certified: true,
      },
    ]);
  });

  test('whom a review service only states is not certified, and has no share of the list filled by it', async () => {
    await keep(signature('reviews:reviews.acme.example', review('rejected', [image(IMAGE)])));
    await keep(reject(IMAGE));
    const [stated, own] = (await list()).rejections;
    expect([stated?.certified, own?.certified]).toEqual([undefined, undefined]);
    const { rejections } = standingWords(new ReviewWordStore(db), '');
    expect(new Set(rejections.map(({ share }) => share)).size).toBe(2);
  });

  test('an approval in the same moment takes nothing back, a later one by another service for the same person does', async () => {
    await keep(reject(IMAGE));
    const more = { review_timestamp: '2026-11-22T09:30:00Z' };
    const approval = review('approved', [image(IMAGE)], 'alice@example.com', more);
    await keep(signature('reviewer:alice@example.com', approval));
    expect((await list()).rejections).toHaveLength(1);
    now += 1000;
    await keep(signature('reviews:acme.example', approval, now, { human_reviewer: 'bob@example.com' }));
    expect((await list()).rejections).toHaveLength(1);
    await keep(signature('reviews:acme.example', approval, now, { human_reviewer: 'alice@example.com' }));
    expect((await list()).rejections).toEqual([]);
  });

  test.each<[string, (approval: Statement) => Statement]>([
    [
      'is under a base of somebody’s own',
      (one) => ({ ...one, predicateType: 'https://other.example/agent-review/v1' }),
    ],
    ['says no decision', (one) => ({ ...one, predicate: { ...(one.predicate as object), decision: undefined } })],
  ])('an approval that %s takes nothing from the list, which is every policy’s', async (_what, change) => {
    await keep(reject(IMAGE));
    now += 1000;
    const more = { review_timestamp: '2026-11-22T09:30:00Z' };
    const approval = review('approved', [image(IMAGE)], 'alice@example.com', more);
    await keep(signature('reviewer:alice@example.com', JSON.parse(JSON.stringify(change(approval)))));
    expect((await list()).rejections).toHaveLength(1);
    await keep(signature('reviewer:alice@example.com', approval));
    expect((await list()).rejections).toEqual([]);
  });

  test('an approval that was stored first takes back a rejection that was signed before it', async () => {
    const rejection = reject(IMAGE);
    now += 1000;
    const more = { review_timestamp: '2026-11-22T09:30:00Z' };
    const approval = review('approved', [image(IMAGE)], 'alice@example.com', more);
    await keep(signature('reviewer:alice@example.com', approval));
    await keep(rejection);
    expect((await list()).rejections).toEqual([]);
  });

  test('copies of a rejection and of approvals stand once, and are not compared one with another', async () => {
    const rejection = reject(IMAGE);
    now += 1000;
    const of = [image(IMAGE), { digest: { gitCommit: 'c'.repeat(40) } }];
    const approval = signature('reviewer:alice@example.com', review('approved', of.slice(1)));
    const both = signature('reviewer:alice@example.com', review('rejected', of));
    const loggedAgain = (one: VerifiedSignature, seconds: number) => ({
      ...one,
      log_entry: {
        ...one.log_entry,
        log_index: ++logIndex,
        integrated_at: new Date(now + seconds * 1000).toISOString(),
      },
    });
    const id = await keep(rejection);
    await keep(both);
    for (let n = 1; n <= 20; n += 1) {
      for (const one of [rejection, both, approval]) await keep(loggedAgain(one, n));
    }
    const asked = vi.spyOn(ReviewWordStore.prototype, 'approvals');
    const { rejections } = await list();
    expect(rejections).toMatchObject([{ id, time: '2026-11-22T10:00:00Z' }, { person: 'alice@example.com' }]);
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
  });

  test('neither others nor agents put anything into it', async () => {
    const id = await keep(reject(IMAGE));
    const withdrawn_at = '2026-11-22T10:00:00Z';
    const predicate = { rejection: id, reason: 'no', withdrawn_at };
    const withdrawal = createReviewWithdrawalStatement({ subjects: [image(IMAGE)], predicate });
    for (const subject of ['agent:code-writer', 'https://ci.example/job', 'mailto:alice@example.com']) {
      await keep(signature(subject, review('rejected', [image(digest(1))])));
    }
    await keep(signature('agent:code-writer', withdrawal));
    expect(await list()).toMatchObject({ rejections: [{ id }], withdrawals: [] });
    const by = await keep(signature('https://ci.example/job', withdrawal));
    expect((await list()).withdrawals).toMatchObject([{ id: by, subject: 'https://ci.example/job' }]);
  });

  test('rejections under another base of predicate types count too', async () => {
    const statement = {
      ...review('rejected', [image(IMAGE)]),
      predicateType: agentReviewType('https://other.example/p'),
    };
    const id = await keep(signature('reviewer:alice@example.com', statement));
    expect((await list()).rejections).toMatchObject([{ id }]);
  });

  test('a withdrawal that gives no reason is not kept', async () => {
    const predicate = { rejection: 'f'.repeat(64), reason: 'left', withdrawn_at: '2026-11-22T10:00:00Z' };
    const statement = createReviewWithdrawalStatement({ subjects: [image(IMAGE)], predicate });
    const bare = { ...statement, predicate: { ...predicate, reason: ' ' } };
    await expect(keep(signature('reviewer:bob@example.com', bare))).rejects.toMatchObject({
      code: 'evidence.statement_malformed',
      issues: [{ path: '/reason', code: 'review_withdrawal.field_empty' }],
    });
  });
});

describe('how much stands in the list', () => {
  const subjects = (count: number) => Array.from({ length: count }, (_, n) => image(digest(n)));

  test('a rejection that no list could hold is refused when it comes, and not when the list is made', async () => {
    await keep(signature('reviewer:alice@example.com', review('rejected', subjects(MOST_REJECTED_DIGESTS))));
    const larger = signature('reviewer:alice@example.com', review('rejected', subjects(MOST_REJECTED_DIGESTS + 1)));
    await expect(keep(larger)).rejects.toMatchObject({ code: 'evidence.statement_malformed' });
    expect((await list()).rejections).toHaveLength(1);
  });

  const rejectMany = (person: string, count: number, digests = MOST_REJECTED_DIGESTS) =>
    keepMany(
      Array.from({ length: count }, () => {
        now += 1;
        return signature(`reviewer:${person}`, review('rejected', subjects(digests), person));
      }),
    );
  async function keepMany(all: readonly VerifiedSignature[]): Promise<void> {
    for (const one of all) await keep(one);
  }
  const marks = async () => (await list()).overflows.map(({ subject }) => subject);
  const MALLORY = 'mallory@example.com';

  test('a person fills their share and no more: what is over it is marked, and stands for nobody else', async () => {
    const id = await keep(reject(IMAGE));
    await rejectMany(MALLORY, 56);
    expect(await marks()).toEqual([]);
    await rejectMany(MALLORY, 4);
    const { rejections, overflows, pages } = await list();
    expect(overflows).toEqual([{ person: MALLORY, issuer: ISSUER, subject: `reviewer:${MALLORY}`, overflow: true }]);
    expect(rejections).toHaveLength(57);
    expect(rejections[0]).toMatchObject({ id, person: 'alice@example.com' });
    expect(pages.length).toBeGreaterThan(16);
    expect(Math.max(...pages.map(({ size }) => size))).toBeLessThanOrEqual(SPLIT_PAGE_BYTES + 100);
  });

  test('a share that is over stays as it is, so more of the same is neither a page nor a signature', async () => {
    await rejectMany(MALLORY, 58);
    const before = await list();
    await rejectMany(MALLORY, 3);
    expect(await list()).toEqual(before);
    expect(signed).toHaveLength(1);
  });

  test('what approvals take back makes room in a share', async () => {
    await rejectMany(MALLORY, 58);
    expect(await marks()).toHaveLength(1);
    now += 3_600_000;
    const more = { review_timestamp: '2026-11-22T09:30:00Z' };
    const all = review('approved', subjects(MOST_REJECTED_DIGESTS), MALLORY, more);
    await keep(signature(`reviewer:${MALLORY}`, all));
    expect(await list()).toMatchObject({ rejections: [], overflows: [], pages: [] });
  });

  test('who has the list of a moment ago still finds its pages', async () => {
    await keep(reject(IMAGE));
    const [before] = (await list()).pages;
    await keep(reject(digest(1)));
    const [after] = (await list()).pages;
    expect(after).not.toEqual(before);
    for (const page of [before, after]) expect((await askPage(page!.digest)).rawPayload).toHaveLength(page!.size);
  });

  test('a page is cached for ever, and what is no page is not there', async () => {
    await keep(reject(IMAGE));
    const [page] = (await list()).pages;
    const answer = await askPage(page!.digest);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^application\/json/),
    });
    expect(answer.rawPayload).toHaveLength(page!.size);
    for (const other of [digest(1), 'x', page!.digest.slice(0, 20), '%2e%2e%2fnegatives']) {
      expect((await askPage(other)).statusCode).toBe(404);
    }
  });

  test('a page of the list is served also while no list can be signed', async () => {
    await keep(reject(IMAGE));
    const [page] = (await list()).pages;
    sign = () => Promise.reject(new Error('no signer now'));
    now += MAX_LIST_AGE_MS;
    await keep(reject(digest(1)));
    expect((await askPage(page!.digest)).rawPayload).toHaveLength(page!.size);
    expect((await askPage(`sha256:${digest(2)}`)).statusCode).toBe(503);
  });

  test('a page is served by a process that was not asked for the list yet, and the same page', async () => {
    await rejectMany(MALLORY, 5);
    const { pages } = await list();
    await app.close();
    await open();
    for (const page of pages) expect((await askPage(page.digest)).rawPayload).toHaveLength(page.size);
  });

  test('withdrawals by who is no person are apart from those of people, in the order in which they came', async () => {
    const id = await keep(reject(IMAGE));
    const predicate = { rejection: id, reason: 'left', withdrawn_at: '2026-11-22T10:00:00Z' };
    const statement = createReviewWithdrawalStatement({ subjects: [image(IMAGE)], predicate });
    const signers = [
      'https://ci.example/1',
      'https://ci.example/2',
      'reviewer:bob@example.com',
      'reviewer:Bob+x@Example.com',
    ];
    for (const signer of signers) await keep(signature(signer, statement));
    const words = standingWords(new ReviewWordStore(db), 'https://colophon.example/predicates');
    const { withdrawals, othersWithdrawals } = words;
    expect(othersWithdrawals.map(({ word }) => word.subject)).toEqual(signers.slice(0, 2));
    expect(othersWithdrawals[0]!.arrival).toBeLessThan(othersWithdrawals[1]!.arrival);
    expect(withdrawals.map(({ word }) => word.subject)).toEqual(signers.slice(2));
    expect(withdrawals[0]!.share).toBe(withdrawals[1]!.share);
  });

  test('a withdrawal that no list could hold is refused when it comes', async () => {
    const id = await keep(reject(IMAGE));
    const predicate = { rejection: id, reason: 'left', withdrawn_at: '2026-11-22T10:00:00Z' };
    const statement = createReviewWithdrawalStatement({ subjects: [image(IMAGE)], predicate });
    const long = signature(`https://ci.example/${'x'.repeat(2048)}`, statement);
    await expect(keep(long)).rejects.toMatchObject({ code: 'evidence.statement_malformed' });
  });

  test('an approval of something else is not even looked at', () => {
    const words = new ReviewWordStore(db);
    const steps = words.explainApprovals();
    expect(steps[0]).toMatch(/^SEARCH link USING PRIMARY KEY \(sha256=\?\)$/);
    expect(steps.some((step) => step.startsWith('SCAN'))).toBe(false);
  });
});
