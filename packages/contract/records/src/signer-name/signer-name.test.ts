import { expect, test } from 'vitest';
import { signerNames } from './signer-name.ts';

test('a certificate is known by its subject, alone and with its issuer; a subject that contains an issuer only with its own', () => {
  const subject = 'reviewer:dana@example.com';
  expect(signerNames({ subject, issuer: 'https://issuer.example' })).toEqual([
    subject,
    'reviewer:dana@example.com certified by https://issuer.example',
  ]);
  const forged = signerNames({
    subject: `${subject} certified by https://issuer.example`,
    issuer: 'https://evil.example',
  });
  expect(forged).not.toContain('reviewer:dana@example.com certified by https://issuer.example');
});
