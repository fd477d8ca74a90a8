import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalItems } from './unique-items.ts';

/** What the standard says, item by item. */
function areEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b) || a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && areEqual(a[name as never], b[name as never]))
  );
}

test.each([
  [[], undefined],
  [[1], undefined],
  [[1, '1', true, 'true', null, 'null'], undefined],
  [
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [0, 1],
  ],
  [
    ['a', 'b', 'a'],
    [0, 2],
  ],
  [[{ a: [1, 2] }, { a: [2, 1] }], undefined],
  [[{ a: { b: { c: { d: 1 } } } }, { a: { b: { c: { d: 2 } } } }], undefined],
  [
    [{ a: { b: { c: { d: 1 } } } }, 0, { a: { b: { c: { d: 1 } } } }],
    [0, 2],
  ],
  [[`${'a'.repeat(40)}1${'b'.repeat(40)}`, `${'a'.repeat(40)}2${'b'.repeat(40)}`], undefined],
  [[[], {}], undefined],
])('of %j the first equal ones are %j', (items, equal) => {
  expect(equalItems(items)).toEqual(equal);
});

test('it finds what comparing every two finds', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(value, fc.constantFrom({ a: 1, b: [2] }, { b: [2], a: 1 }, 'a', 1)), { maxLength: 8 }),
      (items) => {
        const sent = JSON.parse(JSON.stringify(items)) as unknown[];
        const isTwice = sent.some((one, index) => sent.slice(0, index).some((other) => areEqual(one, other)));
        expect(equalItems(sent) !== undefined).toBe(isTwice);
      },
    ),
  );
});
