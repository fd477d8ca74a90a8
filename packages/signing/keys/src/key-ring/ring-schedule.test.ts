import { formatInstant } from '@colophon/notation';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRing, type RingEntry, writeRing } from './ring-entry.ts';
import {
  isLastKey,
  keysAt,
  RING_TIMING,
  requireNoRotation,
  stateOfKey,
  withNextKey,
  withoutKey,
} from './ring-schedule.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECOND = 1000;
const { cacheSeconds, tokenSeconds } = RING_TIMING;

const key = (number: number) => ({ file: `issuer-${number}.pem`, kid: String(number).padStart(43, 'k') });
const FIRST: readonly RingEntry[] = [key(1)];
const rotated = (entries: readonly RingEntry[], now: number) =>
  withNextKey(entries, key(entries.length + 1), { now, timing: RING_TIMING });
function revoked(entries: readonly RingEntry[], number: number, now: number): readonly RingEntry[] {
  const { kid } = key(number);
  return withoutKey(entries, kid, now, isLastKey(entries, kid, now) ? key(entries.length + 1) : undefined);
}

/** The state of every key, in a letter each: Next, Signing, Old (retiring), gone (-), revoked (x). */
function shown(entries: readonly RingEntry[], now: number): string {
  const letters = { next: 'N', signing: 'S', retiring: 'O', retired: '-', revoked: 'x' };
  return entries.map((entry) => letters[stateOfKey(entries, entry, now)]).join('');
}

/** Numbers of the keys in the key set. */
const published = (entries: readonly RingEntry[], now: number) =>
  keysAt(entries, now).published.map((entry) => entries.indexOf(entry) + 1);

describe('a rotation', () => {
  const ring = rotated(FIRST, NOW);
  // A cache life and the five seconds in which a running server sees the state.
  const SIGNS = NOW + 305 * SECOND;
  // The longest token, a cache life, and a minute for clocks that are behind.
  const GONE = SIGNS + 960 * SECOND;

  test.each([
    ['a second before it', NOW - SECOND, 'SN', [1]],
    ['when it is asked for', NOW, 'SN', [1, 2]],
    ['a second after it', NOW + SECOND, 'SN', [1, 2]],
    ['a second before the next key signs', SIGNS - SECOND, 'SN', [1, 2]],
    ['a millisecond before that', SIGNS - 1, 'SN', [1, 2]],
    ['when the next key signs', SIGNS, 'OS', [1, 2]],
    ['a second after that', SIGNS + SECOND, 'OS', [1, 2]],
    ['a second before the old key leaves', GONE - SECOND, 'OS', [1, 2]],
    ['when it leaves', GONE, '-S', [2]],
    ['a second after that too', GONE + SECOND, '-S', [2]],
  ])('%s, at %d, is %s, with %j in the key set', (_, now, states, numbers) => {
    expect([shown(ring, now), published(ring, now)]).toEqual([states, numbers]);
  });

  test('that is asked for while the next key does not sign yet is refused', () => {
    for (const now of [NOW - 3600 * SECOND, NOW, SIGNS - 1]) {
      expect(() => requireNoRotation(ring, now)).toThrow(expect.objectContaining({ code: 'key.rotation_under_way' }));
    }
    expect(() => requireNoRotation(ring, SIGNS)).not.toThrow();
  });

  test('begins with the next whole second, never earlier', () => {
    expect(rotated(FIRST, NOW + 1)[1]).toMatchObject({ published_at: formatInstant(NOW + SECOND) });
  });
});

describe('a revocation', () => {
  const ring = rotated(FIRST, NOW);
  const SIGNS = NOW + 305 * SECOND;

  test.each([
    ['the only key has a new one sign at once', FIRST, 1, NOW, 'xS'],
    ['the signing key has the next one sign at once', ring, 1, NOW + SECOND, 'xS'],
    ['the next key leaves the other signing', ring, 2, NOW + SECOND, 'Sx'],
    ['the retiring key leaves the other signing', ring, 1, SIGNS, 'xS'],
    ['the key that signs brings no retiring one back', ring, 2, SIGNS, 'OxS'],
    ['a key that is long gone changes nothing else', ring, 1, SIGNS + 3600 * SECOND, 'xS'],
  ])('of %s', (_, entries, number, now, states) => {
    const after = revoked(entries, number, now);
    expect([shown(after, now), published(after, now).includes(number)]).toEqual([states, false]);
    // Whatever a clock shows later or earlier.
    for (const other of [now - 3600 * SECOND, now - 1, now + 1, now + 1e9]) {
      expect(published(after, other)).not.toContain(number);
    }
  });

  test('of the next key leaves the one that signs without an end', () => {
    expect(shown(revoked(ring, 2, NOW + SECOND), NOW + 1e9)).toBe('Sx');
  });

  test('of the only key, by a clock that then goes back, leaves the new one signing: there is no other', () => {
    expect(shown(revoked(FIRST, 1, NOW), NOW - 3600 * SECOND)).toBe('xS');
  });
});

describe('whatever is asked for, and whenever', () => {
  type Step = { readonly wait: number; readonly revokes: number | undefined };
  const steps = fc.array(
    fc.record({
      wait: fc.oneof(
        fc.integer({ min: 0, max: 2000 }),
        fc.constantFrom(0, 1, 299, 300, 304, 305, 306, 960, 1265, 1266),
      ),
      revokes: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  );

  /** Every state that the ring has, with the milliseconds from which it has it. */
  function history(plan: readonly Step[]) {
    let now = NOW;
    let entries = FIRST;
    const states = [{ from: now, entries, isEmergency: false }];
    for (const { wait, revokes } of plan) {
      now += wait * SECOND;
      const found = revokes === undefined ? undefined : entries[revokes % entries.length];
      if (found?.revoked_at !== undefined) continue;
      if (found === undefined && entries.some((one) => stateOfKey(entries, one, now) === 'next')) continue;
      const isEmergency = found !== undefined && keysAt(entries, now).signing === found;
      entries = found === undefined ? rotated(entries, now) : revoked(entries, entries.indexOf(found) + 1, now);
      states.push({ from: now, entries, isEmergency });
    }
    const end = now + 4000 * SECOND;
    return { states, end, at: (time: number) => states.findLast(({ from }) => from <= time)! };
  }

  const times = (from: number, to: number) => {
    const all: number[] = [];
    for (let time = from; time <= to; time += 97 * SECOND) all.push(time, time + 1);
    return all;
  };

  test('each state is one that a start takes', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        for (const { entries } of history(plan).states) {
          expect(parseRing('ring.json', Buffer.from(writeRing(entries)))).toEqual(entries);
        }
      }),
    );
  });

  test('no key signs that was published for less than a cache life, except after an emergency', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { states, end, at } = history(plan);
        const since = new Map<string, number>([[FIRST[0]!.kid, Number.NEGATIVE_INFINITY]]);
        const emergencies = states.filter(({ isEmergency }) => isEmergency);
        const exempt = new Set(emergencies.map(({ entries, from }) => keysAt(entries, from).signing.kid));
        for (let time = NOW; time <= end; time += SECOND) {
          const { entries } = at(time);
          const { signing, published } = keysAt(entries, time);
          for (const { kid } of published) if (!since.has(kid)) since.set(kid, time);
          if (!exempt.has(signing.kid)) {
            expect(time - since.get(signing.kid)!).toBeGreaterThan(cacheSeconds * SECOND);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('the key of a token that is valid is in the key set, unless it was revoked', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const { end, at } = history(plan);
        for (const signedAt of times(NOW, end)) {
          const { kid } = keysAt(at(signedAt).entries, signedAt).signing;
          for (const later of [0, 1, 300, 599, tokenSeconds, tokenSeconds + 60].map((s) => signedAt + s * SECOND)) {
            const { entries } = at(later);
            const isRevoked = entries.find((entry) => entry.kid === kid)?.revoked_at !== undefined;
            const isPublished = keysAt(entries, later).published.some((entry) => entry.kid === kid);
            expect(isPublished).toBe(!isRevoked);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a clock that shows any other time has a key sign that is in the key set then, and was not revoked', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: -5000, max: 5000 }), (plan, off) => {
        for (const { from, entries } of history(plan).states) {
          const { signing, published } = keysAt(entries, from + off * SECOND);
          expect(published).toContain(signing);
          expect(signing.revoked_at).toBeUndefined();
        }
      }),
    );
  });
});
