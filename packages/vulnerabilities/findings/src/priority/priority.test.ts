import { REMEDIATION_PRIORITIES, type RemediationPriority, SEVERITIES } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decidePriority, dueAt, PRIORITY_HOURS } from './priority.ts';

describe('contract §8', () => {
  test.each([
    [10, true, 'critical-exploited'],
    [9, true, 'critical-exploited'],
    [8.9, true, 'high-exploited'],
    [8, true, 'high-exploited'],
    [7, true, 'high-exploited'],
    [6.9, true, 'high-exploited'],
    [0, true, 'high-exploited'],
    [undefined, true, 'high-exploited'],
    [10, false, 'critical'],
    [9, false, 'critical'],
    [8.9, false, 'high'],
    [8.5, false, 'high'],
    [7, false, 'high'],
    [6.9, false, 'standard'],
    [0.1, false, 'standard'],
    [0, false, 'standard'],
    [undefined, false, 'unknown'],
  ] as const)('a score of %s, exploited %s, is %s', (score, isExploited, priority) => {
    expect(decidePriority({ score, severity: 'unknown', isExploited })).toBe(priority);
  });

  test.each([
    ['critical', 'critical', 'critical-exploited'],
    ['high', 'high', 'high-exploited'],
    ['medium', 'standard', 'high-exploited'],
    ['low', 'standard', 'high-exploited'],
    ['none', 'standard', 'high-exploited'],
    ['unknown', 'unknown', 'high-exploited'],
  ] as const)('without a score, %s is %s, and %s when exploited', (severity, priority, exploited) => {
    expect(decidePriority({ severity, isExploited: false })).toBe(priority);
    expect(decidePriority({ severity, isExploited: true })).toBe(exploited);
  });

  test('the score counts and not the word where both are there', () => {
    expect(decidePriority({ score: 5, severity: 'critical', isExploited: false })).toBe('standard');
    expect(decidePriority({ score: 9.8, severity: 'low', isExploited: false })).toBe('critical');
  });

  test.each([Number.NaN, -1, 10.1, Number.POSITIVE_INFINITY])('%s is no score', (score) => {
    expect(decidePriority({ score, severity: 'high', isExploited: false })).toBe('high');
    expect(decidePriority({ score, severity: 'unknown', isExploited: false })).toBe('unknown');
  });
});

const hoursOf = (priority: RemediationPriority) => PRIORITY_HOURS[priority] ?? Number.POSITIVE_INFINITY;

test('the list goes from most to least urgent', () => {
  expect(REMEDIATION_PRIORITIES.map(hoursOf)).toEqual([24, 48, 168, 336, 720, Number.POSITIVE_INFINITY]);
});

test('being exploited never gives more time, nor does a higher score', () => {
  const score = fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined });
  fc.assert(
    fc.property(score, score, fc.constantFrom(...SEVERITIES), fc.boolean(), (one, other, severity, isExploited) => {
      const quiet = decidePriority({ score: one, severity, isExploited: false });
      const exploited = decidePriority({ score: one, severity, isExploited: true });
      expect(hoursOf(exploited)).toBeLessThan(hoursOf(quiet));
      if (one === undefined || other === undefined) return;
      const [low, high] = [Math.min(one, other), Math.max(one, other)].map((value) =>
        hoursOf(decidePriority({ score: value, severity, isExploited })),
      );
      expect(high).toBeLessThanOrEqual(low!);
    }),
  );
});

test.each([
  ['critical-exploited', '2026-11-22T09:30:00Z'],
  ['high-exploited', '2026-11-23T09:30:00Z'],
  ['critical', '2026-11-28T09:30:00Z'],
  ['high', '2026-12-05T09:30:00Z'],
  ['standard', '2026-12-21T09:30:00Z'],
  ['unknown', null],
] as const)('%s from 09:30 is due at %s', (priority, due) => {
  expect(dueAt(priority, '2026-11-21T09:30:00Z')).toBe(due);
});

test('hours are counted on one clock: neither an offset nor a leap day changes how many there are', () => {
  expect(dueAt('critical-exploited', '2024-02-28T23:00:00-01:00')).toBe('2024-03-01T00:00:00Z');
});

test.each(['', '2026-11-21', 'now'])('to count from %j is a mistake', (from) => {
  expect(() => dueAt('unknown', from)).toThrow(TypeError);
});
