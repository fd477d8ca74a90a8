import { parseTokenRequest } from '@colophon/records';
import { expect, it } from 'vitest';
import { evidenceClaims } from './evidence-claims.ts';

const context = {
  issuer: 'https://agents.acme.example:8443',
  audiences: ['sigstore', 'other'],
  issuedAt: 1_795_000_000,
  lifetimeSeconds: 600,
  jti: 'jti-1',
};

it('names the issuer’s own evidence store and says nothing else', () => {
  expect(evidenceClaims(context)).toStrictEqual({
    iss: 'https://agents.acme.example:8443',
    sub: 'evidence:agents.acme.example:8443',
    aud: 'sigstore',
    exp: 1_795_000_600,
    iat: 1_795_000_000,
    jti: 'jti-1',
  });
});

it('refuses a context that cannot be', () => {
  expect(() => evidenceClaims({ ...context, lifetimeSeconds: 0 })).toThrow(TypeError);
});

it.each([
  { purpose: 'evidence' },
  { purpose: 'evidence', human_reviewer: 'alice@example.com' },
  { purpose: 'review', human_reviewer: 'evidence:localhost' },
  { purpose: 'artifact', agent_name: 'evidence:localhost' },
])('no request can ask for it: %j', (request) => {
  expect(parseTokenRequest(new TextEncoder().encode(JSON.stringify(request))).ok).toBe(false);
});
