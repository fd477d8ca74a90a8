import { canonicalJson } from '@colophon/json';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../digest/digest.ts';
import { parseStatement } from '../statement/parse-statement.ts';
import {
  createStandingNegativesStatement,
  parseStandingNegatives,
  type StandingNegatives,
} from './standing-negatives.ts';
import { MAX_NEGATIVES_PAGE_BYTES, MOST_NEGATIVES_PAGES } from './standing-negatives-schema.ts';

const page = { digest: `sha256:${'a'.repeat(64)}`, size: 7 };
const list: StandingNegatives = { sequence: 1, time: '2026-11-22T12:00:00Z', pages: [page] };
const issuesOf = (value: unknown) => {
  const result = parseStandingNegatives(value);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code.replace('standing_negatives.', '')}`);
};
const withPage = (change: object) => ({ ...list, pages: [{ ...page, ...change }] });

describe('parseStandingNegatives', () => {
  it('reads a list, also one with nothing in it', () => {
    expect(parseStandingNegatives(list)).toStrictEqual({ ok: true, value: list });
    expect(issuesOf({ ...list, pages: [], more: true })).toEqual([]);
    expect(issuesOf(withPage({ size: MAX_NEGATIVES_PAGE_BYTES, more: true }))).toEqual([]);
  });

  it.each<[string, unknown, ...string[]]>([
    ['nothing', {}, ...['sequence', 'time', 'pages'].map((name) => `/${name} field_missing`)],
    ['sequence 0', { ...list, sequence: 0 }, '/sequence field_invalid'],
    ['a sequence that not every reader holds', { ...list, sequence: 2 ** 53 }, '/sequence field_invalid'],
    ['a sequence as text', { ...list, sequence: '1' }, '/sequence field_type'],
    ['no time', { ...list, time: 'today' }, '/time field_invalid'],
    ['pages that are no list', { ...list, pages: {} }, '/pages field_type'],
    ['null for none', { ...list, pages: null }, '/pages field_null'],
    ['version 1', { sequence: 1, time: list.time, rejections: [], withdrawals: [] }, '/pages field_missing'],
    ['a page without size', withPage({ size: undefined }), '/pages/0/size field_type'],
    ['an empty page', withPage({ size: 0 }), '/pages/0/size field_invalid'],
    ['a page that is too large', withPage({ size: MAX_NEGATIVES_PAGE_BYTES + 1 }), '/pages/0/size field_invalid'],
    ['a bare digest', withPage({ digest: 'a'.repeat(64) }), '/pages/0/digest field_invalid'],
    ['a list', [list], ' field_type'],
  ])('refuses %s', (_title, value, ...issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });

  it('refuses more pages than a list may have', () => {
    const many = (length: number) => Array.from({ length }, () => page);
    expect(issuesOf({ ...list, pages: many(MOST_NEGATIVES_PAGES) })).toEqual([]);
    expect(issuesOf({ ...list, pages: many(MOST_NEGATIVES_PAGES + 1) })).toEqual(['/pages field_invalid']);
  });
});

describe('createStandingNegativesStatement', () => {
  it('makes a statement about the list itself', () => {
    const statement = createStandingNegativesStatement(list, 'https://a.example/p');
    expect(statement.predicateType).toBe('https://a.example/p/standing-negatives/v2');
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
