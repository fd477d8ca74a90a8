import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentName, emailAddress, sha256Digest } from './arbitrary.ts';

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
