import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { isPartOfDocument } from './part-of-document.ts';

test.each<[string, boolean]>([
  ['', true],
  [' \t\r\n', true],
  ['{', true],
  [' \n[', true],
  ['{"a":{"b":[1,-2.5e+3,true,false,null]},\t"c', true],
  ['{"a":"}', true],
  ['{"a":"\\"}', true],
  ['{"a":["]}",{}]', true],
  ['{}', false],
  ['[] ', false],
  ['{"a":"\\\\"}', false],
  ['{}{"a"', false],
  ['"a', false],
  ['1', false],
  ['1 {', false],
  ['a=b', false],
  ['\ufeff{', false],
  ['{"a":1]', false],
  ['[}', false],
  ["{'a", false],
  ['{/*', false],
  ['{"a":1 # }', false],
  ['{a', true],
  ['{A', false],
  ['[\u0000', false],
])('%j is only a part of a document: %s', (text, is) => {
  expect(isPartOfDocument(text)).toBe(is);
});

it('each beginning of a list or an object is one, and the whole, whatever follows, is none', () => {
  const document = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(document, fc.nat(), fc.string(), fc.constantFrom(undefined, 2), (value, at, more, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(isPartOfDocument(text.slice(0, at % text.length))).toBe(true);
      expect(isPartOfDocument(`${text}${more}`)).toBe(false);
    }),
  );
});
