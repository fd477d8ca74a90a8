import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { issuerUrl, knownIssuerUrl } from './issuer-url.ts';

function installedFolder(): string {
  const folder = temporaryFolder(onTestFinished);
  const installation = { format: 3, issuer_url: 'http://localhost:7080', token_algorithm: 'RS256' };
  writeFileSync(join(folder, 'installation.json'), JSON.stringify(installation));
  return folder;
}

test('the flag wins over the environment, and that over the data folder', () => {
  const data = installedFolder();
  const env = { COLOPHON_ISSUER: 'https://issuer.example' };
  expect(issuerUrl(env, data, 'https://flag.example')).toBe('https://flag.example');
  expect(issuerUrl(env, data, undefined)).toBe('https://issuer.example');
  expect(issuerUrl({}, data, undefined)).toBe('http://localhost:7080');
  expect(issuerUrl({ COLOPHON_ISSUER: '' }, data, undefined)).toBe('http://localhost:7080');
});

test('without any, the next step is said', () => {
  const data = temporaryFolder(onTestFinished);
  expect(knownIssuerUrl({}, data)).toBeUndefined();
  expect(() => issuerUrl({}, data, undefined)).toThrow(
    expect.objectContaining({
      code: 'cli.no_issuer',
      kind: 'usage',
      facts: expect.objectContaining({ next: `colophon up --data ${data}` }),
    }),
  );
});

test.each(['issuer.example', 'file:///etc/passwd', 'http://', 'https://user:pw@issuer.example', 'https://a/?b', ' '])(
  '$COLOPHON_ISSUER=%j is a mistake that is told',
  (url) => {
    const data = installedFolder();
    expect(() => issuerUrl({ COLOPHON_ISSUER: url }, data, undefined)).toThrow(
      expect.objectContaining({ code: 'cli.usage' }),
    );
  },
);
