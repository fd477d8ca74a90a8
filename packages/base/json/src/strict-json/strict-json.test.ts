import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_ISSUE_CODES } from './json-issue.ts';
import { isJsonObject } from './json-value.ts';
import { parseStrictJson } from './strict-json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (text: string, limits?: { maxBytes?: number; maxDepth?: number }) =>
  parseStrictJson(bytesOf(text), limits);
const read = (text: string) => {
  const result = parse(text);
  return result.ok ? result.value : result.issues;
};
const issuesOf = (text: string, limits?: { maxBytes?: number; maxDepth?: number }) => {
  const result = parse(text, limits);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};

const refused: [title: string, text: string, ...issues: string[]][] = [
  ['nothing', '', ' json.syntax'],
  ['only space', ' \t\r\n', ' json.syntax'],
  ['two values', '1 2', ' json.syntax'],
  ['a trailing comma in an object', '{"a":1,}', ' json.syntax'],
  ['a trailing comma in an array', '[1,]', '/1 json.syntax'],
  ['a leading comma', '[,1]', '/0 json.syntax'],
  ['a missing comma', '[1 2]', ' json.syntax'],
  ['a missing colon', '{"a" 1}', '/a json.syntax'],
  ['an equals sign for a colon', '{"a"=1}', '/a json.syntax'],
  ['a member without a value', '{"a":}', '/a json.syntax'],
  ['a missing comma between members', '{"a":1 "b":2}', ' json.syntax'],
  ['a name without quotes', '{a:1}', ' json.syntax'],
  ['a number as a name', '{1:1}', ' json.syntax'],
  ['an object that does not end', '{"a":1', ' json.syntax'],
  ['an array that does not end', '[1', ' json.syntax'],
  ['the wrong closing bracket', '[1}', ' json.syntax'],
  ['a string that does not end', '"a', ' json.syntax'],
  ['an escaped string that does not end', '"\\n', ' json.syntax'],
  ['a string that ends in a backslash', '"\\', ' json.syntax'],
  ['single quotes', "'a'", ' json.syntax'],
  ['a comment', '/* */1', ' json.syntax'],
  ['a raw newline in a string', '"a\nb"', ' json.syntax'],
  ['a raw control character in a string', '"\u001f"', ' json.syntax'],
  ['a raw newline after an escape', '"\\t\n"', ' json.syntax'],
  ['an unknown escape', '"\\x41"', ' json.syntax'],
  ['an inherited name as an escape', '"\\constructor"', ' json.syntax'],
  ['a short unicode escape', '"\\u12"', ' json.syntax'],
  ['a unicode escape with a sign', '"\\u+123"', ' json.syntax'],
  ['an upper-case unicode escape', '"\\U0041"', ' json.syntax'],
  ['a leading zero', '01', ' json.syntax'],
  ['a leading plus', '+1', ' json.syntax'],
  ['a bare minus', '-', ' json.syntax'],
  ['a point without digits', '1.', ' json.syntax'],
  ['a point without an integer', '.5', ' json.syntax'],
  ['an exponent without digits', '1e', ' json.syntax'],
  ['hexadecimal', '0x10', ' json.syntax'],
  ['NaN', 'NaN', ' json.syntax'],
  ['Infinity', '-Infinity', ' json.syntax'],
  ['a half literal', '[tru]', '/0 json.syntax'],
  ['a misspelt false', 'fals3', ' json.syntax'],
  ['a misspelt null', 'nul', ' json.syntax'],
  ['a literal in upper case', 'True', ' json.syntax'],
  ['a byte order mark inside', '[\ufeff]', '/0 json.syntax'],
  ['a no-break space', '\u00a01', ' json.syntax'],
  ['a form feed', '\f1', ' json.syntax'],
  ['the same name twice', '{"a":1,"a":1}', '/a json.duplicate_key'],
  ['the same name under an escape', '{"a":1,"\\u0061":2}', '/a json.duplicate_key'],
  ['the same name deep inside', '{"x":[{"b":1,"b":2}]}', '/x/0/b json.duplicate_key'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '/__proto__ json.duplicate_key'],
  ['the empty name twice', '{"":1,"":2}', '/ json.duplicate_key'],
  ['a number beyond doubles', '{"n":1e400}', '/n json.number_range'],
  ['a negative number beyond doubles', '-1e400', ' json.number_range'],
  ['2^53', '9007199254740992', ' json.number_range'],
  ['-2^53', '-9007199254740992', ' json.number_range'],
  ['a large integer with an exponent', '1e20', ' json.number_range'],
  ['negative zero', '[-0]', '/0 json.number_range'],
  ['negative zero with a fraction', '-0.0', ' json.number_range'],
  ['negative zero with an exponent', '-0e1', ' json.number_range'],
  ['a number that underflows', '1e-400', ' json.number_range'],
  ['a fraction that underflows', '0.01E-400', ' json.number_range'],
  ['a high surrogate alone', '"\\ud83d"', ' json.lone_surrogate'],
  ['a low surrogate alone', '{"a":"\\uDE00x"}', '/a json.lone_surrogate'],
  ['surrogates in the wrong order', '"\\ude00\\ud83d"', ' json.lone_surrogate'],
  ['a lone surrogate before a real pair', '"\\ud83d😀"', ' json.lone_surrogate'],
  ['a lone surrogate in a name', '{"\\ud83d":1}', ' json.lone_surrogate'],
  ['an escaped NUL', '{"a":"\\u0000"}', '/a json.nul'],
  ['an escaped NUL in a name', '{"a\\u0000":1}', ' json.nul'],
  ['a raw NUL in a string', '["a\0"]', '/0 json.nul'],
  ['a raw NUL after an escape', '["\\n\0"]', '/0 json.nul'],
  ['a raw NUL after the value', '1\0', ' json.nul'],
  ['a raw NUL before the value', '\x001', ' json.nul'],
];

describe('parseStrictJson', () => {
  it.each(refused)('refuses %s', (_title, text, ...issues) => {
    expect(issuesOf(text)).toEqual(issues);
  });

  it.each([
    ['null', null],
    ['true', true],
    ['false', false],
    [' \t\r\n 0 \t\r\n ', 0],
    ['-1.5e-3', -0.0015],
    ['0.0E+0', 0],
    ['0e5', 0],
    ['1E2', 100],
    ['-12', -12],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['5e-324', 5e-324],
    ['""', ''],
    ['"é \u007f 😀 \u2028"', 'é \u007f 😀 \u2028'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
    ['"a\\u00E9\\uD83D\\ude00b"', 'aé😀b'],
    ['"\\u0001 "', '\u0001 '],
    ['[]', []],
    ['[ ]', []],
    ['[ 1 , [ "a" ] , {} ]', [1, ['a'], {}]],
    ['{}', {}],
    ['{ }', {}],
    ['{ "a" : { "b" : [ true , null ] } , "c" : "" }', { a: { b: [true, null] }, c: '' }],
    ['{"toString":1,"constructor":2}', { toString: 1, constructor: 2 }],
  ])('reads %s', (text, value) => {
    expect(read(text)).toStrictEqual(value);
  });

  it('keeps __proto__ as an own property that changes no prototype', () => {
    const value = read('{"__proto__":{"isAdmin":true}}');
    expect(Object.getOwnPropertyNames(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).not.toHaveProperty('isAdmin');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"isAdmin":true}}');
    expect({ ...(value as object) }).not.toHaveProperty('isAdmin');
  });

  it('counts bytes, not characters, and includes the limit itself', () => {
    expect(issuesOf('"é"', { maxBytes: 4 })).toEqual([]);
    expect(issuesOf('"é"', { maxBytes: 3 })).toEqual([' json.too_large']);
    expect(parse('"é"', { maxBytes: 3 })).toMatchObject({ issues: [{ expected: 'at most 3 bytes' }] });
    expect(issuesOf(`"${'a'.repeat(16 * 1024 - 2)}"`)).toEqual([]);
    expect(issuesOf(`"${'a'.repeat(16 * 1024 - 1)}"`)).toEqual([' json.too_large']);
  });

  it('bounds the depth, and includes the limit itself', () => {
    expect(issuesOf(`${'['.repeat(16)}${']'.repeat(16)}`)).toEqual([]);
    expect(issuesOf(`${'['.repeat(17)}${']'.repeat(17)}`)).toEqual([`${'/0'.repeat(16)} json.too_deep`]);
    expect(issuesOf('{"a":{}}', { maxDepth: 2 })).toEqual([]);
    expect(issuesOf('{"a":{}}', { maxDepth: 1 })).toEqual(['/a json.too_deep']);
    expect(issuesOf('1', { maxDepth: 0 })).toEqual([]);
    expect(issuesOf('[]', { maxDepth: 0 })).toEqual([' json.too_deep']);
    expect(issuesOf('['.repeat(500_000), { maxBytes: 1e6, maxDepth: 512 })).toEqual([
      `${'/0'.repeat(512)} json.too_deep`,
    ]);
    expect(issuesOf('[[],[],{"a":[]},[]]', { maxDepth: 3 })).toEqual([]);
  });

  it('refuses a depth that its recursion could not keep', () => {
    expect(() => parse('1', { maxDepth: 513 })).toThrow(TypeError);
    expect(() => parse('1', { maxDepth: Number.NaN })).toThrow(TypeError);
  });

  it('refuses a byte order mark, and only that', () => {
    expect(issuesOf('\ufeff{}')).toEqual([' json.bom']);
    expect(parseStrictJson(Uint8Array.of(0xef, 0xbb))).toMatchObject({ issues: [{ code: 'json.not_utf8' }] });
    expect(read('"\ufeff"')).toBe('\ufeff');
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point above U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('refuses %s as not UTF-8', (_title, bytes) => {
    expect(parseStrictJson(Uint8Array.from(bytes))).toMatchObject({ issues: [{ path: '', code: 'json.not_utf8' }] });
  });

  it('reads on after what it can note, and reports it all at once', () => {
    expect(issuesOf('{"a":-0,"a":"\\u0000","b":["\\ud800",1e999]}')).toEqual([
      '/a json.number_range',
      '/a json.duplicate_key',
      '/a json.nul',
      '/b/0 json.lone_surrogate',
      '/b/1 json.number_range',
    ]);
  });

  it.each([
    ['-0', '/19 json.number_range'],
    ['"\\u0000"', '/19 json.nul'],
    ['"\\udc00"', '/19 json.lone_surrogate'],
    ['{"a":1,"a":1}', '/19/a json.duplicate_key'],
  ])('stops after twenty issues of %s', (item, last) => {
    const issues = issuesOf(`[${Array(30).fill(item).join()}]`);
    expect(issues).toHaveLength(20);
    expect(issues.at(-1)).toBe(last);
  });

  it('takes what its caller tolerates, however often it occurs, and nothing else', () => {
    const tolerating = (text: string, ...tolerated: ('json.number_range' | 'json.nul')[]) => {
      const result = parseStrictJson(bytesOf(text), { tolerated });
      return result.ok ? result.value : result.issues.map(({ path, code }) => `${path} ${code}`);
    };
    const numbers = `[${Array(30).fill('9223372036854775807').join()}]`;
    expect(tolerating(numbers, 'json.number_range')).toEqual(Array(30).fill(2 ** 63));
    const texts = `[${Array(30).fill('"a\\u0000"').join()}]`;
    expect(tolerating(texts, 'json.nul')).toEqual(Array(30).fill('a\0'));
    expect(tolerating('{"a\\u0000":1,"a":2,"a\\u0000":3}', 'json.nul')).toEqual(['/a\\u0000 json.duplicate_key']);
    expect(tolerating('["\\u0000",-0]', 'json.nul')).toEqual(['/1 json.number_range']);
    expect(tolerating('["\\u0000",-0]', 'json.number_range')).toEqual(['/0 json.nul']);
    const both = ['json.number_range', 'json.nul'] as const;
    expect(tolerating('["\\u0000\\ud800",-0,1e20]', ...both)).toEqual(['/0 json.lone_surrogate']);
    for (const raw of ['["a\0"]', '["\\n\0"]', '1\0', '\x001'])
      expect(tolerating(raw, ...both)).toEqual([expect.stringMatching(/json\.nul$/)]);
  });

  it('keeps hostile names out of the path', () => {
    expect(issuesOf('{"a/b~c":-0,"\\n\\u202e":-0}')).toEqual([
      '/a~1b~0c json.number_range',
      '/\\u000a\\u202e json.number_range',
    ]);
    expect(issuesOf(`{"${'k'.repeat(65)}":-0}`)).toEqual([`/${'k'.repeat(64)}... json.number_range`]);
    expect(issuesOf(`{"${'k'.repeat(64)}":-0}`)).toEqual([`/${'k'.repeat(64)} json.number_range`]);
  });

  it('gives every issue a sentence and a source', () => {
    expect(JSON_ISSUE_CODES).toHaveLength(10);
    for (const text of ['', '{"a":1,"a":1}', '-0', '"\\u0000"', '"\\ud800"', '\ufeff'])
      expect(parse(text)).toMatchObject({
        issues: [{ message: expect.stringMatching(/\.$/), source: expect.stringMatching(/^RFC/) }],
      });
  });

  it('reads what JSON.stringify writes of any allowed value', () => {
    const text = anyText().filter((string) => !string.includes('\0'));
    const number = fc
      .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .filter((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0));
    const { value: allowed } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, fc.constantFrom(null, true, false), text, number, tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(allowed, fc.constantFrom('', ' ', '\t', '\n  '), (value, indent) => {
        const written = JSON.stringify(value, null, indent);
        expect(parse(written, { maxBytes: 1e6 })).toStrictEqual({ ok: true, value: JSON.parse(written) });
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with JSON.parse on every text, well-formed or not', () => {
    const scrap = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '00', 'a', 'd800', 'dc00', '"a":', '"__proto__":', ' ', '\n'],
      ...['0', '1', '-', '.', 'e', '+', 'E1', 'true', 'false', 'null', '\0', 'é', '😀', '\u2028', '\ufeff'],
    );
    const mutated = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(3), fc.array(scrap, { maxLength: 2 }))
      .map(([text, at, cut, pieces]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + pieces.join('') + text.slice(from + cut);
      });
    const soup = fc.array(scrap, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(mutated, soup), (text) => {
        const bytes = bytesOf(text);
        const result = parseStrictJson(bytes, { maxBytes: 1e6, maxDepth: 512 });
        const reparse = () => JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
        if (result.ok) expect(result.value).toStrictEqual(reparse());
        else if (result.issues.some((issue) => issue.code === 'json.syntax')) expect(reparse).toThrow(SyntaxError);
      }),
      { numRuns: 3000 },
    );
  });

  it('never throws on bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const result = parseStrictJson(bytes);
        expect(result.ok || result.issues.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('isJsonObject', () => {
  it('is true for objects only', () => {
    expect([{}, [], null, 'a', 1, undefined].map(isJsonObject)).toEqual([true, false, false, false, false, false]);
  });
});
