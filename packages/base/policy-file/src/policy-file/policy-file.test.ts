import fc from 'fast-check';
import { expect, test } from 'vitest';
import { POLICY_SYNTAX_CODES } from '../policy-document/policy-document.ts';
import { POLICY_SHAPE_CODES } from '../shape-check/shape-check.ts';
import { readPolicyFile } from './policy-file.ts';

const TEXT = { type: 'string', minLength: 1 };
const SCHEMA = {
  additionalProperties: false,
  type: 'object',
  required: ['version'],
  properties: {
    version: { const: 1 },
    days: { type: 'integer', minimum: 1, maximum: 90 },
    age: { type: 'string', pattern: '^[0-9]+[md]$', description: 'such as 15m' },
    owners: {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [TEXT, { type: 'object', required: ['name'], properties: { name: TEXT }, additionalProperties: false }],
      },
    },
  },
};

function issuesOf(text: string) {
  const read = readPolicyFile(text, SCHEMA);
  if (!('issues' in read)) throw new Error('it was accepted');
  return read.issues.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

test('what has the shape is given as data, and knows where its parts stand', () => {
  const read = readPolicyFile('version: 1\nowners:\n  - dana\n  - name: eve\n', SCHEMA);
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  expect(read.data).toEqual({ version: 1, owners: ['dana', { name: 'eve' }] });
  expect(read.issueAt(['owners', 1, 'name'], 'some.code', 'why', 'what')).toEqual({
    path: '/owners/1/name',
    code: 'some.code',
    message: 'why',
    expected: 'what',
    line: 4,
    column: 11,
  });
  // What is not there is where it is missing.
  expect(read.issueAt(['owners', 1, 'mail'], 'some.code', 'why')).toMatchObject({ line: 4, column: 5 });
});

test.each([
  ['', 'policy.syntax  1:1'],
  ['a: [1', 'policy.syntax  1:6'],
  ['version: 1\nversion: 1\n', 'policy.duplicate_key  2:1'],
  ['version: 1\n---\nversion: 1\n', 'policy.several_documents  2:1'],
  ['version: &a 1\ndays: *a\n', 'policy.alias  2:7'],
  ['version: 1\n? { a: 1 }\n: 2\n', 'policy.syntax  2:3'],
  ['[1]', 'policy.wrong_type  1:1'],
  ['days: 3\n', 'policy.field_missing /version 1:1'],
  ['version: 2\n', 'policy.value /version 1:10'],
  ['version: 1\ndays: 91\n', 'policy.value /days 2:7'],
  ['version: 1\nage: soon\n', 'policy.value /age 2:6'],
  ['version: 1\ndays: x\n', 'policy.wrong_type /days 2:7'],
  ['version: 1\nowners: []\n', 'policy.value /owners 2:9'],
  ['version: 1\nowners: [dana, 3]\n', 'policy.wrong_type /owners/1 2:16'],
  ['version: 1\nowners: [{ name: " " }]\n', 'policy.value /owners/0/name 2:18'],
  ['version: 1\nowners: [{ mail: x }]\n', 'policy.unknown_key /owners/0/mail 2:12'],
  ['version: 1\n__proto__: { days: 3 }\n', 'policy.unknown_key /__proto__ 2:1'],
])('%j: %s', (text, first) => {
  expect(issuesOf(text)[0]).toBe(first);
});

test.each([
  ['ownres: [dana]', 'owners'],
  ['Age: 3', 'age'],
  ['colour: red', 'version, days, age, owners'],
])('of the unknown key in %j it is said where it stands, and what may be meant', (line, expected) => {
  const read = readPolicyFile(`version: 1\n${line}\n`, SCHEMA);
  expect('issues' in read && read.issues).toEqual([
    expect.objectContaining({ code: 'policy.unknown_key', line: 2, column: 1, expected }),
  ]);
});

test('every alias is an issue, whatever stands beside it', () => {
  expect(issuesOf('version: &a 1\nx: [*a, 2, *a, 3, *a]\n')).toHaveLength(3);
});

test('of two types both are named', () => {
  const read = readPolicyFile('version: 1\nowners: [3]\n', SCHEMA);
  expect('issues' in read && read.issues[0]?.expected).toBe('text or a map');
});

test('a hostile file buys no answer larger than itself, and nesting without end is an issue too', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `k${i}: 1\n`).join('');
  expect(issuesOf(many)).toHaveLength(50);
  expect(issuesOf('['.repeat(20_000))[0]).toMatch(/^policy\.syntax /);
  expect(issuesOf('#'.repeat(70_000))[0]).toBe('policy.too_large  undefined:undefined');
});

test('whatever the text, it is data or issues with known codes', () => {
  const word = fc.constantFrom(
    'version',
    ': ',
    '1',
    '\n',
    '  ',
    '- ',
    '[',
    '{',
    '}',
    '&a ',
    '*a',
    '!!x ',
    '"',
    '|\n',
    '---\n',
  );
  const codes: readonly string[] = [...POLICY_SYNTAX_CODES, ...POLICY_SHAPE_CODES];
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const read = readPolicyFile(words.join(''), SCHEMA);
      if ('issues' in read) for (const { code } of read.issues) expect(codes).toContain(code);
      else expect(read.data).toMatchObject({ version: 1 });
    }),
    { numRuns: 2_000 },
  );
});
