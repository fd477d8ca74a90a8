import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placesOf } from './text-place.ts';

const TEXT = '{\n  "a": [1, {"b/c~": true}],\r\n  "é\\u0041": "x\\"y" ,\n"a2": {}\n}\n';

test.each([
  ['', 1, 1],
  ['/a', 2, 8],
  ['/a/0', 2, 9],
  ['/a/1', 2, 12],
  ['/a/1/b~1c~0', 2, 21],
  ['/éA', 3, 14],
  ['/a2', 4, 7],
])('%s stands in line %i, column %i', (pointer, line, column) => {
  expect(placesOf(TEXT, [pointer]).places.get(pointer)).toEqual({ line, column });
});

test('what is not there has no place', () => {
  expect(placesOf(TEXT, ['/b', '/a/2', '/a/0/0', '/a2/x']).places.size).toBe(0);
});

test('of a name that is there twice the later one counts', () => {
  expect(placesOf('{"a":1,\n"a":2}', ['/a'], { toTheEnd: true }).places.get('/a')).toEqual({ line: 2, column: 5 });
});

test('it stops when it has what was wanted', () => {
  const found = placesOf('{"a":1,"b":2,\n no JSON', ['/b', '/a']);
  expect([...found.places.keys()].sort()).toEqual(['/a', '/b']);
  expect(found.brokenAt).toBeUndefined();
});

describe('text that is no JSON', () => {
  test.each([
    ['', 1, 1],
    ['{"a":1', 1, 7],
    ['{"a" 1}', 1, 6],
    ['{"a":1\n "b":2}', 2, 2],
    ['[1,\n2\n3]', 3, 1],
    ['[1,]', 1, 4],
    ['{"a":tru}', 1, 6],
    ['{"a":"b\nc"}', 1, 8],
    ['{"a":"\\x"}', 1, 7],
    ['{"a":"\\u00g0"}', 1, 7],
    ['{} {}', 1, 4],
    ['{"a":01}', 1, 7],
    ['{"a":"', 1, 7],
    ['{,}', 1, 2],
  ])('%j breaks at %i:%i', (text, line, column) => {
    expect(placesOf(text, ['/b', ''], { toTheEnd: true }).brokenAt).toEqual({ line, column });
  });

  test('a million open brackets cost no stack', () => {
    expect(placesOf('['.repeat(1_000_000), [''], { toTheEnd: true }).brokenAt).toEqual({ line: 1, column: 1_000_001 });
  });
});

test('every value stands where it is said to stand', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const parsed: unknown = JSON.parse(text);
      const found = new Map<string, unknown>();
      collect(parsed, '', found);
      const { places, brokenAt } = placesOf(text, found.keys(), { toTheEnd: indent > 0 });
      expect(brokenAt).toBeUndefined();
      const lines = text.split('\n');
      for (const [pointer, inner] of found) {
        const { line, column } = places.get(pointer)!;
        const rest = [lines[line - 1]!.slice(column - 1), ...lines.slice(line)].join('\n');
        const start = JSON.stringify(inner, null, indent).slice(0, 1);
        expect([pointer, rest.slice(0, 1)]).toEqual([pointer, start]);
        if (typeof inner !== 'object') expect(rest.startsWith(JSON.stringify(inner))).toBe(true);
      }
    }),
  );
});

test('text breaks exactly where JSON.parse refuses it', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-', 'true', ' ', '\n', '"', '\\', 'e', '.');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const text = pieces.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect([text, placesOf(text, [''], { toTheEnd: true }).brokenAt === undefined]).toEqual([text, isJson]);
    }),
    { numRuns: 3_000 },
  );
});

function collect(value: unknown, pointer: string, into: Map<string, unknown>): void {
  into.set(pointer, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    collect(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, into);
  }
}
