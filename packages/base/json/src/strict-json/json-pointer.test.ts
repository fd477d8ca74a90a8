import { expect, test } from 'vitest';
import { exactPointer, jsonPointer, parsePointer } from './json-pointer.ts';

test.each([
  ['', []],
  ['/', ['']],
  ['/a~1b/m~0n/~01/0', ['a/b', 'm~n', '~1', '0']],
  ['/\u00e9\n', ['\u00e9\n']],
  [`/${'a'.repeat(100)}`, ['a'.repeat(100)]],
])('%j leads through the names %j, and is written from them', (pointer, names) => {
  expect(parsePointer(pointer)).toEqual(names);
  expect(exactPointer(names)).toBe(pointer);
});

test.each(['a', 'a/b', '/~', '/~2', '/a~/b', '#/a'])('%j is no pointer', (text) => {
  expect(parsePointer(text)).toBeUndefined();
});

test('a pointer that is shown has no control characters and no long names, and stays a pointer', () => {
  const shown = jsonPointer(['a/b', '\u00e9\n', 'a'.repeat(100), 0]);
  expect(shown).toBe(`/a~1b/\\u00e9\\u000a/${'a'.repeat(64)}.../0`);
  expect(parsePointer(shown)).toHaveLength(4);
});
