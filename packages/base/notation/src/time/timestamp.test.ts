import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimestamp, parseTimestamp } from './timestamp.ts';

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-21T10:09:08Z', '2026-11-21T10:09:08Z'],
    ['2026-11-21T10:09:08.5Z', '2026-11-21T10:09:08.5Z'],
    ['2026-11-21T10:09:08.500Z', '2026-11-21T10:09:08.5Z'],
    ['2026-11-21T10:09:08.050Z', '2026-11-21T10:09:08.05Z'],
    ['2026-11-21T10:09:00.000Z', '2026-11-21T10:09:00Z'],
    ['2026-11-21T10:09:00.0Z', '2026-11-21T10:09:00Z'],
    ['2026-11-21T10:20:30Z', '2026-11-21T10:20:30Z'],
    ['2026-11-21T10:09:08.123456789Z', '2026-11-21T10:09:08.123456789Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
    ['2026-02-28T19:00:00Z', '2026-02-28T19:00:00Z'],
    ['2026-04-30T20:00:00Z', '2026-04-30T20:00:00Z'],
  ])('reads %s as %s', (text, normalised) => {
    expect(parseTimestamp(text)).toBe(normalised);
  });

  it.each([
    ['nothing', ''],
    ['a date alone', '2026-11-21'],
    ['an offset', '2026-11-21T10:09:08+00:00'],
    ['no offset', '2026-11-21T10:09:08'],
    ['a small t', '2026-11-21t10:09:08Z'],
    ['a small z', '2026-11-21T10:09:08z'],
    ['a space for the T', '2026-11-21 10:09:08Z'],
    ['no seconds', '2026-11-21T10:09Z'],
    ['month 0', '2026-00-21T10:09:08Z'],
    ['month 13', '2026-13-21T10:09:08Z'],
    ['day 0', '2026-11-00T10:09:08Z'],
    ['day 32', '2026-12-32T10:09:08Z'],
    ['hour 24', '2026-11-21T24:00:00Z'],
    ['minute 60', '2026-11-21T10:60:08Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['29 February of a common year', '2026-02-29T10:09:08Z'],
    ['29 February of a common century', '1900-02-29T10:09:08Z'],
    ['30 February', '2024-02-30T10:09:08Z'],
    ['31 April', '2026-04-31T10:09:08Z'],
    ['31 June', '2026-06-31T10:09:08Z'],
    ['31 September', '2026-09-31T10:09:08Z'],
    ['31 November', '2026-11-31T10:09:08Z'],
    ['an empty fraction', '2026-11-21T10:09:08.Z'],
    ['ten digits of fraction', '2026-11-21T10:09:08.1234567890Z'],
    ['a comma', '2026-11-21T10:09:08,5Z'],
    ['a five-digit year', '12026-11-21T10:09:08Z'],
    ['a sign', '-026-11-21T10:09:08Z'],
    ['a newline at the end', '2026-11-21T10:09:08Z\n'],
    ['a space at the start', ' 2026-11-21T10:09:08Z'],
    ['Arabic digits', '٢٠٢٦-11-21T10:09:08Z'],
  ])('refuses %s', (_title, text) => {
    expect(parseTimestamp(text)).toBeUndefined();
    expect(isTimestamp(text)).toBe(false);
  });

  it('has the calendar that JavaScript has', () => {
    const day = fc.tuple(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    );
    fc.assert(
      fc.property(day, ([year, month, date]) => {
        const text = `${`${year}`.padStart(4, '0')}-${`${month}`.padStart(2, '0')}-${`${date}`.padStart(2, '0')}T00:00:00Z`;
        const exists = new Date(text).toISOString().slice(0, 10) === text.slice(0, 10);
        expect(isTimestamp(text)).toBe(exists);
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same when read again, and the same moment', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-01-01') }),
        (date) => {
          const once = parseTimestamp(date.toISOString())!;
          expect(parseTimestamp(once)).toBe(once);
          expect(new Date(once).getTime()).toBe(date.getTime());
        },
      ),
    );
  });
});
