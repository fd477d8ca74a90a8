import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { manifestImages } from '../manifest/manifest-images.ts';
import { MAX_MANIFEST_BYTES, readManifest } from './manifest-file.ts';
import { MANIFEST_FILE_ISSUE_CODES } from './manifest-file-issue.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const documentsOf = (text: string) => {
  const read = readManifest(bytes(text));
  return read.ok ? read.documents : read.issues.map(({ code }) => code.replace('manifest.', ''));
};
/** The issues of a file, but for their words. */
const issuesOf = (text: string) => {
  const read = readManifest(bytes(text));
  return read.ok ? [] : read.issues.map(({ path: _path, message: _message, ...issue }) => issue);
};
const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [{ image: 'a' }] } };

describe('a file of objects', () => {
  it.each([
    ['one document', 'a: 1\n', [{ a: 1 }]],
    [
      'several, empty ones too',
      '---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\nc: 3\n',
      [{ a: 1 }, null, null, { b: 2 }, { c: 3 }],
    ],
    ['nothing', '', []],
    ['a comment alone', '# Source: chart\n', []],
    ['JSON', JSON.stringify(POD), [POD]],
    ['JSON with an integer of 64 bits', '{"a":9223372036854775807}', [{ a: 2 ** 63 }]],
    ['JSON in which << is a name like others', '{"a":1,"<<":{"a":2}}', [{ a: 1, '<<': { a: 2 } }]],
    ['a map as YAML writes it inline', '{a: 1}', [{ a: 1 }]],
    ['YAML that says its version', '%YAML 1.2\n---\na: yes\n', [{ a: 'yes' }]],
    ['a map with a key that is null', 'a: 1\nnull: 2\n', [{ a: 1, '': 2 }]],
    [
      'comments in the lines of document markers',
      '--- # one\na: 1\n---\t# two\r\nb: 2\n---  \r\nc: 3\n--- \t\n--- #\n---',
      [{ a: 1 }, { b: 2 }, { c: 3 }, null, null, null],
    ],
    [
      'markers where they are none',
      'a: |\n ---#\n ---x\nb: --- c\n--x: 1\n # ---x\n#---x\n',
      [{ a: '---#\n---x\n', b: '--- c', '--x': 1 }],
    ],
    ['a byte order mark', '\ufeffa: 1', [{ a: 1 }]],
    ['words that older versions of YAML take for booleans', 'a: on\nb: yes', [{ a: 'on', b: 'yes' }]],
  ])('may be %s', (_title, text, documents) => {
    expect(documentsOf(text)).toEqual(documents);
  });

  it('may have aliases and merges', () => {
    const text = 'base: &base { image: a, args: &args [x] }\none: { <<: *base, name: one }\ntwo: { args: *args }\n';
    const base = { image: 'a', args: ['x'] };
    expect(documentsOf(text)).toEqual([{ base, one: { ...base, name: 'one' }, two: { args: ['x'] } }]);
  });

  it('loses no image that is merged or repeated', () => {
    const text = `apiVersion: v1
kind: Pod
x: &base { image: registry.example/a }
spec:
  containers:
    - { <<: *base, name: one }
    - *base
`;
    const read = readManifest(bytes(text));
    const [{ images } = { images: undefined }] = manifestImages(read.ok ? read.documents : []);
    expect(images).toMatchObject({
      outcome: 'read',
      places: [{ image: 'registry.example/a' }, { image: 'registry.example/a' }],
    });
  });
});

describe('what readers would take differently, or never end to read, is refused:', () => {
  it.each([
    ['a key twice', 'image: good\nimage: bad\n', 'duplicate_key'],
    ['a key twice in JSON', '{"image":"good","image":"bad"}', 'duplicate_key'],
    ['a merge behind what it may replace', 'x: &x { image: bad }\ny: { image: good, <<: *x }\n', 'merge_not_first'],
    ['two merges', 'x: &x { a: 1 }\ny: { <<: *x, <<: *x }\n', 'merge_not_first'],
    ['a tag of its own', 'image: !other a\n', 'syntax'],
    ['bytes', 'image: !!binary YQ==\n', 'syntax'],
    ['an ordered map', 'a: !!omap [b: 1]\n', 'syntax'],
    ['another version of YAML', '%YAML 1.1\n---\na: yes\n', 'syntax'],
    ['a key that is a map', '? { a: 1 }\n: x\n', 'syntax'],
    ['an alias of nothing', 'a: *nothing\n', 'syntax'],
    ['a value in itself', 'a: &a [*a]\n', 'syntax'],
    ['a merge of no map', 'a: { <<: 3 }\n', 'syntax'],
    ['half of a text', 'a: "b\n', 'syntax'],
    ['two documents of JSON in one', '{"a":1}{"b":2}', 'syntax'],
    ['lists in each other', lists(200), 'too_complex'],
    ['lists without end', lists(100_000), 'syntax'],
    ['more aliases than anybody writes', `a: &a 1\nb: [${Array(1_001).fill('*a')}]\n`, 'too_complex'],
    [
      'values that double',
      `a0: &a0 [x]\n${Array.from({ length: 25 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
      'too_complex',
    ],
  ])('%s', (_title, text, code) => {
    const codes = documentsOf(text);
    expect(codes[0]).toBe(code);
    expect(codes).not.toContain(undefined);
  });

  it('bytes that are no text, and too many', () => {
    expect(readManifest(new Uint8Array([0x61, 0x3a, 0x20, 0xff]))).toMatchObject({
      issues: [{ code: 'manifest.syntax' }],
    });
    const large = new Uint8Array(MAX_MANIFEST_BYTES + 1).fill(0x20);
    expect(readManifest(large.subarray(1)).ok).toBe(true);
    expect(readManifest(large)).toMatchObject({
      ok: false,
      issues: [{ code: 'manifest.too_large', expected: '8388608 bytes' }],
    });
  });
});

describe('what is read up to a limit:', () => {
  const aliases = (count: number) => `a: &a 1\nb: [${Array(count).fill('*a')}]\n`;
  /** Of a million values, and `more`. */
  const values = (more: number) =>
    `x: 1\n---\na: &a [${Array(999).fill('x')}]\nb: [${Array(998).fill('*a')}, ${Array(998 + more).fill('x')}]\n`;
  test.each([
    ['aliases', aliases(1_000), aliases(1_001), { line: 2, column: 3_005, found: 'aliases' }],
    ['values', values(0), values(1), { line: 2, column: 1 }],
    ['lists in each other', `---\n${lists(128)}`, `---\n${lists(129)}`, { line: 1, column: 1 }],
    ['lists in each other in JSON', lists(128), lists(129), { line: 1, column: 1 }],
  ])('%s', (_title, most, more, place) => {
    expect(issuesOf(most)).toEqual([]);
    expect(issuesOf(more)).toStrictEqual([{ code: 'manifest.too_complex', ...place }]);
  });

  test('JSON is JSON, however long and deep', () => {
    const json = `{"a":${lists(127)},"b":"${'x'.repeat(100_000)}","<<":{"a":2}}`;
    expect(documentsOf(json)).toEqual([JSON.parse(json)]);
  });

  test('the first twenty problems are told', () => {
    const twice = (count: number) => issuesOf('a: 1\n'.repeat(count + 1));
    expect(twice(20)).toHaveLength(20);
    expect(twice(21)).toEqual(twice(20));
  });
});

test.each([
  ['a tag', 'a: 1\nb: !other c\n', 'syntax', { line: 2, column: 4, found: 'tag resolve failed' }],
  ['a version of YAML', '# c\n%YAML 1.1\n---\na: yes\n', 'syntax', { line: 3, column: 1, found: '%YAML 1.1' }],
  ['a key that is a list', 'a: 1\n? [b]\n: c\n', 'syntax', { line: 2, column: 3, found: 'a key that is no scalar' }],
  ['a value in itself', 'a: 1\n---\nb: &b [*b]\n', 'syntax', { line: 2, column: 1 }],
  ['a merge', 'x: &x { a: 1 }\ny: { b: 1, <<: *x }\n', 'merge_not_first', { line: 2, column: 12 }],
  ['a merge in a list', '- &x { a: 1 }\n- b: 1\n  <<: *x\n', 'merge_not_first', { line: 3, column: 3 }],
  ['a merge that has a tag', '!!str <<: { b: 1 }\n', 'syntax', { line: 1, column: 7, found: 'a key with a tag' }],
  // kubectl 1.36 merges it, and our parser an empty map.
  [
    'a merge by a tag',
    'spec:\n  !!merge initContainers: [{ image: a }]\n',
    'syntax',
    { line: 2, column: 11, found: 'a key with a tag' },
  ],
  [
    'a key that is an alias',
    '? &k a\n: 1\n? *k\n: 2\n',
    'syntax',
    { line: 3, column: 3, found: 'a key that is no scalar' },
  ],
  // kubectl 1.36 begins another document there, or reads no further; YAML goes on with the one before.
  ...['#x:', '\u00a0#x:', '\u000b#x:', '\u00a0', ' \u00a0# c', ' x', '\tx: 1', ' {}', ' |', '-', 'x:', ' \u3000'].map(
    (rest): [string, string, string, object] => [
      `a line of --- and ${JSON.stringify(rest)}`,
      `a: 1\r\n---${rest}\n  b: 2\n`,
      'syntax',
      { line: 2, column: 1, found: 'a line that begins with --- and goes on with more than a comment' },
    ],
  ),
  // For kubectl 1.36 the comment ends there.
  ...['\r', '\u0085', '\u2028', '\u2029'].map((end): [string, string, string, object] => [
    `a line that ends with ${JSON.stringify(end)}`,
    `a: 1\r\n# c${end}b: 2\n`,
    'syntax',
    { line: 2, column: 4, found: 'a line break that not every reader takes for one' },
  ]),
])('%s is told with its place', (_title, text, code, place) => {
  expect(issuesOf(text)).toStrictEqual([{ code: `manifest.${code}`, ...place }]);
});

test('problems have their lines, and never what stands there', () => {
  const text = 'a: 1\n---\npassword: "hunter2\n  : x\nb: c: d\nb: 2\n';
  const read = readManifest(bytes(text));
  const issues = read.ok ? [] : read.issues;
  expect(issues.length).toBeGreaterThan(0);
  expect(issues.every(({ line, column }) => line !== undefined && line > 2 && column !== undefined)).toBe(true);
  expect(JSON.stringify(issues)).not.toMatch(/hunter2|password/);
  const twice = readManifest(bytes('a: 1\nb:\n  c: 1\n  c: 2\n'));
  expect(twice.ok ? [] : twice.issues).toMatchObject([{ code: 'manifest.duplicate_key', line: 4, column: 3 }]);
  expect(MANIFEST_FILE_ISSUE_CODES).toHaveLength(5);
});

test('whatever a file holds, it is read or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), fc.jsonValue(), (text, some, value) => {
      readManifest(bytes(text));
      readManifest(some);
      const json = JSON.stringify(value);
      expect(readManifest(bytes(json))).toEqual(readManifest(bytes(json)));
    }),
  );
});

test('JSON means the same as YAML', () => {
  const value = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.integer(), fc.boolean()));
  fc.assert(
    fc.property(value, (object) => {
      const json = JSON.stringify(object);
      expect(documentsOf(`---\n${json}`)).toEqual([JSON.parse(json)]);
    }),
  );
});
