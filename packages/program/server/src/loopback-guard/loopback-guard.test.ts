import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { guardLoopback, loopbackRefusal } from './loopback-guard.ts';

test.each(['localhost:7080', 'localhost', '127.0.0.1:7080', '[::1]:7080', 'LOCALHOST:1'])(
  'a request to %s is served',
  (host) => {
    expect(loopbackRefusal({ host })).toBeUndefined();
  },
);

test.each([
  'example.com',
  'localhost.example.com',
  'localhost:7080@evil',
  '127.0.0.1.nip.io:7080',
  '10.0.0.1:7080',
  '0.0.0.0:7080',
  'localhost:',
  '',
])('a request to Host %j is refused', (host) => {
  expect(loopbackRefusal({ host })?.code).toBe('server.host_not_loopback');
});

test('a request without Host is refused', () => {
  expect(loopbackRefusal({})?.code).toBe('server.host_not_loopback');
});

test.each([
  ['origin', 'http://localhost:7080', 'server.origin_refused'],
  ['origin', 'null', 'server.origin_refused'],
  ['forwarded', 'for=10.0.0.1', 'server.forwarded_refused'],
  ['x-forwarded-for', '10.0.0.1', 'server.forwarded_refused'],
  ['x-forwarded-host', 'localhost', 'server.forwarded_refused'],
  ['x-forwarded-port', '1', 'server.forwarded_refused'],
  ['x-forwarded-anything', '', 'server.forwarded_refused'],
  ['x-original-host', 'localhost', 'server.forwarded_refused'],
  ['via', '1.1 proxy', 'server.forwarded_refused'],
  ['sec-fetch-site', 'cross-site', 'server.origin_refused'],
  ['sec-fetch-site', 'same-site', 'server.origin_refused'],
  ['sec-fetch-site', '', 'server.origin_refused'],
])('a request with %s: %s is refused', (header, value, code) => {
  expect(loopbackRefusal({ host: 'localhost', [header]: value })?.code).toBe(code);
});

test.each(['none', 'same-origin'])('a request that a browser made for %s is not a page’s', (site) => {
  expect(loopbackRefusal({ host: 'localhost', 'sec-fetch-site': site })).toBeUndefined();
});

test.each([
  ['http://localhost:7080/oauth/token', true],
  ['HTTP://LOCALHOST:7080', true],
  ['*', true],
  ['http://evil.example/oauth/token', false],
  ['http://localhost/oauth/token', false],
  ['http://localhost:7080@evil.example/', false],
  ['http://evil.example?http://localhost:7080/', false],
  ['//', true],
  ['evil.example:443', false],
])('a request for the target %s is served: %j', (url, isServed) => {
  const code = loopbackRefusal({ host: 'localhost:7080' }, { url })?.code;
  expect(code).toBe(isServed ? undefined : 'server.host_not_loopback');
});

test.each([[['Host', 'localhost', 'Host', 'evil.example']], [['host', 'localhost', 'HOST', 'localhost']]])(
  'a request with two lines of Host is refused as malformed: %j',
  (rawHeaders) => {
    expect(loopbackRefusal({ host: 'localhost' }, { rawHeaders })).toMatchObject({
      status: 400,
      code: 'server.host_not_loopback',
    });
  },
);

test('a header whose value is host is not a second Host', () => {
  expect(loopbackRefusal({ host: 'localhost' }, { rawHeaders: ['Host', 'localhost', 'X', 'host'] })).toBeUndefined();
});

test('the guard sees what came over the wire', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  guardLoopback(app);
  app.get('/', async () => 'served');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const ask = (head: string) =>
    new Promise<string>((resolve) => {
      let said = '';
      const socket = connect(port, '127.0.0.1', () => socket.end(`${head}\r\nConnection: close\r\n\r\n`));
      socket.on('data', (chunk) => {
        said += chunk.toString();
      });
      socket.on('close', () => resolve(said.split('\r\n')[0] as string));
    });
  expect(await ask('GET / HTTP/1.1\r\nHost: localhost')).toBe('HTTP/1.1 200 OK');
  expect(await ask('GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example')).toBe('HTTP/1.1 400 Bad Request');
  expect(await ask('GET http://evil.example/ HTTP/1.1\r\nHost: localhost')).toBe('HTTP/1.1 403 Forbidden');
});

test('the guard stands before every route, and says why', async () => {
  const app = Fastify();
  guardLoopback(app);
  app.get('/', async () => 'served');
  expect((await app.inject({ url: '/', headers: { host: 'localhost:80' } })).body).toBe('served');
  const refused = await app.inject({ url: '/', headers: { host: 'localhost:80', origin: 'https://evil.example' } });
  expect(refused.statusCode).toBe(403);
  expect(refused.json().code).toBe('server.origin_refused');
  expect((await app.inject({ url: '/nothing', headers: { host: 'evil.example' } })).statusCode).toBe(403);
});
