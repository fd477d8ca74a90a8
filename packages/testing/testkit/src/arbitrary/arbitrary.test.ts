import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentName, anyText, emailAddress, sha256Digest } from './arbitrary.ts';

test('agent names keep to their grammar, and use all of it', () => {
  const names = fc.sample(agentName(), { numRuns: 500, seed: 1 });
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  expect(names.join('')).toMatch(/[.].*[_].*[-]/);
});

test('digests have their prefix and 64 hex digits', () => {
  fc.assert(fc.property(sha256Digest(), (digest) => /^sha256:[0-9a-f]{64}$/.test(digest)));
});

test('e-mail addresses are ones', () => {
  fc.assert(fc.property(emailAddress(), (address) => /^[a-z0-9]+@[a-z0-9]+(\.[a-z0-9]+)*\.example$/.test(address)));
});

test('any text is well formed, and holds controls, letters and characters beyond the first plane', () => {
  const texts = fc.sample(anyText({ minLength: 1, maxLength: 20 }), { numRuns: 2000, seed: 1 });
  for (const text of texts) {
    expect(text.isWellFormed()).toBe(true);
    expect([...text].length).toBeGreaterThan(0);
    expect([...text].length).toBeLessThanOrEqual(20);
  }
  for (const kind of [/\p{Cc}/u, /[a-z]/, /[\ue000-\uffff]/, /[\u{10000}-\u{10ffff}]/u])
    expect(texts.join('')).toMatch(kind);
});
