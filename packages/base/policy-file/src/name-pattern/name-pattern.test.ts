import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileNamePatterns } from './name-pattern.ts';

describe('patterns over names', () => {
  it.each([
    ['code-writer', 'code-writer'],
    ['claude-*', 'claude-sonnet-4-5-20250929'],
    ['claude-*', 'claude-'],
    ['*', 'anything'],
    ['*', ''],
    ['acme/*', 'acme/shop'],
    ['*/shop', 'acme/shop'],
    ['a*b*c', 'aXbXbXc'],
    ['**', 'https://forge.example/a/b/c'],
    ['https://forge.example/acme/**', 'https://forge.example/acme/group/shop'],
    ['meta-llama/*', 'meta-llama/Llama-3.1'],
  ])('%s stands for %s', (pattern, name) => {
    expect(compileNamePatterns([pattern])(name)).toBe(true);
  });

  it.each([
    ['code-writer', 'code-writer2'],
    ['code-writer', 'xcode-writer'],
    ['code-writer', 'Code-Writer'],
    ['claude-*', 'xclaude-3'],
    ['claude-*', 'claude-3/evil'],
    ['acme/*', 'acme'],
    ['acme/*', 'acme/group/shop'],
    ['acme/*', 'evil-acme/shop'],
    ['*', 'a/b'],
    ['a.c', 'abc'],
    ['[ab]', 'a'],
    ['a?c', 'abc'],
    ['', 'a'],
    ['https://forge.example/acme/**', 'https://forge.example/acme'],
    ['https://forge.example/acme/**', 'https://forge.example.evil/acme/shop'],
  ])('%s does not stand for %s', (pattern, name) => {
    expect(compileNamePatterns([pattern])(name)).toBe(false);
  });

  it('one of several is enough, and none stands for nothing', () => {
    const matches = compileNamePatterns(['a', 'b-*']);
    expect(['a', 'b-1', 'c'].map(matches)).toEqual([true, true, false]);
    expect(compileNamePatterns([])('')).toBe(false);
  });

  it('agrees with the regular expression that the words describe', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (stars, text) => {
        const source = stars.replaceAll(/\*\*+/g, '.+').replaceAll('*', '[^/]*').replaceAll('.+', '.*');
        expect(compileNamePatterns([stars])(text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });

  it('looks at no more than the square of a long name, whatever the pattern', () => {
    const pattern = `${'a*'.repeat(40)}b`;
    expect(compileNamePatterns([pattern])('a'.repeat(256))).toBe(false);
  });
});
