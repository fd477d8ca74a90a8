import { canonicalJson } from '@colophon/json';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../digest/digest.ts';
import {
  encodeNegativesPage,
  joinNegativesPages,
  type NegativesPage,
  NegativesPageError,
  negativesPageAddress,
  pagesOf,
  parseNegativesPage,
} from './negatives-page.ts';
import {
  MAX_NEGATIVES_PAGE_BYTES,
  MAX_STANDING_NEGATIVES_BYTES,
  MOST_REJECTED_DIGESTS,
} from './standing-negatives-schema.ts';

const rejection = {
  id: 'a'.repeat(64),
  content: 'e'.repeat(64),
  person: 'alice@example.com',
  issuer: 'https://agents.acme.example',
  subject: 'reviewer:alice@example.com',
  time: '2026-11-22T10:00:00Z',
  images: [`sha256:${'b'.repeat(64)}`],
  commits: ['c'.repeat(40)],
};
const withdrawal = {
  id: 'd'.repeat(64),
  rejection: rejection.id,
  subject: 'reviewer:bob@example.com',
  issuer: rejection.issuer,
  time: '2026-11-22T11:00:00Z',
  reason: 'alice left',
};
const { person, issuer, subject } = rejection;
const overflow = { person, issuer, subject, overflow: true };
const page: NegativesPage = { rejections: [rejection], withdrawals: [withdrawal], overflows: [overflow] };
const empty: NegativesPage = { rejections: [], withdrawals: [], overflows: [] };
const bytesOf = (value: unknown) => canonicalJson(value as never);
const issuesOf = (value: unknown) => {
  const result = parseNegativesPage(bytesOf(value));
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code.replace('standing_negatives.', '')}`);
};
const withRejection = (change: object) => ({ ...page, rejections: [{ ...rejection, ...change }] });
const withWithdrawal = (change: object) => ({ ...page, withdrawals: [{ ...withdrawal, ...change }] });
const withOverflow = (change: object) => ({ ...page, overflows: [{ ...overflow, ...change }] });

describe('parseNegativesPage', () => {
  it('reads a page as it was written, also one with nothing in it', () => {
    expect(parseNegativesPage(encodeNegativesPage(page))).toEqual({ ok: true, value: page });
    expect(issuesOf(empty)).toEqual([]);
    expect(issuesOf(withRejection({ images: [] }))).toEqual([]);
    expect(issuesOf(withRejection({ commits: [], more: [{ deep: [{ deeper: true }] }] }))).toEqual([]);
  });

  it.each<[string, unknown, ...string[]]>([
    ['nothing', {}, ...['rejections', 'withdrawals', 'overflows'].map((name) => `/${name} field_missing`)],
    ['rejections that are no list', { ...page, rejections: {} }, '/rejections field_type'],
    ['null for none', { ...page, overflows: null }, '/overflows field_null'],
    [
      'a rejection of nobody',
      withRejection({ person: ' ', subject: '', issuer: null }),
      '/rejections/0/subject field_empty',
      '/rejections/0/issuer field_null',
      '/rejections/0/person field_empty',
    ],
    ['a rejection without images', withRejection({ images: null }), '/rejections/0/images field_null'],
    ['a bare digest', withRejection({ images: ['b'.repeat(64)] }), '/rejections/0/images/0 field_invalid'],
    ['an abbreviated commit', withRejection({ commits: ['abc1234'] }), '/rejections/0/commits/0 field_invalid'],
    ['a person who is nobody', withRejection({ person: 'alice' }), '/rejections/0/person field_invalid'],
    [
      'an identity longer than any name',
      withRejection({ subject: 'a'.repeat(2049) }),
      '/rejections/0/subject field_invalid',
    ],
    ['another time than UTC', withRejection({ time: 'x' }), '/rejections/0/time field_invalid'],
    ['a rejection of no content', withRejection({ content: 'x' }), '/rejections/0/content field_invalid'],
    ['a withdrawal without reason', withWithdrawal({ reason: '' }), '/withdrawals/0/reason field_empty'],
    ['a withdrawal of nothing', withWithdrawal({ rejection: 'x' }), '/withdrawals/0/rejection field_invalid'],
    ['a mark of nobody', withOverflow({ subject: '' }), '/overflows/0/subject field_empty'],
    ['a mark that says nothing', withOverflow({ overflow: 'true' }), '/overflows/0/overflow field_type'],
    ['a list', [page], ' field_type'],
  ])('refuses %s', (_title, value, ...issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });

  it('refuses more than a rejection may name', () => {
    const many = (item: unknown) => Array.from({ length: MOST_REJECTED_DIGESTS + 1 }, () => item);
    expect(issuesOf(withRejection({ images: many(rejection.images[0]) }))).toEqual([
      '/rejections/0/images field_invalid',
    ]);
    expect(issuesOf(withRejection({ commits: many(rejection.commits[0]) }))).toEqual([
      '/rejections/0/commits field_invalid',
    ]);
  });

  it('refuses what two readers could read differently, and more bytes than a page has', () => {
    const text = Buffer.from(encodeNegativesPage(page)).toString();
    const twice = text.replace('"overflows":', '"rejections":[],"overflows":');
    const parsed = parseNegativesPage(Buffer.from(twice));
    expect(parsed.ok || parsed.issues.map(({ code }) => code)).toEqual(['json.duplicate_key']);
    const long = parseNegativesPage(Buffer.from(text + ' '.repeat(MAX_NEGATIVES_PAGE_BYTES)));
    expect(long.ok || long.issues.map(({ code }) => code)).toEqual(['json.too_large']);
  });
});

describe('joinNegativesPages', () => {
  const one = encodeNegativesPage(page);
  const later = { ...rejection, id: 'f'.repeat(64), time: '2026-11-22T10:00:00.5Z' };
  const two = encodeNegativesPage({ ...empty, rejections: [later, { ...later, time: '2026-11-22T09:00:00Z' }] });
  const named = (bytes: Uint8Array) => ({ digest: digestOf(bytes), size: bytes.length });
  const listOf = (...pages: Uint8Array[]) => ({ sequence: 3, time: rejection.time, pages: pages.map(named) });
  const mapOf = (...pages: Uint8Array[]) => new Map(pages.map((bytes) => [digestOf(bytes), bytes]));
  const refusal = (list: Parameters<typeof joinNegativesPages>[0], pages: ReadonlyMap<string, Uint8Array>) => {
    try {
      return joinNegativesPages(list, pages);
    } catch (error) {
      expect(error).toBeInstanceOf(NegativesPageError);
      return (error as Error).message;
    }
  };

  it('gives all that stands in the pages, oldest first, whatever else is at hand', () => {
    const joined = joinNegativesPages(listOf(two, one), mapOf(one, encodeNegativesPage(empty), two));
    expect(joined).toMatchObject({ sequence: 3, withdrawals: [withdrawal], overflows: [overflow] });
    expect(joined.rejections.map(({ time }) => time)).toEqual([
      '2026-11-22T09:00:00Z',
      '2026-11-22T10:00:00Z',
      '2026-11-22T10:00:00.5Z',
    ]);
    expect(joinNegativesPages(listOf(), mapOf(one))).toEqual({ sequence: 3, time: rejection.time, ...empty });
  });

  it('gives nothing of a list of which a page is missing, is another, or is malformed', () => {
    expect(refusal(listOf(one, two), mapOf(one))).toBe('page 2 of 2 is missing');
    // Swapped with the page of another list, under the digest of the one that is wanted.
    const swapped = new Map([[digestOf(one), Buffer.alloc(one.length, ' ')]]);
    expect(refusal(listOf(one), swapped)).toMatch(/^page 1 of 1 /);
    const other = encodeNegativesPage(withRejection({ id: 'b'.repeat(64) }) as NegativesPage);
    expect(other).toHaveLength(one.length);
    for (const _ of ['first', 'read before']) {
      expect(refusal(listOf(one), new Map([[digestOf(one), other]]))).toBe('page 1 of 1 has another digest');
      expect(refusal(listOf(other), mapOf(other))).toMatchObject({ sequence: 3 });
    }
    expect(refusal(listOf(one), new Map([[digestOf(one), one.slice(1)]]))).toBe(
      `page 1 of 1 has ${one.length - 1} bytes and not ${one.length}`,
    );
    const wrongSize = { ...listOf(one), pages: [{ ...named(one), size: 5 }] };
    expect(refusal(wrongSize, mapOf(one))).toBe(`page 1 of 1 has ${one.length} bytes and not 5`);
    const malformed = Buffer.from('{"rejections":[],"withdrawals":[]}');
    expect(refusal(listOf(malformed), mapOf(malformed))).toBe(
      'page 1 of 1 is malformed: /overflows standing_negatives.field_missing',
    );
    const twice = Buffer.from('{"overflows":[],"rejections":[],"withdrawals":[],"rejections":[]}');
    expect(refusal(listOf(twice), mapOf(twice))).toContain('malformed');
  });

  it('reads no page of a list that names one twice, or more bytes than a list may have', () => {
    expect(refusal(listOf(one, one), mapOf(one))).toBe('the list names a page twice');
    const count = MAX_STANDING_NEGATIVES_BYTES / MAX_NEGATIVES_PAGE_BYTES;
    const large = (length: number) => ({
      ...listOf(),
      pages: Array.from({ length }, (_, n) => ({
        digest: `sha256:${n.toString(16).padStart(64, '0')}`,
        size: MAX_NEGATIVES_PAGE_BYTES,
      })),
    });
    expect(pagesOf(large(count))).toHaveLength(count);
    expect(() => pagesOf(large(count + 1))).toThrow(NegativesPageError);
  });
});

describe('negativesPageAddress', () => {
  it.each([
    ['https://a.example/negatives', 'https://a.example/negatives/pages/ab'],
    ['https://a.example/negatives/', 'https://a.example/negatives/pages/ab'],
    ['https://a.example/n?tenant=1/2', 'https://a.example/n/pages/ab?tenant=1/2'],
  ])('is under the address of the list %s', (list, address) => {
    expect(negativesPageAddress(list, 'sha256:ab')).toBe(address);
  });
});
