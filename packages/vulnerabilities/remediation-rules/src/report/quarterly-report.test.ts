import { TARGET_DAYS, TARGETED_SEVERITIES } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complianceRate, severitySla } from './quarterly-report.ts';

describe('the rate', () => {
  test.each([
    [0, 0, '100.0%'],
    [1, 1, '100.0%'],
    [0, 1, '0.0%'],
    [7, 8, '87.5%'],
    [2, 3, '66.7%'],
    [1, 3, '33.3%'],
    [1, 8, '12.5%'],
    [1, 2000, '0.1%'],
    [1, 2001, '0.0%'],
    [9999, 10_000, '99.9%'],
    [999, 1000, '99.9%'],
    [1, 16, '6.3%'],
  ])('%i of %i is %s', (within, due, expected) => expect(complianceRate(within, due)).toBe(expected));

  test('says 100 % only where nothing was late', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), (within, late) => {
        const rate = complianceRate(within, within + late);
        expect(rate).toMatch(/^\d{1,3}\.\d%$/);
        expect(rate === '100.0%').toBe(late === 0);
        if (late > 0)
          expect(Math.abs(Number.parseFloat(rate) - (within / (within + late)) * 100)).toBeLessThanOrEqual(0.1);
      }),
    );
  });
});

describe('the average', () => {
  const of = (severity: 'critical' | 'high' | 'medium', ...days: number[]) =>
    severitySla(
      severity,
      days.map((one) => ({ days: one })),
    );
  test.each([
    [of('critical'), { target_days: 1, actual_avg_days: 0, pass: true }],
    [of('critical', 0, 1), { target_days: 1, actual_avg_days: 0.5, pass: true }],
    [of('critical', 1, 1), { target_days: 1, actual_avg_days: 1, pass: true }],
    [of('critical', 0, 3), { target_days: 1, actual_avg_days: 1.5, pass: false }],
    [of('high', 1, 2, 4), { target_days: 7, actual_avg_days: 2.3, pass: true }],
    [of('high', 1, 1, 3), { target_days: 7, actual_avg_days: 1.7, pass: true }],
    [of('medium', 30, 31), { target_days: 30, actual_avg_days: 30.5, pass: false }],
    [of('medium', ...Array(99).fill(30), 31), { target_days: 30, actual_avg_days: 30.1, pass: false }],
  ])('%#', (found, expected) => expect(found).toEqual(expected));

  test('reads as passed exactly where it passed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TARGETED_SEVERITIES), fc.array(fc.nat(70)), (severity, days) => {
        const { actual_avg_days, pass, target_days } = of(severity, ...days);
        expect(target_days).toBe(TARGET_DAYS[severity]);
        expect(actual_avg_days <= target_days).toBe(pass);
        const exact = days.length === 0 ? 0 : days.reduce((a, b) => a + b, 0) / days.length;
        expect(exact <= target_days).toBe(pass);
        expect(Math.abs(actual_avg_days - exact)).toBeLessThanOrEqual(0.1000001);
      }),
    );
  });
});
