import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timestampSeconds } from './timestamp-seconds.ts';

describe('the seconds of a time', () => {
  it('are those that the platform counts', () => {
    const options = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(options), (date) => {
        expect(timestampSeconds(date.toISOString())).toBeCloseTo(date.getTime() / 1000, 3);
      }),
    );
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59Z', -1],
    ['2000-02-29T00:00:00Z', 951_782_400],
    ['2026-11-21T10:00:00.25Z', 1_795_255_200.25],
  ])('of %s are %d', (time, seconds) => {
    expect(timestampSeconds(time)).toBe(seconds);
  });

  it.each(['', 'never', '2026-11-21', '2026-11-21T10:00:00', '2026-11-21T10:00:00+01:00', ' 2026-11-21T10:00:00Z'])(
    'of %j are none',
    (time) => {
      expect(timestampSeconds(time)).toBeNaN();
    },
  );
});
