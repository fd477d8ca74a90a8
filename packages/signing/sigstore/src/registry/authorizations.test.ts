import { expect, test } from 'vitest';
import { Authorizations, MOST_AUTHORIZATIONS } from './authorizations.ts';

test('what was used longest ago goes first, and there are never more than a number of them', () => {
  const kept = new Authorizations(() => 0);
  kept.set('r', 'first', 'a');
  kept.set('r', 'second', 'b');
  for (let i = 2; i < MOST_AUTHORIZATIONS; i++) kept.set('r', `scope ${i}`, 'c');
  expect(kept.get('r', 'first')).toBe('a');
  kept.set('other', 'first', 'd');
  expect(kept.get('r', 'second')).toBeUndefined();
  expect([kept.get('r', 'first'), kept.get('other', 'first'), kept.size]).toEqual(['a', 'd', MOST_AUTHORIZATIONS]);
});

test('what has expired is dropped, also where nobody asks for it again', () => {
  let now = 1000;
  const kept = new Authorizations(() => now);
  kept.set('r', 'short', 'a', 1_000);
  kept.set('r', 'long', 'b', 60_000);
  kept.set('r', 'endless', 'c');
  now = 1999;
  expect(kept.get('r', 'short')).toBe('a');
  now = 2000;
  expect(kept.get('r', 'short')).toBeUndefined();
  expect(kept.size).toBe(2);
  now = 61_000;
  kept.set('r', 'other', 'd', 1);
  expect(kept.size).toBe(2);
  expect(kept.get('r', 'endless')).toBe('c');
});

test('a newer one for the same takes the place of the older', () => {
  const kept = new Authorizations(() => 0);
  kept.set('r', 's', 'a', 1);
  kept.set('r', 's', 'b');
  expect([kept.get('r', 's'), kept.size]).toEqual(['b', 1]);
});
