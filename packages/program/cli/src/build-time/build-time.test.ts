import { expect, test } from 'vitest';
import { buildTime, contentUuid, isReproducible } from './build-time.ts';

test('without the variable it is now, in whole seconds', () => {
  expect(buildTime({}, () => 1_763_719_200_987)).toBe('2025-11-21T10:00:00Z');
  expect(isReproducible({})).toBe(false);
});

test.each([
  ['0', '1970-01-01T00:00:00Z'],
  ['1763719200', '2025-11-21T10:00:00Z'],
  ['253402300799', '9999-12-31T23:59:59Z'],
])('SOURCE_DATE_EPOCH=%s is %s', (epoch, time) => {
  expect(buildTime({ SOURCE_DATE_EPOCH: epoch })).toBe(time);
  expect(isReproducible({ SOURCE_DATE_EPOCH: epoch })).toBe(true);
});

test.each(['', ' 1', '-1', '1.5', '1e9', '0x10', 'now', '253402300800'])('SOURCE_DATE_EPOCH=%j is refused', (epoch) => {
  expect(() => buildTime({ SOURCE_DATE_EPOCH: epoch })).toThrow(expect.objectContaining({ code: 'cli.usage' }));
});

test('a UUID of content is one of version 8, and of that content alone', () => {
  expect(contentUuid('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(contentUuid('a')).toBe(contentUuid('a'));
  expect(contentUuid('a')).not.toBe(contentUuid('b'));
});
