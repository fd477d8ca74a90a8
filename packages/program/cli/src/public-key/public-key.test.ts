import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { readPublicKeyPem } from './public-key.ts';

function file(content: string): string {
  const path = join(temporaryFolder(onTestFinished), 'key.pub');
  writeFileSync(path, content);
  return path;
}

test('a public key in PEM is read', async () => {
  const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(await readPublicKeyPem(file(`${pem}\n`))).toBe(pem);
});

test.each([
  ['a key of another kind', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n', '--openpgp-key'],
  ['no key', '{}', 'a public key in PEM'],
])('%s is refused, and what belongs there is said', async (_what, content, expected) => {
  await expect(readPublicKeyPem(file(content))).rejects.toMatchObject({
    code: 'cli.file_unreadable',
    facts: { expected: expect.stringContaining(expected) },
  });
});
