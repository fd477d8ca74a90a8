import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseVendoredPath } from './vendored-path.ts';

test.each([
  ['src/pad.js', 'src/pad.js'],
  ['./src//pad.js', 'src/pad.js'],
  ['src/lib/../pad.js', 'src/pad.js'],
  ['src/', 'src'],
  ['ünïcode/a b.js', 'ünïcode/a b.js'],
])('%s is referred to as %s', (path, expected) => {
  expect(parseVendoredPath(path)).toEqual({ ok: true, value: expected });
});

test.each([
  '',
  '.',
  '..',
  '../pad.js',
  'src/../../pad.js',
  'src/..',
  '/etc/passwd',
  'C:/pad.js',
  'src\\pad.js',
  'src/\u0000.js',
  'a\nb',
  'a/'.repeat(3000),
])('%j is no path inside a repository', (path) => {
  expect(parseVendoredPath(path)).toMatchObject({ ok: false, issues: [{ code: 'vendored.path_invalid' }] });
});

test('whatever is accepted stays inside, and is accepted as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '.', '..', '/', ' ', '%2e', '\\') }), (path) => {
      const parsed = parseVendoredPath(path);
      if (!parsed.ok) return;
      expect(parsed.value.split('/')).not.toContain('..');
      expect(parsed.value.startsWith('/')).toBe(false);
      expect(parseVendoredPath(parsed.value)).toEqual(parsed);
    }),
  );
});
