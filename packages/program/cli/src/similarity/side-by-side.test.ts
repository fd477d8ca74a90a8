import { expect, test } from 'vitest';
import { sideBySide } from './side-by-side.ts';

const region = (from: number, to: number, token_count = 20) => ({ a: { from, to }, b: { from, to }, token_count });

test('the lines of both files stand beside each other', () => {
  expect(sideBySide([region(1, 2)], 'one\ntwo', 'uno\ndos', 60)).toBe(
    `
lines 1-2 | lines 1-2, 20 tokens
one                          | uno
two                          | dos
`,
  );
});

test('no line is wider than the terminal, whatever is in it', () => {
  const text = ['x'.repeat(100_000), '名'.repeat(200), '🙂'.repeat(200), 'e\u0301'.repeat(200), '\t\t\tx'].join('\n');
  const shown = sideBySide([region(1, 5)], text, text, 80);
  const wide = /[\u2e80-\ua4cf\u{1f300}-\u{1faff}]/gu;
  for (const line of shown.split('\n').slice(2)) {
    const columns = [...line.replace(/\u0301/g, '').replace(wide, 'xx')].length;
    expect(columns).toBeLessThanOrEqual(80);
  }
});

test('what a file holds cannot move the cursor or begin a line', () => {
  const shown = sideBySide([region(1, 1)], 'a\u001b[2Jb\u202ec', 'a\rb\r', 80);
  for (const sign of ['\u001b', '\u202e', '\r']) expect(shown).not.toContain(sign);
  expect(shown.split('\n')).toHaveLength(4);
});

test('long regions are cut, and of many the longest are shown in their order', () => {
  const text = 'x\n'.repeat(400);
  expect(sideBySide([region(1, 100)], text, text, 80)).toContain('... 84 more lines');
  const many = Array.from({ length: 8 }, (_, index) => region(index * 10 + 1, index * 10 + 2, 100 - index));
  const shown = sideBySide(many, text, text, 80);
  expect([...shown.matchAll(/^lines (\d+)/gm)].map(([, from]) => Number(from))).toEqual([1, 11, 21, 31, 41]);
  expect(shown).toContain('3 shorter regions more');
});

test('a region that is longer in one file leaves the other side empty', () => {
  const shown = sideBySide([{ a: { from: 1, to: 1 }, b: { from: 1, to: 2 }, token_count: 16 }], 'a\nZ', 'b\nc', 60);
  expect(shown).toContain('line 1 | lines 1-2');
  expect(shown).not.toContain('Z');
});

test('one line beside many goes on below itself', () => {
  const line = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index).repeat(4)).join('');
  const shown = sideBySide([{ a: { from: 1, to: 3 }, b: { from: 1, to: 1 }, token_count: 16 }], '1\n2\n3', line, 60);
  expect(shown.split('\n').map((row) => row.split(' | ')[1])).toEqual([
    undefined,
    'line 1, 16 tokens',
    line.slice(0, 28),
    line.slice(28, 56),
    line.slice(56, 84),
    undefined,
  ]);
});

test('without regions there is nothing', () => {
  expect(sideBySide([], '', '', 80)).toBe('');
});
