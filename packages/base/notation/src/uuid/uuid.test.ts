import { expect, test } from 'vitest';
import { isUuid, parseUuid } from './uuid.ts';

const UUID = '0190b2c4-7d0e-7c3a-9f00-00123456789a';

test('a UUID is written in lower case and read in either', () => {
  expect(isUuid(UUID)).toBe(true);
  expect(isUuid(UUID.toUpperCase())).toBe(false);
  expect(parseUuid(UUID)).toBe(UUID);
  expect(parseUuid(UUID.toUpperCase())).toBe(UUID);
});

test.each([
  '',
  UUID.slice(1),
  `${UUID}0`,
  `urn:uuid:${UUID}`,
  `{${UUID}}`,
  UUID.replaceAll('-', ''),
  `${UUID}\n`,
  ` ${UUID}`,
])('%j is none', (text) => {
  expect(isUuid(text)).toBe(false);
  expect(parseUuid(text)).toBeUndefined();
});
