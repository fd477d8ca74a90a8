import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { selfSigned } from '@colophon/testkit';
import { afterAll, expect, test } from 'vitest';
import { askPeer } from '../ask/ask-peer.ts';
import { useMachineNetwork } from '../network/machine-network.ts';
import { fetchTrusting } from './private-ca.ts';

const LIMITS = { timeoutMs: 5_000, mostBytes: 1_000 };

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a private authority counts behind the proxy, and services of this machine are asked without it', async () => {
  const [there, here] = [selfSigned('keys.example'), selfSigned()];
  const ports = [
    await listen(createServer(there, (_request, response) => response.end('there'))),
    await listen(createServer(here, (_request, response) => response.end('here'))),
  ] as const;
  const asked: string[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const target = connect(ports[0], '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  useMachineNetwork({ HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`, NO_PROXY: 'other.example' });

  const ask = async (url: string, authority: string) =>
    Buffer.from((await askPeer(url, {}, { ...LIMITS, fetch: fetchTrusting(authority) })).body).toString();
  expect(await ask('https://keys.example/jwks', there.cert)).toBe('there');
  expect(asked).toEqual(['keys.example:443']);
  await expect(ask('https://keys.example/jwks', here.cert)).rejects.toMatchObject({ kind: 'network' });
  asked.length = 0;
  for (const host of ['localhost', '127.0.0.1']) {
    const said = await ask(`https://${host}:${ports[1]}/`, here.cert).catch((error: Error) => error.message);
    // The certificate has no name for the address; that it was compared shows that the server was reached.
    expect(said).toBe(host === 'localhost' ? 'here' : 'ERR_TLS_CERT_ALTNAME_INVALID');
  }
  expect(asked).toEqual([]);
});
