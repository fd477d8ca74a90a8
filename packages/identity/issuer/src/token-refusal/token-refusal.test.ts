import { expect, test } from 'vitest';
import { refusedCaller, renderTokenRefusal } from './token-refusal.ts';

test('a description has the characters of RFC 6749 §5.2 alone, and its punctuation stays readable', () => {
  const message = 'the token’s issuer “x” wants "Bearer …" \\ é';
  const { error_description: said } = JSON.parse(
    renderTokenRefusal({ ...refusedCaller('caller.credential_missing'), message }),
  );
  expect(said).toBe("the token's issuer ?x? wants 'Bearer ...' ? ?");
});
