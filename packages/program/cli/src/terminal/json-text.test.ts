import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapedJson, jsonText } from './json-text.ts';

test('JSON says the same to every reader, and nothing in it moves, turns or hides text', () => {
  const property = fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
    const text = jsonText(value);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
  });
  fc.assert(property);
});

test('a character is written by the escapes of JSON, a pair of them beyond the first plane', () => {
  expect(escapedJson('a\u009bb\u202ec\u{e0041}')).toBe('a\\u009bb\\u202ec\\udb40\\udc41');
});

test('lines and text in any script stay as they are', () => {
  const text = '{\r\n\t"Zoë": "名 🙂"\n}\n';
  expect(escapedJson(text)).toBe(text);
});
