import { MOST_TEXT_LENGTH } from '@colophon/grammars';
import { describe, expect, test } from 'vitest';
import { PARSER_NAMES, type ParserName } from '../comment/comment-syntax.ts';
import { loadProgramReader } from './program-reader.ts';

/** A program, the same with a comment, another one that differs in white space or quotes inside a text, and no program. */
const PROGRAMS: Readonly<Record<ParserName, readonly [one: string, commented: string, other: string, broken: string]>> =
  {
    javascript: ['f(`a\nb`);\n', '// c\nf(`a\nb`);\n', 'f(`a\n// c\nb`);\n', 'f(;\n'],
    typescript: ['let a: b;\n', '// c\nlet a: b;\n', 'let a: c;\n', 'let a: ;\n'],
    tsx: ['a = <p>\nb\n</p>;\n', '/* c */\na = <p>\nb\n</p>;\n', 'a = <p>\n/* c */\nb\n</p>;\n', 'a = <p>;\n'],
    python: ['if a:\n  b()\nc()\n', 'if a:\n  b()\n# c\nc()\n', 'if a:\n  b()\n  c()\n', 'if a\n  b()\n'],
    java: ['class A { int a = 1; }\n', 'class A {\n// c\nint a = 1; }\n', 'class A { int a = 2; }\n', 'class A {\n'],
    go: [
      'package a\n\nvar b = `\n`\n',
      'package a\n\n// c\nvar b = `\n`\n',
      'package a\n\nvar b = `\n// c\n`\n',
      'package\n',
    ],
    rust: ['fn f() { g(1) }\n', 'fn f() {\n// c\ng(1) }\n', 'fn f() { g(2) }\n', 'fn f( {\n'],
    c: [
      '#define A \\\n 1\nint a;\n',
      '/* c */\n#define A \\\n 1\nint a;\n',
      '#define A \\\n/* c */\n 1\nint a;\n',
      'int a\n',
    ],
    yaml: ['a: |\n  b\nc: 1\n', 'a: |\n  b\n# c\nc: 1\n', 'a: |\n  b\n  # c\nc: 1\n', 'a: [\n'],
    toml: ['a = """\nb"""\n', '# c\na = """\nb"""\n', 'a = """\n# c\nb"""\n', 'a = \n'],
  };

test.each(PARSER_NAMES)('a program in %s is the same with a comment, and another with another text', async (name) => {
  const read = await loadProgramReader(name);
  const [one, commented, other, broken] = PROGRAMS[name];
  const shape = read(one)?.shape;
  expect(shape).toBeTypeOf('string');
  expect(read(commented)?.shape).toBe(shape);
  expect(read(`\ufeff${one}`)?.shape).toBe(shape);
  expect(read(other)?.shape).not.toBe(shape);
  expect(read(broken)).toBeUndefined();
  expect(read(' '.repeat(MOST_TEXT_LENGTH + 1))).toBeUndefined();
});

test('comments are told one by one, with what is in them', async () => {
  const read = await loadProgramReader('rust');
  expect(read('// a\n/* b\n// c\n*/\nfn f() {}\n')?.comments?.map((one) => one.trim())).toEqual([
    '// a',
    '/* b\n// c\n*/',
  ]);
});

test('a token that the parser made up is an error', async () => {
  const read = await loadProgramReader('javascript');
  expect(read('f(a;\n')).toBeUndefined();
});

describe('YAML', () => {
  test.each([
    ['a text alone', 'one\ntwo\n'],
    ['a text alone in the second document', 'a: 1\n---\n|\n words\n'],
    ['a tab', 'a:\n\tb: 1\n'],
    ['nothing', ''],
    ['too many levels', '['.repeat(100_000)],
  ])('is not read where it is %s', async (_, text) => {
    expect((await loadProgramReader('yaml'))(text)).toBeUndefined();
  });

  test('is another with another tag, anchor, style or document', async () => {
    const read = await loadProgramReader('yaml');
    const texts = ['a: 1', 'a: !!str 1', 'a: &b 1', "a: '1'", 'a: {}', 'a:\n  {b: 1}', 'a:\n  b: 1', 'a: 1\n---\na: 1'];
    expect(new Set(texts.map((text) => read(text)?.shape)).size).toBe(texts.length);
  });
});

test('TOML is another with another kind of value', async () => {
  const read = await loadProgramReader('toml');
  const texts = ['a = 1', 'a = 1.0', 'a = "1"', 'a = [1]', 'a = {}', 'a = 2020-01-01', 'a = "2020-01-01"', 'a = nan'];
  expect(new Set(texts.map((text) => read(text)?.shape)).size).toBe(texts.length);
});
