import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayOf, formatInstant, parseInstant } from '../time/instant.ts';
import { DAY_MS, dayNumber, formatDay } from './calendar.ts';

test.each([
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2000-02-29', 11_016],
  ['2024-02-29', 19_782],
  ['2026-11-21', 20_778],
  ['0000-01-01', -719_528],
  ['9999-12-31', 2_932_896],
])('%s is day %i', (day, number) => {
  expect(dayNumber(day)).toBe(number);
  expect(formatDay(number)).toBe(day);
});

test.each([
  ...['2023-02-29', '1900-02-29', '2024-02-30', '2024-04-31', '2024-13-01', '2024-00-10', '2024-01-00', '2024-1-1'],
  ...['', '20240101', '2024-01-01 ', '2024-01-01T00:00:00Z', '02/01/2024', '٢٠٢٤-01-01', '-024-01-01'],
])('%j is no day', (text) => {
  expect(dayNumber(text)).toBeUndefined();
});

test.each([
  ['2024-10-22T14:01:42.4737Z', '2024-10-22T14:01:42.473Z'],
  ['2024-12-31T23:59:59+00:00', '2024-12-31T23:59:59Z'],
  ['2024-12-31T23:30:00-01:30', '2025-01-01T01:00:00Z'],
  ['2025-01-01T00:30:00+01:00', '2024-12-31T23:30:00Z'],
  ['2024-03-01 00:00:00z', '2024-03-01T00:00:00Z'],
  ['2024-03-01T00:00:00.5Z', '2024-03-01T00:00:00.500Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
])('%s is the instant %s', (text, normal) => {
  expect(formatInstant(parseInstant(text)!)).toBe(normal);
});

test.each([
  ...['2024-02-30T00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:60:00Z', '2024-06-30T23:59:60Z'],
  ...['2024-01-01T00:00:00', '2024-01-01', '2024-01-01T00:00:00+24:00', '2024-01-01T00:00:00+01:60', 'now', ''],
  ...['2024-01-01T0a:00:00Z', '2024-01-01T00:-1:00Z', '2024-01-01t00:00:00', '2024-01-01T00:00: 0Z'],
  ...['2024-01-01T00:00:00.Z', '2024-01-01T00:00:00ZZ', '2024-01-01T00:00Z'],
])('%j is no instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test('days and instants are those of the engine, which asks no other calendar', () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528 * DAY_MS, max: 2_932_897 * DAY_MS - 1 }), (instant) => {
      const iso = new Date(instant).toISOString();
      expect(parseInstant(iso)).toBe(instant);
      const second = Math.floor(instant / 1000) * 1000;
      expect(parseInstant(iso.replace(/\.\d+Z$/, 'Z'))).toBe(second);
      expect(formatInstant(instant)).toBe(iso.replace('.000Z', 'Z'));
      expect(formatDay(Math.floor(instant / DAY_MS))).toBe(iso.slice(0, 10));
      expect(dayNumber(iso.slice(0, 10))).toBe(Math.floor(instant / DAY_MS));
    }),
    { numRuns: 2000 },
  );
});

test('an instant that RFC 3339 has no words for is a mistake', () => {
  expect(() => formatInstant(2_932_897 * DAY_MS)).toThrow(RangeError);
  expect(() => formatInstant(Number.NaN)).toThrow(RangeError);
});

test.each([
  ['2021-12-10', '2021-12-10'],
  ['2021-12-10T23:59:59Z', '2021-12-10'],
  ['2021-12-10T23:59:59-05:00', '2021-12-11'],
  ['2021-12-32', undefined],
  ['yesterday', undefined],
])('the day of %s is %s', (text, day) => {
  expect(dayOf(text)).toBe(day);
});
