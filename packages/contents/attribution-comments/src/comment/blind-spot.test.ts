import { describe, expect, test } from 'vitest';
import { blindSpotOf, meaningOfComment } from './blind-spot.ts';
import type { ParserName } from './comment-syntax.ts';
import { sourceText } from './placement.ts';

const spot = (parser: ParserName, text: string) => blindSpotOf(sourceText(text), parser, false);

describe('a file that its parser reads otherwise than its language is known', () => {
  test.each<[parser: ParserName, what: string, text: string]>([
    ['go', 'a NUL', 'package a // \0\n'],
    ['python', 'a return alone', '# a\rb()\n'],
    ['yaml', 'a line end of YAML 1.1', '# a\u0085b: 1\n'],
    ['javascript', 'a line end of JavaScript', '// a\u2029b();\n'],
    ['python', 'an encoding that is no superset of ASCII', '#!/usr/bin/python\n# vim: set fileencoding=utf-7 :\n'],
    ['c', 'a trigraph', '// a ??/\nint b;\n'],
    ['c', 'a raw string', 'const char *a = R"x(\n)x";\n'],
    ['c', 'a raw string with a prefix', 'const char *a = u8R"(\n)";\n'],
    ['c', 'a backslash before a blank', '#define A \\ \n  1\n'],
    ['c', 'a divided beginning', 'int a; /\\\n\\\n* b\n'],
    ['c', 'a divided end', '/* a *\\\r\n/ int b;\n'],
    ['java', 'an escape of ASCII', 'char a = \\uu0027b\\u0027;\n'],
    ['go', 'a group that imports C', 'import (\n\t"C" // c\n)\n'],
    ['go', 'an import of C by another quote', 'import `C`\n'],
    ['yaml', 'an encrypted file', '$ANSIBLE_VAULT;1.1;AES256\n6162\n'],
  ])('%s: %s', (parser, _, text) => {
    expect(spot(parser, text)).toBeTypeOf('string');
  });

  test('and one that is run as another language', () => {
    expect(blindSpotOf(sourceText('a()\n'), 'python', true)).toBeTypeOf('string');
  });

  test.each<[parser: ParserName, text: string]>([
    ['python', '# coding: utf-8\r\na()\r\n'],
    ['python', '# -*- coding: iso-8859-15 -*-\n'],
    ['python', 'a()\nb()\n# coding: utf-7\n'],
    ['c', 'const char *a = "HOUR"; f("R"); g(A_R"x(");\n'],
    ['c', '#define A(x) f(x *\\\n  y)\n'],
    ['java', 'String a = "\\u00e4";\n'],
    ['go', 'import "C"\n\nvar a = map[string]string{\n\t"C": "d",\n}\n'],
  ])('%s: %j is an ordinary one', (parser, text) => {
    expect(spot(parser, text)).toBeUndefined();
  });
});

describe('a comment that would be more than one is known', () => {
  const GO = 'package a\n\nfunc a() {\n}\n\nfunc ExampleA() {\n\ta()\n\t// Output: b\n}\n';

  test('in the first two lines of Python, where it names an encoding', () => {
    const meaning = (line: number, words: string) => meaningOfComment(sourceText('a()\n'), 'python', line, words);
    expect(meaning(1, 'colophon: agent=a model=coding:7b')).toBeTypeOf('string');
    expect(meaning(2, 'colophon: agent=a model=coding:7b')).toBeTypeOf('string');
    expect(meaning(3, 'colophon: agent=a model=coding:7b')).toBeUndefined();
    expect(meaning(1, 'colophon: agent=coding model=7b')).toBeUndefined();
  });

  test('below an example of Go that has an output', () => {
    const meaning = (line: number, text = GO) => meaningOfComment(sourceText(text), 'go', line, '');
    expect(meaning(9)).toBeTypeOf('string');
    expect(meaning(7)).toBeTypeOf('string');
    expect(meaning(3)).toBeUndefined();
    expect(meaning(9, GO.replace('Output:', ''))).toBeUndefined();
  });
});
