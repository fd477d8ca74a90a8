import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTimes, isRfc3339, normaliseTime } from './vex-time.ts';

describe('normaliseTime', () => {
  test.each([
    ['2026-01-30T12:00:00Z', '2026-01-30T12:00:00Z'],
    ['2026-01-30T12:00:00.000Z', '2026-01-30T12:00:00.000Z'],
    ['2023-07-17T18:28:47.696004345-06:00', '2023-07-18T00:28:47.696004345Z'],
    ['2022-12-31T23:30:00-01:00', '2023-01-01T00:30:00Z'],
    ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00Z'],
    ['2026-01-30t12:00:00.500z', '2026-01-30T12:00:00.5Z'],
    ['2026-01-30 12:00:00', '2026-01-30T12:00:00Z'],
    [' 2026-01-30 ', '2026-01-30T00:00:00Z'],
    ['2026-01-30T12:00:00+0000', '2026-01-30T12:00:00Z'],
    ['2026-01-30T12:00:00.5-0130', '2026-01-30T13:30:00.5Z'],
  ])('reads %s as %s', (text, time) => {
    expect(normaliseTime(text)).toBe(time);
  });

  test.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-01-30T25:00:00Z',
    '1706616000',
    '0000-01-01T00:00:00Z',
    '2026-01',
    '2026-01-30T12:00:00+2500',
  ])('takes "%s" for no time', (text) => {
    expect(normaliseTime(text)).toBeUndefined();
  });

  test('looks at a text of any length once: a megabyte would take minutes if each place could begin an offset', () => {
    for (const text of ['T'.repeat(1e6), `2026-01-30T${'T+'.repeat(5e5)}`, `2026-01-30T${'+'.repeat(1e6)}`])
      expect(normaliseTime(text)).toBeUndefined();
  });

  test('takes nothing whose UTC is outside the years that are written', () => {
    expect(normaliseTime('0001-01-01T00:00:00+01:00')).toBeUndefined();
    expect(normaliseTime('9999-12-31T23:59:59-01:00')).toBeUndefined();
  });
});

describe('compareTimes', () => {
  test('orders fractions, which their texts alone do not', () => {
    const times = ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.25Z'];
    expect(times.sort(compareTimes)).toEqual([
      '2026-01-01T00:00:00Z',
      '2026-01-01T00:00:00.25Z',
      '2026-01-01T00:00:00.5Z',
    ]);
  });

  test('knows one moment in two spellings', () => {
    expect(compareTimes('2026-01-01T00:00:00.50Z', '2026-01-01T00:00:00.5Z')).toBe(0);
    expect(compareTimes('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z')).toBe(0);
    expect(compareTimes('2026-01-01T00:00:10Z', '2026-01-01T00:00:10.0Z')).toBe(0);
    expect(compareTimes('2026-01-01T00:00:10Z', '2026-01-01T00:00:01Z')).toBe(1);
  });

  test('agrees with the moments that the engine computes', () => {
    const time = fc.date({ noInvalidDate: true, min: new Date('0002-01-01'), max: new Date('9990-01-01') });
    fc.assert(
      fc.property(time, time, fc.integer({ min: -14 * 60, max: 14 * 60 }), (a, b, offset) => {
        const shifted = new Date(a.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
          `${part}`.padStart(2, '0'),
        );
        const written = normaliseTime(`${shifted}${offset < 0 ? '-' : '+'}${hours}:${minutes}`)!;
        expect(new Date(written).getTime()).toBe(a.getTime());
        expect(Math.sign(compareTimes(written, b.toISOString()))).toBe(Math.sign(a.getTime() - b.getTime()));
      }),
    );
  });
});

test('RFC 3339 has a T and an offset', () => {
  const written = ['2026-01-30T12:00:00+01:00', '2026-01-30T12:00:00z', '2026-01-30', '2026-01-30 12:00:00Z', 'T'];
  expect(written.map(isRfc3339)).toEqual([true, true, false, false, false]);
});
