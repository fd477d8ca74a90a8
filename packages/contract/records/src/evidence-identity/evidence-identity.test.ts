import { expect, test } from 'vitest';
import { evidenceSubject } from './evidence-identity.ts';

test.each([
  ['http://localhost:7080', 'evidence:localhost:7080'],
  ['https://agents.acme.example', 'evidence:agents.acme.example'],
  ['https://agents.acme.example/tenant', 'evidence:agents.acme.example'],
  ['https://agents.acme.example:443/', 'evidence:agents.acme.example'],
])('the evidence store of %s signs as %s', (issuer, subject) => {
  expect(evidenceSubject(issuer)).toBe(subject);
});

test('what is no URL has no evidence store', () => {
  expect(() => evidenceSubject('agents.acme.example')).toThrow(TypeError);
});
