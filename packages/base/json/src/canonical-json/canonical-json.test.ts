import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../strict-json/json-value.ts';
import { parseStrictJson } from '../strict-json/strict-json.ts';
import { canonicalJson } from './canonical-json.ts';

const canonical = (value: JsonValue) => new TextDecoder().decode(canonicalJson(value));

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}

describe('canonicalJson', () => {
  it('writes the sample of RFC 8785 §3.2.2 as its §3.2.4 does', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonical(JSON.parse(sample))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts names by UTF-16 code units (RFC 8785 §3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '😀', '\u0080', 'ö'];
    const sorted = JSON.parse(canonical(Object.fromEntries(names.map((name) => [name, 0]))));
    expect(canonical(Object.fromEntries(names.map((name) => [name, 0])))).toBe(
      '{"\\r":0,"1":0,"\u0080":0,"ö":0,"€":0,"😀":0,"\ufb33":0}',
    );
    expect(Object.keys(sorted)).toHaveLength(7);
  });

  it('keeps a member called __proto__', () => {
    expect(canonical(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['NaN', Number.NaN],
    ['an infinity', [Number.POSITIVE_INFINITY]],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a name', { '\ud800': 1 }],
  ])('throws TypeError for %s', (_title, value) => {
    expect(() => canonicalJson(value as JsonValue)).toThrow(TypeError);
  });

  it('throws TypeError for a cycle', () => {
    const cycle: JsonValue[] = [];
    cycle.push(cycle);
    expect(() => canonicalJson(cycle)).toThrow(TypeError);
  });

  it('is the same whatever the order of members, and reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (json) => {
        const value = JSON.parse(JSON.stringify(json)) as JsonValue;
        expect(canonical(reversed(value))).toBe(canonical(value));
        expect(JSON.parse(canonical(value))).toEqual(value);
        const parsed = parseStrictJson(canonicalJson(value), { maxBytes: 1e6 });
        if (parsed.ok) expect(canonical(parsed.value)).toBe(canonical(value));
      }),
    );
  });
});
