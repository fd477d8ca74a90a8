import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { selfSigned } from '@colophon/testkit';
import { afterAll, expect, test } from 'vitest';

const PACKAGE = JSON.stringify(join(import.meta.dirname, '..', 'index.ts'));

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/**
 * What is answered to each address, or why it is not, in a process that uses this proxy: a proxy counts for the whole
 * process, and from its first question on.
 */
async function askBehind(proxy: string, questions: readonly { url: string; authority: string }[]): Promise<string[]> {
  const program = `
    import { askPeer, fetchTrusting, useMachineNetwork } from ${PACKAGE};
    const [proxy, questions] = JSON.parse(process.argv[1]);
    useMachineNetwork({ HTTPS_PROXY: proxy, NO_PROXY: 'other.example' });
    const answers = [];
    for (const { url, authority } of questions) {
      const asked = askPeer(url, {}, { timeoutMs: 60_000, mostBytes: 1_000, fetch: fetchTrusting(authority) });
      answers.push(await asked.then(({ body }) => Buffer.from(body).toString(), ({ kind, message }) => kind + ' ' + message));
    }
    process.stdout.write(JSON.stringify(answers), () => process.exit());`;
  const args = ['--input-type=module', '-e', program, JSON.stringify([proxy, questions])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 100_000 });
  return JSON.parse(stdout);
}

test('a private authority counts behind the proxy, and services of this machine are asked without it', async () => {
  const [there, here] = [selfSigned('keys.example'), selfSigned()];
  const thereAt = await listen(createServer(there, (_request, response) => response.end('there')));
  const hereAt = await listen(createServer(here, (_request, response) => response.end('here')));
  const asked: string[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const target = connect(thereAt, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });

  const answers = await askBehind(`http://127.0.0.1:${await listen(proxy)}`, [
    { url: 'https://keys.example/jwks', authority: there.cert },
    { url: 'https://keys.example/jwks', authority: here.cert },
    { url: `https://localhost:${hereAt}/`, authority: here.cert },
    { url: `https://127.0.0.1:${hereAt}/`, authority: here.cert },
  ]);
  expect(answers).toEqual([
    'there',
    expect.stringMatching(/^network (?:DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_CERT_ALTNAME_INVALID)$/),
    'here',
    // The certificate has no name for the address; that it was compared shows that the server was reached.
    'network ERR_TLS_CERT_ALTNAME_INVALID',
  ]);
  expect(asked).toEqual(['keys.example:443', 'keys.example:443']);
});
