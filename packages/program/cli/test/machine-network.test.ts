import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { deadUrl, selfSigned, temporaryFolder } from '@colophon/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';

/** The program of the checkout, or as it is shipped. */
const PROGRAM = process.env['COLOPHON_PROGRAM'] ?? join(import.meta.dirname, '..', 'bin', 'colophon.js');
const COMMAND = PROGRAM.endsWith('.js') ? [process.execPath, PROGRAM] : [PROGRAM];
const LOCALHOST = selfSigned();
const CERTIFICATE = join(temporaryFolder(afterAll), 'localhost.crt');
writeFileSync(CERTIFICATE, LOCALHOST.cert);
const CATALOG = JSON.stringify({
  catalogVersion: '2026.11.20',
  dateReleased: '2026-11-20T15:00:00.0000Z',
  count: 1,
  vulnerabilities: [{ cveID: 'CVE-2026-1000', dateAdded: '2026-11-01', dueDate: '2026-11-22' }],
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.close();
    (server as { closeAllConnections?: () => void }).closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

function catalogOverTls(): Promise<number> {
  return listen(createServer(LOCALHOST, (_request, response) => response.end(CATALOG)));
}

function catalog(host?: string): Promise<number> {
  return listen(
    createHttpServer((_request, response) => response.end(CATALOG)),
    host,
  );
}

/** A proxy that connects everybody with one port, and who it was asked for. Node 26 has plain http handed on, Node 24 tunnelled. */
async function proxy(target: number): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createHttpServer((request, response) => {
    asked.push(`${new URL(request.url ?? '').hostname}:80`);
    response.end(CATALOG);
  });
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const there = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    there.on('error', () => client.destroy());
    client.on('error', () => there.destroy());
  });
  return { port: await listen(server), asked };
}

/** `kev update` as its users run it, with these variables and none of ours. */
function update(feed: string, env: Record<string, string>): Promise<{ status: number; said: string }> {
  const [program = '', ...first] = COMMAND;
  const args = [...first, 'kev', 'update', '--kev', feed, '--allow-http', '--output', 'json'];
  const home = temporaryFolder(onTestFinished);
  return new Promise((resolve) => {
    execFile(program, args, { env: { COLOPHON_HOME: home, HOME: home, ...env } }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
}

test('a service whose authority the machine trusts is trusted, as by the other programs of the machine', async () => {
  const feed = `https://localhost:${await catalogOverTls()}/kev.json`;
  const refused = await update(feed, {});
  expect([refused.status, refused.said]).toEqual([3, expect.stringContaining('SELF_SIGNED_CERT')]);
  expect(await update(feed, { SSL_CERT_FILE: CERTIFICATE })).toMatchObject({ status: 0 });
  expect(await update(feed, { NODE_EXTRA_CA_CERTS: CERTIFICATE })).toMatchObject({ status: 0 });
});

test.each(['HTTP_PROXY', 'http_proxy'])('%s is the way to another machine', async (name) => {
  const { port, asked } = await proxy(await catalog());
  const address = name === 'http_proxy' ? `127.0.0.1:${port}` : `http://127.0.0.1:${port}`;
  expect(await update('http://mirror.example/kev.json', { [name]: address })).toMatchObject({ status: 0 });
  expect(asked).toEqual(['mirror.example:80']);
});

test('https goes through HTTPS_PROXY, and NO_PROXY does without', async () => {
  const tlsPort = await catalogOverTls();
  const { port, asked } = await proxy(tlsPort);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, SSL_CERT_FILE: CERTIFICATE };
  // The proxy says who it was asked for; that the certificate is another's shows that it was reached.
  const there = await update('https://mirror.example/kev.json', env);
  expect([there.status, asked[0]]).toEqual([3, 'mirror.example:443']);
  asked.length = 0;
  for (const NO_PROXY of ['other.example, mirror.example', 'other.example *', '.example']) {
    await update('https://mirror.example/kev.json', { ...env, NO_PROXY });
    expect([NO_PROXY, ...asked]).toEqual([NO_PROXY]);
  }
});

test('services of this machine are never asked through a proxy', async () => {
  const tlsPort = await catalogOverTls();
  const dead = await deadUrl();
  const env = { HTTP_PROXY: dead, HTTPS_PROXY: dead, NO_PROXY: 'other.example', SSL_CERT_FILE: CERTIFICATE };
  const port = await catalog();
  const feeds = [
    `https://localhost:${tlsPort}/k`,
    `http://127.0.0.1:${port}/k`,
    `http://0.0.0.0:${port}/k`,
    `http://127.0.0.2:${await catalog('127.0.0.2')}/k`,
  ];
  for (const feed of feeds) expect([feed, await update(feed, env)]).toMatchObject([feed, { status: 0 }]);
});

test.each(['socks5://127.0.0.1:1080', 'http://me:secret@[', 'ftp://proxy.example'])(
  'a proxy that is none (%s) is refused, and its login not shown',
  async (HTTPS_PROXY) => {
    const { status, said } = await update('https://mirror.example/kev.json', { HTTPS_PROXY });
    expect([status, said]).toEqual([1, expect.stringContaining('peer.proxy_invalid')]);
    expect(said).not.toContain('secret');
  },
);
