import { describe, expect, it } from 'vitest';
import { parseAgentName } from './agent-name.ts';

describe('parseAgentName', () => {
  it.each(['a', '7', 'Z', 'code-writer', 'Code_Writer.v2', 'a'.repeat(64), 'a-', 'a.', 'a_', 'unknown2', 'Unknown'])(
    'accepts %s as it is',
    (name) => {
      expect(parseAgentName(name)).toBe(name);
    },
  );

  it.each([
    ['nothing', ''],
    ['65 characters', 'a'.repeat(65)],
    ['a hyphen first', '-a'],
    ['a full stop first', '.a'],
    ['an underscore first', '_a'],
    ['a space', 'code writer'],
    ['a trailing newline', 'a\n'],
    ['a slash', 'a/b'],
    ['a colon', 'a:b'],
    ['the at sign that starts the version', 'a@1'],
    ['a percent sign', 'a%20b'],
    ['a Cyrillic letter that looks Latin', 'сode'],
    ['a fullwidth letter', 'ａ'],
    ['an accent', 'café'],
    ['a zero-width joiner', 'a\u200db'],
    ['a bidi override', 'a\u202eb'],
    ['a NUL', 'a\0b'],
    ['the word for a missing claim', 'unknown'],
  ])('refuses %s', (_title, name) => {
    expect(parseAgentName(name)).toBeUndefined();
  });
});
