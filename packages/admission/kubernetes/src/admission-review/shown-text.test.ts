import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { shownText } from './shown-text.ts';

it.each([
  ['plain text', 'plain text'],
  ['Grüße, 世界 🙂', 'Grüße, 世界 🙂'],
  ['a\u001b[31mred', 'a\\u{1b}[31mred'],
  ['a\nb\tc\u0000', 'a\\u{a}b\\u{9}c\\u{0}'],
  ['bidi \u202e and zero width \u200b', 'bidi \\u{202e} and zero width \\u{200b}'],
  ['line \u2028 paragraph \u2029', 'line \\u{2028} paragraph \\u{2029}'],
  ['half \ud800', 'half \\u{d800}'],
  ['tag \u{e0041}', 'tag \\u{e0041}'],
])('%j is shown as %j', (text, shown) => {
  expect(shownText(text, 256)).toBe(shown);
});

it('keeps what it is told to', () => {
  expect(shownText('a\nb\r', 256, '\n')).toBe('a\nb\\u{d}');
});

it.each([
  ['a'.repeat(10), 10, 'a'.repeat(10)],
  ['a'.repeat(11), 10, `${'a'.repeat(7)}...`],
  ['🙂'.repeat(10), 10, '🙂'.repeat(10)],
  ['🙂'.repeat(11), 10, `${'🙂'.repeat(7)}...`],
  [`a${'🙂'.repeat(30)}`, 10, `a${'🙂'.repeat(6)}...`],
  [`${'a'.repeat(9)}\n`, 10, `${'a'.repeat(7)}...`],
])('%j is cut at %i characters', (text, longest, shown) => {
  expect(shownText(text, longest)).toBe(shown);
});

test('what is shown is printable and short, whatever the text', () => {
  fc.assert(
    fc.property(anyText(), fc.integer({ min: 4, max: 40 }), (text, longest) => {
      const shown = shownText(text, longest);
      expect([...shown].length).toBeLessThanOrEqual(longest);
      expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});
