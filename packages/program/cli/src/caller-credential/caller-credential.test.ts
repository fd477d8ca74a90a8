import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { callerCredential } from './caller-credential.ts';

const ISSUER = 'https://agents.example.com';

const fileWith = (text: string) => {
  const file = join(temporaryFolder(onTestFinished), 'credential');
  writeFileSync(file, text);
  return file;
};

test('the flag’s file is stronger than the environment, and is read for each token', async () => {
  const file = fileWith('one\n');
  const ask = () => callerCredential(ISSUER, { COLOPHON_CALLER_CREDENTIAL: 'other' }, file);
  expect(await ask()).toBe('one');
  writeFileSync(file, 'two');
  expect(await ask()).toBe('two');
});

test('a variable has the credential, or the name of its file', async () => {
  expect(await callerCredential(ISSUER, { COLOPHON_CALLER_CREDENTIAL: ' key \n' }, undefined)).toBe('key');
  expect(await callerCredential(ISSUER, { COLOPHON_CALLER_CREDENTIAL_FILE: fileWith('token') }, undefined)).toBe(
    'token',
  );
  expect(await callerCredential(ISSUER, { COLOPHON_CALLER_CREDENTIAL: '' }, undefined)).toBeUndefined();
});

test('two variables are ambiguous', async () => {
  const env = { COLOPHON_CALLER_CREDENTIAL: 'a', COLOPHON_CALLER_CREDENTIAL_FILE: fileWith('b') };
  await expect(callerCredential(ISSUER, env, undefined)).rejects.toMatchObject({ code: 'cli.usage' });
});

test.each(['', '\n', 'two words', 'line\nline'])('a file with %j holds no credential', async (text) => {
  await expect(callerCredential(ISSUER, {}, fileWith(text))).rejects.toMatchObject({ code: 'cli.file_unreadable' });
});

test('nothing is sent without TLS beyond this machine', async () => {
  const env = { COLOPHON_CALLER_CREDENTIAL: 'canary' };
  const sent = callerCredential('http://agents.example.com', env, undefined);
  await expect(sent).rejects.toMatchObject({ code: 'cli.credential_exposed' });
  await expect(sent).rejects.not.toThrow('canary');
  expect(await callerCredential('http://localhost:7080', env, undefined)).toBe('canary');
});

async function githubRunner(answer: (url: URL) => { status: number; body: string }) {
  const asked: Array<{ url: string; authorization: string | undefined }> = [];
  const server = createServer(({ url = '/', headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    const { status, body } = answer(new URL(url, 'http://runner'));
    response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner-secret',
  };
  return { env, asked };
}

test('a GitHub job shows a token for this issuer alone, a new one each time', async () => {
  let count = 0;
  const { env, asked } = await githubRunner((url) => {
    count += 1;
    return { status: 200, body: JSON.stringify({ value: `${url.searchParams.get('audience')} ${count}` }) };
  });
  expect(await callerCredential(ISSUER, env, undefined)).toBe(`${ISSUER} 1`);
  expect(await callerCredential(ISSUER, env, undefined)).toBe(`${ISSUER} 2`);
  expect(asked[0]).toEqual({
    url: `/token?api-version=2.0&audience=${encodeURIComponent(ISSUER)}`,
    authorization: 'Bearer runner-secret',
  });
  expect(await callerCredential('http://localhost:7080', env, undefined)).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test.each([
  ['an error', 403, '{}'],
  ['a redirect', 302, ''],
  ['no token', 200, '{"value":""}'],
  ['no JSON', 200, 'runner-secret'],
])('a runner that answers with %s gives no credential, and is not repeated', async (_what, status, body) => {
  const { env } = await githubRunner(() => ({ status, body }));
  const refused = callerCredential(ISSUER, env, undefined);
  await expect(refused).rejects.toMatchObject({ code: 'issuer.credential_unavailable' });
  await expect(refused).rejects.not.toThrow('runner-secret');
});
