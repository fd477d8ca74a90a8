import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaPattern } from './pattern.ts';

const LENGTHS = '^([a-fA-F0-9]{2}|[a-fA-F0-9]{4}|[a-fA-F0-9]{7})$';

test('a list of lengths accepts what the pattern accepts, and nothing else', () => {
  const pattern = schemaPattern(LENGTHS, 'u');
  expect(pattern).not.toBeInstanceOf(RegExp);
  const texts = fc.oneof(fc.string({ maxLength: 9 }), fc.stringMatching(/^[a-fA-F0-9g\n]{0,9}$/));
  fc.assert(fc.property(texts, (text) => pattern.test(text) === new RegExp(LENGTHS, 'u').test(text)));
});

test.each(['^([a-f]{2}|[0-9]{4})$', '^([a-f]{2}|[a-f]{4})', '^[a-f]{2}$', '^(ab{2}|cd{4})$'])(
  '%s is left to the engine',
  (pattern) => {
    expect(schemaPattern(pattern, 'u')).toBeInstanceOf(RegExp);
  },
);
