import { expect, test } from 'vitest';
import { formatTable, oneLine } from './terminal.ts';

test('text from outside cannot leave its line, move the cursor or reorder what is around it', () => {
  expect(oneLine('a\nb\r\u001b[31mc\u2028d\u202ee\u200bf\u0085')).toBe(
    'a\\u{a}b\\u{d}\\u{1b}[31mc\\u{2028}d\\u{202e}e\\u{200b}f\\u{85}',
  );
});

test('text in any script stays as it is', () => {
  expect(oneLine('Zoë 名 🙂')).toBe('Zoë 名 🙂');
});

test('columns are as wide as their widest cell', () => {
  expect(
    formatTable([
      ['a', 'bb'],
      ['ccc', 'd'],
    ]),
  ).toBe('a    bb\nccc  d\n');
});
