import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatsMember } from './repeated-members.ts';

it.each<[string, boolean]>([
  ['{"a":1,"a":2}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['[{"b":{"a":[1],"a":2}}]', true],
  ['{"b":[{"a":1},{"a":1}],"a":{"a":"a"}}', false],
  ['{"a":["a","a",{"c":"a"},"a"],"b":"a"}', false],
  ['{"a":"\\",\\"a\\":1","c":"\\\\"}', false],
  ['{"a":[],"A":1,"b":[[]],"a":1}', true],
  ['"a"', false],
  ['[["a"],"a","a",{"a":"a"},"a"]', false],
  ['{"a":[1,2],"b":"a","c":["b","b",[]],"d":{}}', false],
  ['{"a":[1,2],"a":1}', true],
])('%s names a member twice: %s', (text, is) => {
  expect(repeatsMember(text)).toBe(is);
});

it('no value as it is written by JSON.stringify names one twice, and each object would with its first again', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      const [name] = Object.keys(JSON.parse(text) as object);
      expect(repeatsMember(text)).toBe(false);
      expect(repeatsMember(`${text.slice(0, -1)},${JSON.stringify(name)}:0}`)).toBe(true);
    }),
  );
});
