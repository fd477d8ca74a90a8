import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SignedLog } from '../../test/signed-log.ts';
import { readSignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';
import { type KnownCheckpoints, knownList, MOST_SEEN, withSeen } from './pin-rule.ts';

const leaves = (count: number, of = 'leaf') => Array.from({ length: count }, (_, i) => `${of} ${i}`);
const log = new SignedLog().add(...leaves(200));
const fork = new SignedLog('log.example', log).add(...leaves(3), ...leaves(197, 'other'));
const at = (size: number, of = log) => readSignedCheckpoint(of.note(size), of.publicKey);
const NOTHING: KnownCheckpoints = { seen: [] };
const sizes = (known: KnownCheckpoints) => knownList(known).map(({ size }) => size);

describe('what is known of a log', () => {
  test('begins with the first checkpoint', () => {
    expect(sizes(withSeen(NOTHING, at(7), false))).toEqual([7]);
  });

  test('grows by what is larger, and is the same where nothing is new', () => {
    const one = withSeen(NOTHING, at(7), false);
    for (const size of [7, 5, 0]) {
      expect(withSeen(one, at(size), false)).toBe(one);
      expect(withSeen(one, at(size), true)).toBe(one);
    }
    const two = withSeen(one, at(9), false);
    expect(sizes(two)).toEqual([7, 9]);
    expect(withSeen(two, at(9), false)).toBe(two);
    expect(sizes(withSeen(two, at(8), false))).toEqual([7, 8, 9]);
  });

  test('keeps the pinned one until a larger one is proven', () => {
    const known = withSeen(withSeen(NOTHING, at(7), false), at(9), false);
    expect(withSeen(known, at(12), false).pinned?.size).toBe(7);
    expect(sizes(withSeen(known, at(12), true))).toEqual([12]);
    expect(sizes(withSeen(known, at(8), true))).toEqual([8, 9]);
  });

  test('has no room for two roots of one size', () => {
    for (const known of [withSeen(NOTHING, at(9), false), withSeen(withSeen(NOTHING, at(3), false), at(9), false)]) {
      for (const isProven of [true, false]) {
        expect(() => withSeen(known, at(9, fork), isProven)).toThrow(
          expect.objectContaining({
            code: 'pin.fork',
            message: 'the log "log.example" signed two roots for its first 9 entries',
            facts: {
              expected: `root ${Buffer.from(at(9).root).toString('hex')}, as pinned`,
              found: `root ${Buffer.from(at(9, fork).root).toString('hex')}`,
            },
          }),
        );
      }
    }
    // Up to there the two are one.
    expect(sizes(withSeen(withSeen(NOTHING, at(3), false), at(3, fork), false))).toEqual([3]);
  });

  test('never goes back, whatever comes', () => {
    const seen = fc.array(fc.record({ size: fc.integer({ min: 0, max: 200 }), isProven: fc.boolean() }));
    fc.assert(
      fc.property(seen, (list) => {
        let known = NOTHING;
        for (const { size, isProven } of list) {
          const next = withSeen(known, at(size), isProven);
          expect(next.pinned!.size).toBeGreaterThanOrEqual(known.pinned?.size ?? 0);
          expect(Math.max(...sizes(next))).toBeGreaterThanOrEqual(Math.max(0, ...sizes(known)));
          expect(sizes(next)).toEqual([...new Set(sizes(next))].sort((a, b) => a - b));
          expect(next.seen.length).toBeLessThanOrEqual(MOST_SEEN);
          known = next;
        }
      }),
      { numRuns: 20 },
    );
  });

  test('is bounded, and keeps the largest', () => {
    let known = withSeen(NOTHING, at(1), false);
    for (let size = 2; size <= 200; size += 1) known = withSeen(known, at(size), false);
    expect(known.seen).toHaveLength(MOST_SEEN);
    expect(known.seen.at(-1)!.size).toBe(200);
    expect(known.seen.at(-2)!.size).toBe(MOST_SEEN);
  });
});
