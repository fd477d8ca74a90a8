import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, dayAt, dayNumber, dayOf, daysBetween, instantAt, instantMs } from './calendar.ts';

const instants = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2999, 11, 31) });

test('instants and days are those of the platform’s own calendar', () => {
  fc.assert(
    fc.property(instants, (ms) => {
      const text = new Date(ms).toISOString();
      expect(instantMs(text)).toBe(ms);
      expect(instantMs(instantAt(ms))).toBe(ms);
      expect(instantAt(ms)).toBe(text.replace('.000Z', 'Z'));
      expect(dayOf(text)).toBe(text.slice(0, 10));
      expect(dayAt(dayNumber(text.slice(0, 10))!)).toBe(text.slice(0, 10));
    }),
  );
});

test.each([
  ['2024-02-28', '2024-03-01', 2],
  ['2023-02-28', '2023-03-01', 1],
  ['2026-12-31', '2027-01-01', 1],
  ['2026-01-01', '2026-01-01', 0],
  ['2026-03-28', '2026-03-30', 2],
  ['2026-10-25', '2026-10-26', 1],
  ['2026-11-21', '2026-11-20', -1],
])('from %s to %s it is %i days', (from, to, days) => {
  expect(daysBetween(from, to)).toBe(days);
  expect(addDays(from, days)).toBe(to);
});

test.each([
  '2026-02-29',
  '2026-04-31',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '26-01-01',
  '2026-1-1',
  '',
  '2026-01-01 ',
])('%j is no day', (text) => {
  expect(dayNumber(text)).toBeUndefined();
  expect(dayOf(text)).toBeUndefined();
  expect(() => daysBetween(text, '2026-01-01')).toThrow(TypeError);
});

test.each([
  ['2026-11-21T23:30:00-02:00', '2026-11-22', '2026-11-22T01:30:00Z'],
  ['2026-03-01T00:30:00+01:00', '2026-02-28', '2026-02-28T23:30:00Z'],
  ['2026-11-21T10:00:00.250Z', '2026-11-21', '2026-11-21T10:00:00.250Z'],
  ['2026-11-21t10:00:00z', '2026-11-21', '2026-11-21T10:00:00Z'],
])('%s is on %s in UTC', (text, day, instant) => {
  expect(dayOf(text)).toBe(day);
  expect(instantAt(instantMs(text)!)).toBe(instant);
});

test.each([
  '2026-11-21T24:00:00Z',
  '2026-11-21T10:00:60Z',
  '2026-02-29T10:00:00Z',
  '2026-11-21T10:00:00',
  '2026-11-21 10:00:00Z',
  '2026-11-21T10:00Z',
  '2026-11-21',
])('%s is no instant', (text) => {
  expect(instantMs(text)).toBeUndefined();
});
