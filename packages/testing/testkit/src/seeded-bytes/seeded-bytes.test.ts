import { expect, test } from 'vitest';
import { seededBytes } from './seeded-bytes.ts';

test('seeded bytes are the same for one seed and others for another', () => {
  expect(seededBytes('a', 40)).toEqual(seededBytes('a', 40));
  expect(seededBytes('a', 40)).not.toEqual(seededBytes('b', 40));
});

test('a shorter run is the beginning of a longer one, and no block repeats', () => {
  const bytes = seededBytes('a', 100);
  for (const length of [0, 1, 31, 32, 33, 64, 65]) expect(seededBytes('a', length)).toEqual(bytes.slice(0, length));
  expect(bytes.slice(0, 32)).not.toEqual(bytes.slice(32, 64));
});
