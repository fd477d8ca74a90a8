import { expect, test } from 'vitest';
import { displayWidth } from './display-width.ts';
import { wrapLine, wrapTable } from './wrapped-lines.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

test('a line that fits is as it was', () => {
  expect(wrapLine('  a  b c', 8)).toBe('  a  b c');
  expect(wrapLine('any line', Number.POSITIVE_INFINITY)).toBe('any line');
});

test('a longer line goes on below its beginning, and keeps the blanks within it', () => {
  expect(wrapLine('  name@1.0  a licence that is not allowed', 20)).toBe(
    ['  name@1.0  a', '    licence that is', '    not allowed'].join('\n'),
  );
});

test('a word that is wider than a line is whole on a line of its own', () => {
  expect(wrapLine(`of ${DIGEST} too`, 30)).toBe(['of', `  ${DIGEST}`, '  too'].join('\n'));
});

test('wide characters and colours are counted as the terminal does', () => {
  const lines = wrapLine('\u001b[31m日本語 日本語 日本語\u001b[39m', 14).split('\n');
  expect(lines.map(displayWidth)).toEqual([13, 8]);
});

test('the last cell of a row goes on below itself', () => {
  expect(
    wrapTable(
      [
        ['feed', 'cisa.json'],
        ['what', 'a text of some words'],
      ],
      20,
    ),
  ).toBe('feed  cisa.json\nwhat  a text of some\n      words\n');
});

test('a digest that does not fit beside its name stands whole below it', () => {
  expect(wrapTable([['digest of it', DIGEST]], 80)).toBe(`digest of it\n  ${DIGEST}\n`);
});

test('a digest among the words stands whole on a line of its own, and the words go on', () => {
  expect(wrapTable([['signed by', `dana, bundle ${DIGEST} of a record`]], 80)).toBe(
    `signed by  dana, bundle\n  ${DIGEST} of a\n           record\n`,
  );
});

test('where what stands before takes most of the line, the last cell stands below', () => {
  const row = ['2026-11-25T02:02:25Z', 'opened', 'alice@example.com', 'a reason of so many words'];
  expect(wrapTable([row], 60)).toBe('2026-11-25T02:02:25Z  opened  alice@example.com\n  a reason of so many words\n');
});

test('a cell cannot begin a row', () => {
  expect(wrapTable([['a', 'b\nc']], 80)).toBe('a  b\\u{a}c\n');
});
