import { canonicalJson } from '@colophon/json';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../digest/digest.ts';
import { parseStatement } from '../statement/parse-statement.ts';
import {
  createStandingNegativesStatement,
  parseStandingNegatives,
  type StandingNegatives,
} from './standing-negatives.ts';
import { MOST_REJECTED_DIGESTS, MOST_STANDING_NEGATIVES } from './standing-negatives-schema.ts';

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
const list: StandingNegatives = {
  sequence: 1,
  time: '2026-11-22T12:00:00Z',
  rejections: [rejection],
  withdrawals: [withdrawal],
};
const issuesOf = (value: unknown) => {
  const result = parseStandingNegatives(value);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code.replace('standing_negatives.', '')}`);
};
const withRejection = (change: object) => ({ ...list, rejections: [{ ...rejection, ...change }] });
const withWithdrawal = (change: object) => ({ ...list, withdrawals: [{ ...withdrawal, ...change }] });

describe('parseStandingNegatives', () => {
  it('reads a list, also one with nothing in it', () => {
    expect(parseStandingNegatives(list)).toStrictEqual({ ok: true, value: list });
    expect(issuesOf({ ...list, rejections: [], withdrawals: [] })).toEqual([]);
    expect(issuesOf(withRejection({ images: [] }))).toEqual([]);
    expect(issuesOf(withRejection({ commits: [], more: true }))).toEqual([]);
  });

  it.each<[string, unknown, ...string[]]>([
    ['nothing', {}, ...['sequence', 'time', 'rejections', 'withdrawals'].map((name) => `/${name} field_missing`)],
    ['sequence 0', { ...list, sequence: 0 }, '/sequence field_invalid'],
    ['a sequence that not every reader holds', { ...list, sequence: 2 ** 53 }, '/sequence field_invalid'],
    ['a sequence as text', { ...list, sequence: '1' }, '/sequence field_type'],
    ['no time', { ...list, time: 'today' }, '/time field_invalid'],
    ['rejections that are no list', { ...list, rejections: {} }, '/rejections field_type'],
    ['null for none', { ...list, withdrawals: null }, '/withdrawals field_null'],
    [
      'a rejection of nobody',
      withRejection({ person: ' ', subject: '', issuer: null }),
      '/rejections/0/subject field_empty',
      '/rejections/0/issuer field_null',
      '/rejections/0/person field_empty',
    ],
    ['a rejection without images', withRejection({ images: undefined }), '/rejections/0/images field_type'],
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
    ['a list', [list], ' field_type'],
  ])('refuses %s', (_title, value, ...issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });

  it('refuses more than a list, or a rejection, may hold', () => {
    const many = (length: number, item: unknown) => Array.from({ length }, () => item);
    expect(issuesOf({ ...list, rejections: many(MOST_STANDING_NEGATIVES, rejection) })).toEqual([]);
    expect(issuesOf({ ...list, rejections: many(MOST_STANDING_NEGATIVES + 1, rejection) })).toEqual([
      '/rejections field_invalid',
    ]);
    expect(issuesOf({ ...list, withdrawals: many(MOST_STANDING_NEGATIVES + 1, withdrawal) })).toEqual([
      '/withdrawals field_invalid',
    ]);
    expect(issuesOf(withRejection({ images: many(MOST_REJECTED_DIGESTS + 1, rejection.images[0]) }))).toEqual([
      '/rejections/0/images field_invalid',
    ]);
    expect(issuesOf(withRejection({ commits: many(MOST_REJECTED_DIGESTS + 1, rejection.commits[0]) }))).toEqual([
      '/rejections/0/commits field_invalid',
    ]);
  });
});

describe('createStandingNegativesStatement', () => {
  it('makes a statement about the list itself', () => {
    const statement = createStandingNegativesStatement(list, 'https://a.example/p');
    expect(statement.predicateType).toBe('https://a.example/p/standing-negatives/v1');
    const digest = digestOf(canonicalJson(list)).replace('sha256:', '');
    expect(statement.subject).toEqual([{ name: 'standing-negatives', digest: { sha256: digest } }]);
    const read = parseStatement(new TextEncoder().encode(JSON.stringify(statement)));
    expect(read.ok && parseStandingNegatives(read.value.predicate)).toEqual({ ok: true, value: list });
  });

  it('makes none of what would not be read back', () => {
    expect(() => createStandingNegativesStatement({ ...list, sequence: 0 })).toThrow(
      new TypeError('/sequence: standing_negatives.field_invalid'),
    );
  });
});
