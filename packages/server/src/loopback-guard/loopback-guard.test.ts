import Fastify from 'fastify';
import { expect, test } from 'vitest';
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
  ['via', '1.1 proxy', 'server.forwarded_refused'],
])('a request with %s: %s is refused', (header, value, code) => {
  expect(loopbackRefusal({ host: 'localhost', [header]: value })?.code).toBe(code);
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
