import { fakeClock } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IssuingClock, MAX_BACKWARD_MS } from './issuing-clock.ts';

test('a restart does not make an earlier time believable', () => {
  const clock = fakeClock({ now: 1_000_000_000_000 });
  const seconds = clock.now() / 1000;
  expect(new IssuingClock(clock, seconds + 3).issuedAt()).toBeUndefined();
  expect(new IssuingClock(clock, seconds + 2).issuedAt()).toBe(seconds);
  expect(new IssuingClock(clock, undefined).issuedAt()).toBe(seconds);
});

test('a clock that shows no number issues nothing', () => {
  expect(new IssuingClock({ now: () => Number.NaN }, undefined).issuedAt()).toBeUndefined();
});

test('no time is issued that lies more than two seconds before one that was shown', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -10_000, max: 10_000 })), (steps) => {
      const clock = fakeClock();
      const issuing = new IssuingClock(clock, undefined);
      let latest = Number.NEGATIVE_INFINITY;
      for (const step of steps) {
        clock.advance(step);
        const issuedAt = issuing.issuedAt();
        const isBelievable = clock.now() >= latest - MAX_BACKWARD_MS;
        expect(issuing.hasGoneBack()).toBe(!isBelievable);
        expect(issuedAt).toBe(isBelievable ? Math.floor(clock.now() / 1000) : undefined);
        if (isBelievable) latest = Math.max(latest, clock.now());
      }
    }),
  );
});
