import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertMayBeDeleted, keptUntil, retainUntil } from './retention.ts';

test.each([
  ['2026-11-21T10:00:00Z', 3, '2029-11-21T10:00:00Z'],
  ['2024-02-29T23:59:59Z', 3, '2027-03-01T23:59:59Z'],
  ['2024-02-29T00:00:00Z', 4, '2028-02-29T00:00:00Z'],
  ['2096-02-29T00:00:00Z', 4, '2100-03-01T00:00:00Z'],
  ['2025-12-31T23:59:59Z', 10, '2035-12-31T23:59:59Z'],
])('%s and %i years are %s', (publishedAt, years, until) => {
  expect(retainUntil(publishedAt, years)).toBe(until);
});

test.each([2, 0, -1, 3.5, Number.NaN, Number.POSITIVE_INFINITY, 101])('%s years are refused', (years) => {
  expect(() => retainUntil('2026-11-21T10:00:00Z', years)).toThrow(
    expect.objectContaining({ code: 'publishing.retention_too_short' }),
  );
});

test('nothing is ever kept for less than three years of the calendar', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1970-01-01'), max: new Date('2900-01-01'), noInvalidDate: true }),
      fc.integer({ min: 3, max: 100 }),
      (date, years) => {
        const publishedAt = `${date.toISOString().slice(0, 19)}Z`;
        const least = new Date(publishedAt);
        least.setUTCFullYear(least.getUTCFullYear() + years);
        expect(Date.parse(retainUntil(publishedAt, years))).toBe(least.getTime());
      },
    ),
  );
});

test('deletion is refused until the very second, also by an index that promises less', () => {
  const publication = { version: '1', published_at: '2026-11-21T10:00:00Z', retain_until: '2026-11-21T10:00:01Z' };
  expect(keptUntil(publication)).toBe('2029-11-21T10:00:00Z');
  expect(() => assertMayBeDeleted(publication, '2029-11-21T09:59:59Z')).toThrow(
    expect.objectContaining({ code: 'publishing.retained' }),
  );
  expect(() => assertMayBeDeleted(publication, '2029-11-21T10:00:00Z')).not.toThrow();
  const longer = { ...publication, retain_until: '2036-11-21T10:00:00Z' };
  expect(() => assertMayBeDeleted(longer, '2030-11-21T10:00:00Z')).toThrow();
});
