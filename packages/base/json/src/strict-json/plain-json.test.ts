import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPointer } from './json-pointer.ts';
import { JsonReader } from './json-reader.ts';
import { readPlainJson } from './plain-json.ts';
import { parseStrictJson } from './strict-json.ts';

const plain = (text: string) => readPlainJson(text, 16);
const strict = (text: string) => parseStrictJson(new TextEncoder().encode(text), { maxBytes: 1e6 });

/** A piece of a document: how it is written, what it says, and what is to be refused in it, at its place. */
type Piece = { text: string; value: unknown; faults: [path: (string | number)[], code: string][] };

const piece = (text: string, value: unknown, ...codes: string[]): Piece => ({
  text,
  value,
  faults: codes.map((code) => [[], `json.${code}`]),
});
const below = (segment: string | number, { faults }: Piece): Piece['faults'] =>
  faults.map(([path, code]) => [[segment, ...path], code]);

const texts = [
  ...['', 'a', 'b', 'é', '😀', '{', '":', '__proto__', 'toString', '0', '\\', 'a\nb'].map((said) =>
    piece(JSON.stringify(said), said),
  ),
  piece('"\\u0061"', 'a'),
  piece('"\\ud83d\\uDE00"', '😀'),
  piece('"\\\\u0000"', '\\u0000'),
  piece('"\\u0000"', '\0', 'nul'),
  piece('"\\ud83d"', '\ud83d', 'lone_surrogate'),
  piece('"\\\\ud83d\\ude00"', '\\ud83d\ude00', 'lone_surrogate'),
  piece('"\\ude00\\u0000"', '\ude00\0', 'nul', 'lone_surrogate'),
];
const others = [
  piece('true', true),
  piece('null', null),
  piece('-1.5E-2', -0.015),
  piece('9007199254740991', Number.MAX_SAFE_INTEGER),
  piece('0.00e-999', 0),
  ...['-0', '-0.0e1', '1e-400', '1e400', '9007199254740992'].map((one) => piece(one, undefined, 'number_range')),
];

const text = fc.constantFrom(...texts);
const space = fc.constantFrom('', '', ' ', '\t\r\n');
const { document } = fc.letrec<{ document: Piece; array: Piece; object: Piece }>((tie) => ({
  document: fc.oneof({ maxDepth: 4 }, text, fc.constantFrom(...others), tie('array'), tie('object')),
  array: fc.tuple(fc.array(tie('document'), { maxLength: 3 }), space).map(([items, gap]) => ({
    text: `[${gap}${items.map((item) => item.text).join(`${gap},`)}]`,
    value: items.map(({ value }) => value),
    faults: items.flatMap((item, index) => below(index, item)),
  })),
  object: fc.tuple(fc.array(fc.tuple(text, tie('document')), { maxLength: 3 }), space).map(([members, gap]) => ({
    text: `{${gap}${members.map(([name, member]) => `${name.text}${gap}:${member.text}`).join(`,${gap}`)}}`,
    value: Object.fromEntries(members.map(([name, { value }]) => [name.value, value])),
    faults: members.flatMap(([name, member], index) => {
      const said = name.value as string;
      const isTwice = members.slice(0, index).some(([before]) => before.value === said);
      const twice: Piece['faults'] = isTwice ? [[[said], 'json.duplicate_key']] : [];
      return [...name.faults, ...twice, ...below(said, member)];
    }),
  })),
}));

describe('parseStrictJson on documents of known content', () => {
  it('reads what they say, in its order, or names each fault at its place', () => {
    fc.assert(
      fc.property(document, ({ text: written, value, faults }) => {
        const result = strict(written);
        if (faults.length === 0) {
          expect(result).toStrictEqual({ ok: true, value });
          expect(JSON.stringify(result)).toBe(JSON.stringify({ ok: true, value }));
        } else {
          expect(result.ok ? [] : result.issues.map(({ path, code }) => [path, code])).toEqual(
            faults.map(([path, code]) => [jsonPointer(path), code]).slice(0, 20),
          );
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('reads a name with an escape by itself, whatever name stood there in an earlier document', () => {
    expect(strict('{"h":[],"\\\\":0}')).toStrictEqual({ ok: true, value: { h: [], '\\': 0 } });
    expect(strict('{"h":1,"\\"":2}')).toStrictEqual({ ok: true, value: { h: 1, '"': 2 } });
    expect(strict('{"h":1,"\\"" \n:{"\\\\":{}}}')).toStrictEqual({ ok: true, value: { h: 1, '"': { '\\': {} } } });
  });
});

describe('readPlainJson', () => {
  it('answers as JsonReader does, or not at all', () => {
    const scrap = fc.constantFrom(...'{}[],:"\\0-.eE1 \n', 'true', '\\u', 'a', '\0', 'é');
    const cut = fc.tuple(document, fc.nat(), fc.nat(2), scrap).map(([{ text: written }, at, length, put]) => {
      const from = at % (written.length + 1);
      return written.slice(0, from) + put + written.slice(from + length);
    });
    fc.assert(
      fc.property(cut, fc.integer({ min: 0, max: 6 }), (written, maxDepth) => {
        const value = readPlainJson(written, maxDepth);
        if (value !== undefined)
          expect(new JsonReader(written, maxDepth).document()).toStrictEqual({ ok: true, value });
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['null', null],
    [' { "a" : [ -1.5e3 , 0 ] , "b" : { } } ', { a: [-1500, 0], b: {} }],
    ['["a\\n\\"{:\\\\", "\\\\"]', ['a\n"{:\\', '\\']],
    ['"\\u003c \\\\\\" \\u00e9"', '< \\" é'],
    ['{"a":{"b":1},"b":{"a":[{"b":1}]}}', { a: { b: 1 }, b: { a: [{ b: 1 }] } }],
    [`[${Array(20).fill('[]').join()}]`, Array(20).fill([])],
    ['{"__proto__":{"a":1},"2":0,"1":0}', JSON.parse('{"__proto__":{"a":1},"2":0,"1":0}')],
  ])('reads %s itself', (written, value) => {
    expect(plain(written)).toStrictEqual(value);
  });

  it.each([
    ['no JSON', '{"a":1'],
    ['a name twice', '{"a":1,"b":{"a":1,"a":2}}'],
    ['a name twice, under an escape', '{"a":1,"\\u0061":2}'],
    ['a colon in a text where a name is missing', '{"a":":","a":1}'],
    ['a number that changes', '[1,9007199254740993]'],
    ['negative zero', '[-0]'],
    ['a surrogate under an escape', '"\\\\ud83d\\ude00"'],
    ['a NUL under an escape', '"\\u0000"'],
    ['a name with an escape', '{"a" :1,"\\\\"\n:2}'],
    ['too much depth', '['.repeat(17) + ']'.repeat(17)],
  ])('leaves %s to the reader', (_title, written) => {
    expect(plain(written)).toBeUndefined();
  });

  it('counts no inherited member for one that was there twice', () => {
    const prototype = Object.prototype as { inherited?: unknown };
    prototype.inherited = 1;
    const value = plain('{"a":1,"a":2}');
    delete prototype.inherited;
    expect(value).toBeUndefined();
  });
});
