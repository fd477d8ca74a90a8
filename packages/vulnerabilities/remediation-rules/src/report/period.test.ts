import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePeriod } from './period.ts';

const read = (text: string) => {
  const parsed = parsePeriod(text);
  return parsed.ok ? `${parsed.value.name} ${parsed.value.from} ${parsed.value.until}` : parsed.issues[0]?.code;
};

describe('parsePeriod', () => {
  test.each([
    ['2026-Q1', '2026-Q1 2026-01-01 2026-04-01'],
    ['2026-Q2', '2026-Q2 2026-04-01 2026-07-01'],
    ['2026-Q3', '2026-Q3 2026-07-01 2026-10-01'],
    ['2026-Q4', '2026-Q4 2026-10-01 2027-01-01'],
    ['2026q4', '2026-Q4 2026-10-01 2027-01-01'],
    ['2026 Q4', '2026-Q4 2026-10-01 2027-01-01'],
    ['Q4 2026', '2026-Q4 2026-10-01 2027-01-01'],
    ['q4-2026', '2026-Q4 2026-10-01 2027-01-01'],
    [' 2026-Q4\n', '2026-Q4 2026-10-01 2027-01-01'],
    ['1999-Q1', '1999-Q1 1999-01-01 1999-04-01'],
    ['9998-Q4', '9998-Q4 9998-10-01 9999-01-01'],
  ])('reads %j', (text, expected) => expect(read(text)).toBe(expected));

  test.each([
    '',
    'Q4',
    '2026',
    '2026-Q0',
    '2026-Q5',
    '2026-4',
    '2026-10',
    '26-Q4',
    '2026--Q4',
    '2026-Q44',
    '02026-Q4',
    '1998-Q4',
    '9999-Q4',
    '2026/Q4',
    '２０２６-Q4',
    '2026-Q4 x',
    '2026-Q4..2027-Q1',
  ])('refuses %j, and says the form', (text) => {
    expect(parsePeriod(text)).toMatchObject({
      ok: false,
      issues: [{ code: 'report.period_invalid', expected: expect.stringContaining('2026-Q4') }],
    });
  });

  test('quarters follow each other without a gap, and have as many days as the calendar gives them', () => {
    const quarter = fc.record({ year: fc.integer({ min: 1999, max: 9997 }), number: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(quarter, ({ year, number }) => {
        const one = parsePeriod(`${year}-Q${number}`);
        const next = parsePeriod(number === 4 ? `${year + 1}-Q1` : `${year}-Q${number + 1}`);
        if (!one.ok || !next.ok) return expect.fail();
        expect(one.value.endDay).toBe(next.value.firstDay);
        expect(one.value.firstDay).toBe(Date.UTC(year, number * 3 - 3, 1) / 86_400_000);
        const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
        expect(one.value.endDay - one.value.firstDay).toBe([isLeap ? 91 : 90, 91, 92, 92][number - 1]);
      }),
    );
  });
});
