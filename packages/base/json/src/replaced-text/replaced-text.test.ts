import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseStrictJson } from '../strict-json/strict-json.ts';
import { replacedText, withReplacedText } from './replaced-text.ts';

test.each([
  ['a\0b', 'a\ufffdb'],
  ['\ud800', '\ufffd'],
  ['a\udc00\ud800b', 'a\ufffd\ufffdb'],
  ['😀\u0001', '😀\u0001'],
])('%j is read as %j', (text, read) => {
  expect(replacedText(text)).toBe(read);
  const json = JSON.stringify({ [text]: [text, 1, null] });
  expect(withReplacedText(JSON.parse(json), json)).toEqual({ [read]: [read, 1, null] });
  expect(parseStrictJson(Buffer.from(json), { oddText: 'replaced' })).toEqual({
    ok: true,
    value: { [read]: [read, 1, null] },
  });
});

test('a document without such text is what it was, and is not copied', () => {
  const json = '{"a":["\\u0041"]}';
  const value = JSON.parse(json);
  expect(withReplacedText(value, json)).toBe(value);
});

test('a member called __proto__ stays one', () => {
  const json = '{"__proto__":"\\u0000"}';
  expect(Object.entries(withReplacedText(JSON.parse(json), json) as object)).toEqual([['__proto__', '\ufffd']]);
});

test('every text becomes one that UTF-8 gives back, and no other text changes', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const read = replacedText(text);
      expect(Buffer.from(read).toString()).toBe(read);
      expect(read).not.toContain('\0');
      if (text.isWellFormed() && !text.includes('\0')) expect(read).toBe(text);
    }),
  );
});
