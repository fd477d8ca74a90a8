import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commentSyntaxOf } from './comment-syntax.ts';
import { enclosingTextByLexis, enclosingTextOfSpans } from './enclosing-text.ts';
import { LEXES } from './lexis.ts';

/** Lines (from 1) whose beginning is in the middle of something. */
function inside(path: string, text: string): number[] {
  const enclosing = enclosingTextByLexis(text, commentSyntaxOf(path)!.lexis);
  const lines = text.split('\n');
  let offset = 0;
  const found: number[] = [];
  for (const [i, line] of lines.entries()) {
    if (enclosing(offset) !== undefined) found.push(i + 1);
    offset += line.length + 1;
  }
  return found;
}

test.each<[string, string, number[]]>([
  ['a.py', 'x = """\na\n"""\ny = 1 # "\nz = \'\'\'"""\n\'\'\'\n', [2, 3, 6]],
  ['a.py', 'x = "it\'s"\ny = \'"""\'\nz', []],
  ['a.js', 'x = `\na\n`\n/*\nb\n*/\n// `\ny', [2, 3, 5, 6]],
  ['a.java', 'var x = """\n a\n """;\nchar c = \'"\';\nint y;', [2, 3]],
  ['a.go', 'x := `\n"a\n`\n/* b\n*/ y', [2, 3, 5]],
  [
    'a.rs',
    'fn f<\'a>(x: &\'a str) {\nlet s = "a\nb";\nlet r = r#"\n"\n"#;\n/* /* */\n*/ let c = \'"\';\nx',
    [3, 5, 6, 8],
  ],
  ['a.cpp', 'auto s = R"x(\n)"\n)x";\nint i = 1\'000;\ny', [2, 3]],
  ['a.cs', 'var s = @"\na";\nchar c = \'"\';\ny', [2]],
  ['a.sh', "cat <<'EOF' > x\na # b\nEOF\necho \"a\nb\" # it's\necho a#b 'c\nd'\ny", [2, 3, 5, 7]],
  ['a.sh', 'echo $((1<<2)) <<< x\necho \\"\ny', []],
  ['a.rb', "x = <<~A + <<~B\n1\nA\n2\nB\n=begin\nq\n=end\n# it's\ny", [2, 3, 4, 5, 7, 8]],
  ['a.php', '<html>\n<?php\n$x = <<<EOT\na\nEOT;\n$y = "\nb";\n?>\n<p>\n<?php\ny', [1, 2, 4, 5, 7, 9, 10]],
  ['a.lua', 'x = [[\na\n]]\n--[[\nb\n]]\ny -- [[\nz', [2, 3, 5, 6]],
  ['a.sql', "select 'it''s\n' -- '\n, $$ a\n$$;\n/* b\n*/ y", [2, 4, 6]],
  ['a.yaml', 'a: |\n  # b\n  c\nd: "x\n  y"\ne: >-\n\n  f\n- g: |2\n   h\n- i', [2, 3, 5, 7, 8, 10]],
  ['b.yaml', 'a: one\n  two\n\n  three: x\nb:\n  - c d\n    e\n  - f: g\n    h: i\n', [2, 3, 4, 7]],
  ['c.yaml', 'a:\n  one\n  two\nb: [\n  x,\n  y\n]\nc: "d\n  e"\nf: &g\n  h: i\nj: k # l\n# m\n- n\no', [3, 9]],
  ['a.toml', "x = '''\na\n'''\ny = \"'''\"\nz", [2, 3]],
  [
    'a.html',
    '<div\n a="b>"\n>\n<!-- x\n-->\n<script>\nvar x;\n</script>\n<textarea>\n a\n</textarea>\n<p>',
    [2, 3, 5, 10, 11],
  ],
  ['a.tf', 'x = <<-EOT\n  # a\n  EOT\ny', [2, 3]],
  ['a.hs', "{- {- -}\n-} x = '\"'\ny", [2]],
  ['a.ml', 'let x = "(*"\n(* "a\n*) let y = \'"\'\nz', [3]],
  ['a.clj', '#|\na\n|# (x \\" 1) ; "\ny "\nb"\nz', [2, 3, 5]],
  ['a.ps1', '$x = @"\n"a\n"@\n<#\nb\n#>\ny', [2, 3, 5, 6]],
  ['a.css', 'a { b: "/*" } /*\nc\n*/\nd', [2, 3]],
  ['a.jl', 'x = """\na\n"""\n#= #= =#\n=# y', [2, 3, 5]],
  ['a.pl', 'x\n=pod\na\n=cut\ny', [3, 4]],
  ['Makefile', 'x:\ndefine A\n b\nendef\ny', [3, 4]],
  ['Makefile', 'define A\n b\nendef\noverride define B\n c\nendef\ny', [2, 3, 5, 6]],
  ['b.pl', '=pod\na\n=cut\ny', [2, 3]],
])('%s: %j has its middle in lines %j', (path, text, lines) => {
  expect(inside(path, text)).toEqual(lines);
});

test('a place is in a span where one is around it, wherever that begins', () => {
  const span = fc.tuple(fc.nat(30), fc.nat(10)).map(([start, length]) => [start, start + length] as const);
  fc.assert(
    fc.property(fc.array(span), fc.nat(45), (spans, offset) => {
      const around = spans.filter(([start, end]) => start < offset && offset < end);
      const start = enclosingTextOfSpans(spans)(offset);
      expect(start !== undefined).toBe(around.length > 0);
      for (const [one] of around) expect(start).toBeLessThanOrEqual(one);
    }),
  );
});

test('no text of any language makes it throw or loses its end', () => {
  const marks = fc.constantFrom(
    '"',
    "'",
    '`',
    '/*',
    '*/',
    '"""',
    "'''",
    '\n',
    '#',
    '//',
    '--',
    '[[',
    ']]',
    '<<EOF',
    'EOF',
    '\\',
    '<',
    '>',
    '<!--',
    '|',
    ' ',
    'a',
    '{-',
    '-}',
    '=begin',
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(LEXES)), fc.array(marks), (lexis, parts) => {
      const text = parts.join('');
      const enclosing = enclosingTextByLexis(text, lexis);
      for (let i = 0; i <= text.length; i++) {
        const start = enclosing(i);
        if (start !== undefined) expect(start).toBeLessThan(i);
      }
    }),
  );
});
