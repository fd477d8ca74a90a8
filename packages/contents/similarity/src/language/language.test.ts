import { expect, test } from 'vitest';
import { grammarOfPath, languageOfGrammar } from './language.ts';

test.each([
  ['a.js', 'javascript'],
  ['dir.d/a.MJS', 'javascript'],
  ['a.jsx', 'javascript'],
  ['types.d.ts', 'typescript'],
  ['a.cts', 'typescript'],
  ['a.tsx', 'tsx'],
  ['C:\\x\\a.py', 'python'],
  ['a.java', 'java'],
  ['a.go', 'go'],
  ['a.rs', 'rust'],
  ['a.h', 'c'],
])('%s is read as %s', (path, grammar) => {
  expect(grammarOfPath(path)).toBe(grammar);
});

test.each(['a', 'js', '.js', 'dir/.js', 'a.js.txt', 'a.json', 'a.constructor', 'a.cpp', ''])(
  'nothing is known of %j',
  (path) => {
    expect(grammarOfPath(path)).toBeUndefined();
  },
);

test('.tsx is TypeScript', () => {
  expect(languageOfGrammar('tsx')).toBe('typescript');
});
