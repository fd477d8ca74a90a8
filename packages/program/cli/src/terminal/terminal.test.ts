import { expect, test } from 'vitest';
import { coloursFor, counted, formatTable, manyLines, oneLine } from './terminal.ts';

test('text from outside cannot leave its line, move the cursor or reorder what is around it', () => {
  expect(oneLine('a\nb\r\u001b[31mc\u2028d\u202ee\u200bf\u0085')).toBe(
    'a\\u{a}b\\u{d}\\u{1b}[31mc\\u{2028}d\\u{202e}e\\u{200b}f\\u{85}',
  );
});

test.each([
  ...['\u2066', '\u2069', '\u200f', '\ufeff', '\u007f', '\u009b', '\t', '\0'],
  ...['\u061c', '\u00ad', '\u180e', '\u206a', '\u{e0041}', '\ud800'],
])('%j is shown by its number', (text) => {
  expect(oneLine(text)).toBe(`\\u{${text.codePointAt(0)!.toString(16)}}`);
});

test('text in any script stays as it is', () => {
  expect(oneLine('Zoë 名 🙂')).toBe('Zoë 名 🙂');
});

test('a document keeps its lines', () => {
  expect(manyLines('{\n\t"a": "\u001b[2J"\r\n}\n')).toBe('{\n\t"a": "\\u{1b}[2J"\\u{d}\n}\n');
});

test('columns are as wide as their widest cell', () => {
  expect(
    formatTable([
      ['a', 'bb'],
      ['ccc', 'd'],
    ]),
  ).toBe('a    bb\nccc  d\n');
});

test('rows of different lengths are a table all the same', () => {
  expect(formatTable([['a'], ['b', 'c', 'd'], []])).toBe('a\nb  c  d\n\n');
});

test('a cell cannot begin a row', () => {
  expect(formatTable([['a\nb', 'c']])).toBe('a\\u{a}b  c\n');
});

test.each([
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { NO_COLOR: '1' }, false],
  [{ isTTY: true }, { TERM: 'dumb' }, false],
  [{ isTTY: false }, {}, false],
  [{}, {}, false],
])('a terminal %j with %j has colours: %s', (stderr, env, hasColours) => {
  const write = () => {};
  const text = coloursFor({ stdout: { write }, stderr: { write, ...stderr }, env }).red('x');
  expect(text !== 'x').toBe(hasColours);
});

test('what is redirected into a file has no colours because the errors go to a terminal', () => {
  const write = () => {};
  const terminal = { stdout: { write }, stderr: { write, isTTY: true }, env: {} };
  expect(coloursFor(terminal, terminal.stdout).red('x')).toBe('x');
  expect(coloursFor(terminal).red('x')).not.toBe('x');
});

test.each([
  [0, 'file', '0 files'],
  [1, 'loss', '1 loss'],
  [2, 'loss', '2 losses'],
])('%i of %s is said as %s', (number, thing, text) => {
  expect(counted(number, thing)).toBe(text);
});
