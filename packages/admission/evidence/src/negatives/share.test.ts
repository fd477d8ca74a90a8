import { parseNegativesPage, type StandingRejection, type StandingWithdrawal } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { pagesOfWords } from './list-page.ts';
import { MAX_SHARE_BYTES, Shares } from './share.ts';

const ISSUER = 'https://agents.acme.example';
const hex = (n: number) => n.toString(16).padStart(64, '0');

function rejection(n: number, more: Partial<StandingRejection> = {}): StandingRejection {
  return {
    id: hex(n),
    content: hex(n),
    person: 'alice@example.com',
    issuer: ISSUER,
    subject: 'reviewer:alice@example.com',
    time: new Date(Date.parse('2026-11-22T10:00:00Z') + n * 1000).toISOString(),
    images: [`sha256:${hex(n)}`],
    commits: [],
    ...more,
  };
}
function withdrawal(n: number, more: Partial<StandingWithdrawal> = {}): StandingWithdrawal {
  const time = new Date(Date.parse('2026-11-22T10:00:00Z') + n * 1000).toISOString();
  return { id: hex(n), rejection: hex(1), subject: `ci ${n}`, issuer: ISSUER, time, reason: 'left', ...more };
}
const large = Array.from({ length: 1000 }, (_, n) => `sha256:${hex(n)}`);
const shared = <T>(share: string, words: readonly T[]) => words.map((word) => ({ share, word }));

/** What is listed within so many bytes, as a reader reads it. */
function listed(shares: Shares, mostBytes = MAX_SHARE_BYTES) {
  const pages = pagesOfWords(shares.within(mostBytes)).map(({ bytes }) => parseNegativesPage(bytes));
  const read = pages.flatMap((page) => (page.ok ? [page.value] : []));
  expect(read).toHaveLength(pages.length);
  return {
    rejections: read.flatMap(({ rejections }) => rejections.map(({ id }) => id)).sort(),
    withdrawals: read.flatMap(({ withdrawals }) => withdrawals.map(({ id }) => id)).sort(),
    overflows: read.flatMap(({ overflows }) => overflows.map(({ subject }) => subject)).sort(),
  };
}
const sizeOf = (words: readonly StandingRejection[]) =>
  new Shares({ rejections: shared('x', words), withdrawals: [] })
    .within(MAX_SHARE_BYTES)
    .reduce((sum, { bytes }) => sum + bytes, 0);

describe('the share of a person', () => {
  const few = [3, 1, 2].map((n) => rejection(n));
  const shares = new Shares({ rejections: shared('alice', few), withdrawals: [] });

  test('holds all that they said', () => {
    expect(listed(shares)).toEqual({ rejections: [hex(1), hex(2), hex(3)], withdrawals: [], overflows: [] });
    expect(listed(shares, sizeOf(few)).overflows).toEqual([]);
  });

  test('keeps the oldest where it is over, and says that it is', () => {
    expect(listed(shares, sizeOf(few) - 1)).toEqual({
      rejections: [hex(1), hex(2)],
      withdrawals: [],
      overflows: ['reviewer:alice@example.com'],
    });
    expect(listed(shares, 0)).toEqual({ rejections: [], withdrawals: [], overflows: ['reviewer:alice@example.com'] });
  });

  test('marks who is over with everything by which a reader knows them', () => {
    const markOf = (more: Partial<StandingRejection>) => {
      const of = new Shares({ rejections: shared('alice', [rejection(1, more)]), withdrawals: [] });
      return pagesOfWords(of.within(0)).flatMap(({ bytes }) => {
        const page = parseNegativesPage(bytes);
        return page.ok ? page.value.overflows : [];
      });
    };
    const mark = { person: 'alice@example.com', issuer: ISSUER, subject: 'reviewer:alice@example.com', overflow: true };
    expect(markOf({})).toEqual([mark]);
    const byService = { subject: 'reviews:agents.acme.example', certified: true };
    expect(markOf(byService)).toEqual([{ ...mark, ...byService }]);
  });

  test('has room again for nobody after a word that is larger than what was left', () => {
    const words = [rejection(1), rejection(2, { images: large }), rejection(3)];
    const all = new Shares({ rejections: shared('alice', words), withdrawals: shared('alice', [withdrawal(9)]) });
    expect(listed(all, sizeOf(words) - 1)).toMatchObject({ rejections: [hex(1), hex(2)], withdrawals: [] });
  });

  test('takes nothing that is smaller once something did not fit, so that more changes nothing', () => {
    const mixed = [rejection(1), rejection(2, { images: large }), rejection(3)];
    const over = new Shares({ rejections: shared('alice', mixed), withdrawals: shared('alice', [withdrawal(9)]) });
    const most = sizeOf([rejection(1), rejection(3)]) + 1000;
    expect(listed(over, most)).toMatchObject({ rejections: [hex(1)], withdrawals: [] });
    const more = new Shares({ rejections: shared('alice', [...mixed, rejection(4)]), withdrawals: [] });
    expect(more.within(most)).toEqual(over.within(most));
  });

  test('marks each identity of theirs of whose rejections one is left out, and no other', () => {
    const subjects = ['reviewer:alice@example.com', 'reviewer:alice+x@example.com', 'reviews:reviews.example'];
    const words = subjects.flatMap((subject, n) => [
      rejection(n * 2 + 1, { subject }),
      rejection(n * 2 + 2, { subject }),
    ]);
    const of = new Shares({ rejections: shared('alice', words), withdrawals: [] });
    expect(listed(of, sizeOf(words.slice(0, 3))).overflows).toEqual([...subjects.slice(1)].sort());
  });

  test('is full at so many bytes, whatever others say', () => {
    const flood = Array.from({ length: 60 }, (_, n) =>
      rejection(n, { images: large, person: 'm@example.com', subject: 'm' }),
    );
    const both = new Shares({
      rejections: [
        ...shared('mallory', flood),
        ...shared(
          'alice',
          few.map((one) => ({ ...one, content: `a${one.content.slice(1)}` })),
        ),
      ],
      withdrawals: [],
    });
    const { rejections, overflows } = listed(both);
    expect(overflows).toEqual(['m']);
    expect(rejections).toHaveLength(56 + 3);
  });

  test('is one of the same size for withdrawals, of which what is left out is not marked', () => {
    const all = [1, 2, 3].map((n) => withdrawal(n));
    const of = new Shares({ rejections: [], withdrawals: shared('', [...all].reverse()) });
    expect(listed(of).withdrawals).toEqual([hex(1), hex(2), hex(3)]);
    const two = of.within(MAX_SHARE_BYTES).reduce((sum, { bytes }) => sum + bytes, 0) - 1;
    expect(listed(of, two)).toEqual({ rejections: [], withdrawals: [hex(1), hex(2)], overflows: [] });
  });

  test('of withdrawals ends where that of a list did', () => {
    const long = Array.from({ length: 2_000 }, (_, n) =>
      withdrawal(n, { subject: 'x'.repeat(2048), reason: '…'.repeat(1000) }),
    );
    const { withdrawals } = listed(new Shares({ rejections: [], withdrawals: shared('', long) }));
    expect(withdrawals.length).toBeGreaterThan(500);
    expect(withdrawals.length).toBeLessThan(1_000);
  });

  test('marks what no reader would take, and lists the others', () => {
    const older = [rejection(1, { images: [...large, ...large] }), rejection(2)];
    const of = new Shares({
      rejections: shared('alice', older),
      withdrawals: shared('alice', [withdrawal(1, { subject: 'x'.repeat(2049) }), withdrawal(2)]),
    });
    expect(listed(of)).toEqual({
      rejections: [hex(2)],
      withdrawals: [hex(2)],
      overflows: ['reviewer:alice@example.com'],
    });
  });
});
