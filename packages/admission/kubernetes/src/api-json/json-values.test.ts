import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { mostJsonValues } from './json-values.ts';

const mostIn = (text: string) => mostJsonValues(new TextEncoder().encode(text));

it.each([
  ['1', 1],
  ['[]', 2],
  ['{}', 2],
  ['[1,2,3]', 4],
  ['{"a":[{},{}],"b":null}', 7],
  ['"[{,"', 1],
  ['["a\\",\\"[",{"\\\\":","}]', 4],
])('counts %s as %i', (text, values) => {
  expect(mostIn(text)).toBe(values);
});

test('no document has more values', () => {
  const count = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 1
      : Object.values(value).reduce((sum: number, below) => sum + count(below), 1);
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' '), (value, indent) => {
      expect(mostIn(JSON.stringify(value, null, indent))).toBeGreaterThanOrEqual(count(value));
    }),
  );
});
