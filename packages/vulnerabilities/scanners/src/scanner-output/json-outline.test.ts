import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outlineJson } from './json-outline.ts';

const outline = (text: string, deepest = 1000) => outlineJson(new TextEncoder().encode(text), deepest);

test.each([
  ['{}', { depth: 1, ends: [2], isCut: false }],
  ['[{"a":[]}]', { depth: 3, ends: [10], isCut: false }],
  ['{"a":"}]\\"{["}', { depth: 1, ends: [14], isCut: false }],
  ['{"\\\\":1} [2]', { depth: 1, ends: [8, 12], isCut: false }],
  ['{"a":[1', { depth: 2, ends: [], isCut: true }],
  ['{"a":"b', { depth: 1, ends: [], isCut: true }],
  ['{} {"a":"\\', { depth: 1, ends: [2], isCut: true }],
  [']}', { depth: 0, ends: [], isCut: false }],
  ['', { depth: 0, ends: [], isCut: false }],
])('%s', (text, expected) => {
  expect(outline(text)).toEqual(expected);
});

test('it stops where a document is too deep', () => {
  expect(outline('['.repeat(1_000_000), 5).depth).toBe(6);
});

test('documents end where their engine says that they end, and every beginning of one is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.object(), fc.array(fc.jsonValue()))), fc.nat(), (values, at) => {
      const texts = values.map((value) => JSON.stringify(value));
      const bytes = texts.map((text) => new TextEncoder().encode(text).length);
      const whole = outline(texts.join('\n'));
      expect(whole.isCut).toBe(false);
      expect(whole.ends).toEqual(bytes.map((_, index) => bytes.slice(0, index + 1).reduce((a, b) => a + b, index)));
      const [first] = texts;
      if (first === undefined) return;
      const cut = new TextEncoder().encode(first).subarray(0, 1 + (at % ((bytes[0] as number) - 1)));
      expect(outlineJson(cut, 1000).isCut).toBe(true);
    }),
  );
});
