import { expect, test } from 'vitest';
import { fakeClock } from './fake-clock.ts';

test('a fake clock stands still until it is moved', () => {
  const clock = fakeClock({ now: 1_000 });
  expect([clock.now(), clock.now()]).toEqual([1_000, 1_000]);
  clock.advance(500);
  expect(clock.now()).toBe(1_500);
  clock.set(7);
  expect(clock.now()).toBe(7);
});

test('it can be set by an RFC 3339 time, and has a time of its own', () => {
  expect(fakeClock({ now: '1970-01-01T00:00:02Z' }).now()).toBe(2_000);
  expect(new Date(fakeClock().now()).toISOString()).toBe('2026-11-21T12:00:00.000Z');
});

test('it shows no time that is none', () => {
  expect(() => fakeClock({ now: 'soon' })).toThrow(TypeError);
});
