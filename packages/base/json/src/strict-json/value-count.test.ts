import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStrictJson } from './strict-json.ts';
import { hasMoreValues, valuesIn } from './value-count.ts';

it('counts as many values as the tree has, however it is spelt', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
      const tree = JSON.parse(json);
      const text = JSON.stringify(tree, null, indent);
      expect(hasMoreValues(text, valuesIn(tree))).toBe(false);
      expect(hasMoreValues(text, valuesIn(tree) - 1)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ['[]', 1],
  ['{"a":1}', 3],
  ['[true,false,null]', 4],
  ['[-1.5e+3,1E-2]', 3],
  ['["[{,\\"", "\\\\"]', 3],
  [' \n0 ', 1],
])('%s has %d', (text, count) => {
  expect([hasMoreValues(text, count), hasMoreValues(text, count - 1)]).toEqual([false, true]);
  expect(valuesIn(JSON.parse(text))).toBe(count);
});

it('refuses a document with more, and builds nothing of it', () => {
  const bytes = new TextEncoder().encode(`{"a":[${'[],'.repeat(5_000_000)}0]}`);
  const limits = { maxBytes: bytes.length, maxValues: 10_000 };
  const before = process.memoryUsage().heapUsed;
  const { ok, ...refused } = parseStrictJson(bytes, limits);
  expect([ok, refused]).toMatchObject([
    false,
    { issues: [{ path: '', code: 'json.too_many_values', expected: 'at most 10000 values' }] },
  ]);
  // Its text, and no tree.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
});
