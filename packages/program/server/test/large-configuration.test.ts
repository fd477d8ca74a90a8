import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeIssuerKey, mintToken, SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CONFIGURATION_IN_PLACE_BYTES } from '../src/configuration/configuration-in-force.ts';
import { serveConfiguration } from '../src/start/serve-configuration.ts';
import { quietPort } from './running-server.ts';

const LOOK_MS = 1_000;
const ISSUER = 'https://jobs.example.com';
const key = makeIssuerKey('ES256');

function callerToken(audience: string): string {
  const iat = Math.floor(Date.now() / 1000);
  return mintToken(key, { iss: ISSUER, sub: 'job', aud: audience, iat, exp: iat + 600 });
}

/** A server whose file is looked at when the test says so. */
async function serve() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder(onTestFinished);
  const port = await quietPort();
  const url = `http://localhost:${port}`;
  const file = join(folder, 'colophon.yaml');
  const write = (agent: string, more: string, address = url) => {
    const text = `issuer: ${address}
listen: { address: localhost, port: ${port} }
data: data
tokens: { algorithm: ES256 }
callers:
  - name: job
    kind: oidc
    oidc:
      issuer: ${ISSUER}
      audience: ${address}
      where: { sub: job }
      singleUse: false
      keys: { file: keys.json }
    may: { agents: [${agent}] }
agents:
  - { name: code-writer }
  - { name: code-fixer }
${more}`;
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [key.jwk] }));
  write('code-writer', '');
  const server = await serveConfiguration({ file, env: {}, reviewerSecretFile: join(folder, 'secret') });
  onTestFinished(() => server.close());
  const mint = async (agent_name: string) => {
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: JSON.stringify({ ...SIX_FIELDS, agent_name }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${callerToken(url)}` },
    });
    return response.status;
  };
  return { write, mint, look: () => vi.advanceTimersByTime(LOOK_MS), server };
}

const MANY = Array.from({ length: 2_000 }, (_, index) => `  - { name: agent-${index}, owner: platform@example.com }\n`);
const LARGE = MANY.join('');

test('tokens are answered by the old file while a large changed one is being read, and then by the new one', async () => {
  expect(LARGE.length).toBeGreaterThan(CONFIGURATION_IN_PLACE_BYTES);
  const { write, mint, look } = await serve();
  write('code-fixer', LARGE);
  look();
  expect([await mint('code-writer'), await mint('code-fixer')]).toEqual([200, 403]);
  await vi.waitFor(async () => expect(await mint('code-fixer')).toBe(200), { timeout: 60_000, interval: 50 });
  expect(await mint('code-writer')).toBe(403);
});

test('a large file that cannot take effect changes nothing, and the next one does', async () => {
  const { write, mint, look } = await serve();
  for (const [more, address] of [
    [`${LARGE}  - { name: agent-0 }\n`, undefined],
    [LARGE, 'http://localhost:1'],
  ] as const) {
    write('code-fixer', more, address);
    look();
    expect(await mint('code-fixer')).toBe(403);
  }
  write('code-fixer', LARGE);
  // The files are not looked at while one is being read.
  await vi.waitFor(
    async () => {
      look();
      expect(await mint('code-fixer')).toBe(200);
    },
    { timeout: 60_000, interval: 50 },
  );
});

test('a server that ends while a large file is being read ends', async () => {
  const { write, mint, look, server } = await serve();
  write('code-fixer', LARGE);
  look();
  expect(await mint('code-writer')).toBe(200);
  await server.close();
});
