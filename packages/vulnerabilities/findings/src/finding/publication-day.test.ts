import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePublicationDay } from './publication-day.ts';

test.each([
  ['2021-12-10', '2021-12-10'],
  ['2021/12/10', '2021-12-10'],
  ['20211210', '2021-12-10'],
  ['2021-12-10T10:15Z', '2021-12-10'],
  ['2021-12-10T10:15:07.123', '2021-12-10'],
  ['2021-12-10T00:00:00.000000000Z', '2021-12-10'],
  ['2021-12-10T23:30:00-01:00', '2021-12-11'],
  ['2021-12-10T00:30:00+01:00', '2021-12-09'],
  ['2021-12-10T00:30:00+0100', '2021-12-09'],
  ['2021-12-10T00:30:00+01', '2021-12-09'],
  ['2021-12-10 00:00:00 +0000 UTC', '2021-12-10'],
  ['2021-12-10 00:30:00.5 +0100 CET m=+0.000012', '2021-12-09'],
  ['2021-12-10 00:00:00 UTC', '2021-12-10'],
  ['2021-12-10 00:00:00', '2021-12-10'],
  ['2016-12-31T23:59:60Z', '2016-12-31'],
  ['1639094400', '2021-12-10'],
  ['1639094400000', '2021-12-10'],
  ['1639094399.999', '2021-12-09'],
  ['Fri, 10 Dec 2021 00:30:00 +0100', '2021-12-09'],
  ['10 Dec 2021 23:59 EST', '2021-12-11'],
  ['Fri, 10 Dec 2021 10:00:00 GMT', '2021-12-10'],
  ['1 January 2022', '2022-01-01'],
  ['December 10, 2021', '2021-12-10'],
  ['Dec. 1, 2021', '2021-12-01'],
])('%j is %s', (text, day) => {
  expect(parsePublicationDay(text)).toBe(day);
});

test.each([
  ...['', 'yesterday', '2021-02-29', '2021-13-01', '2021-12-10T25:00:00Z', '2021-12-10T00:00:00+25:00', '12/10/2021'],
  ...['0001-01-01T00:00:00Z', '1970-01-01', '0', '1e12', '10 Foo 2021', '2021-12-10 00:00:00 __proto__', '31 Feb 2021'],
  ...['99999999999999', 'x'.repeat(1000)],
])('%j is no day of publication', (text) => {
  expect(parsePublicationDay(text)).toBeUndefined();
});

test('any instant is its day in UTC, however it is written', () => {
  const instants = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2099-12-31') });
  fc.assert(
    fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, minutes) => {
      const day = new Date(instant).toISOString().slice(0, 10);
      const local = new Date(instant + minutes * 60_000).toISOString().slice(0, -1);
      const two = (number: number) => String(number).padStart(2, '0');
      const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      for (const text of [local + offset, `${local.replace('T', ' ')} ${offset.replace(':', '')} XST`]) {
        expect(`${text} ${parsePublicationDay(text)}`).toBe(`${text} ${day}`);
      }
      expect(parsePublicationDay(String(instant))).toBe(day);
      expect(parsePublicationDay(String(Math.floor(instant / 1000)))).toBe(day);
      expect(parsePublicationDay(new Date(instant).toUTCString())).toBe(day);
    }),
  );
});
