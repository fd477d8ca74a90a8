import { expect, onTestFinished, test } from 'vitest';
import { type RunningIssuer, runIssuer } from './running-issuer.ts';

const builder = { name: 'builder', apiKey: true, may: { agents: ['code-writer'] } };

/** An issuer behind a proxy; which peers are proxies is said by `trustedProxies`. */
const behind = (...trustedProxies: readonly string[]) =>
  runIssuer(onTestFinished, (url) => ({
    listen: { address: 'localhost', port: Number(new URL(url).port), trustedProxies },
    callers: [builder],
  }));

const addressesOf = (issuer: RunningIssuer) =>
  issuer.lines().flatMap(({ msg, address }) => (msg === 'token refused' ? [address] : []));

test.each([
  ['x-forwarded-for', '10.1.2.3'],
  ['x-forwarded-host', 'agents.example.com'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-user', 'admin'],
  ['x-original-url', '/oauth/token'],
  ['forwarded', 'for=10.1.2.3;host=agents.example.com'],
  ['x-real-ip', '10.1.2.3'],
  ['via', '1.1 proxy'],
])('without named proxies a request with %s is refused, and the refusal is logged', async (name, value) => {
  const issuer = await runIssuer(onTestFinished);
  const bearer = await issuer.createKey('builder');
  const answer = await issuer.ask({ bearer, headers: [[name, value]] });
  expect(answer).toMatchObject({ status: 403, code: 'server.forwarded_refused' });
  expect(issuer.lines()).toContainEqual(
    expect.objectContaining({ msg: 'request refused', code: 'server.forwarded_refused', address: '127.0.0.1' }),
  );
  expect(issuer.tokens()).toEqual([]);
});

test('a peer that is no named proxy is refused whatever it shows, and the refusal is logged', async () => {
  const issuer = await behind('10.0.0.0/8', '192.0.2.1', 'fd00::/8');
  const bearer = await issuer.createKey('builder');
  for (const headers of [[], [['x-forwarded-for', '10.0.0.1']], [['forwarded', 'for=10.0.0.1']]] as const) {
    expect(await issuer.ask({ bearer, headers })).toMatchObject({ status: 403, code: 'server.proxy_unknown' });
  }
  const logged = issuer.lines().filter(({ msg }) => msg === 'request refused');
  expect(logged).toHaveLength(3);
  expect(logged[0]).toMatchObject({ code: 'server.proxy_unknown', address: '127.0.0.1' });
  expect(issuer.tokens()).toEqual([]);
});

test.each(['/', '/%', '/oauth/token%', '/%c3%28?code=secret', '/v2/%', `/runs/${'x'.repeat(120)}`])(
  'a peer that is no named proxy is refused at %s as anywhere',
  async (path) => {
    const issuer = await behind('10.0.0.0/8');
    for (const method of ['GET', 'POST']) {
      const answer = await issuer.send({ method, path });
      expect(answer).toMatchObject({ status: 403, code: 'server.proxy_unknown' });
      expect(answer.body).not.toContain('secret');
    }
    expect(issuer.lines().filter(({ msg }) => msg === 'request refused')).toHaveLength(2);
  },
);

test.each([
  ['/%?code=secret', 404],
  ['/oauth/token%', 404],
  [`/nothing/${'x'.repeat(5000)}`, 404],
])('what is no path is nobody’s, and its answer has the form of every other: %s', async (path, status) => {
  const issuer = await runIssuer(onTestFinished);
  const answer = await issuer.send({ method: 'GET', path });
  expect(answer).toMatchObject({ status, code: 'server.not_found' });
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.body).not.toContain('secret');
});

test('a named proxy says who asks, and no more: neither the issuer’s address nor the credential', async () => {
  const issuer = await behind('127.0.0.0/8');
  const bearer = await issuer.createKey('builder');
  // What the client itself has put in stands before what the proxy adds.
  await issuer.ask({ headers: [['x-forwarded-for', '127.0.0.1, 192.0.2.7']] });
  await issuer.ask({ headers: [['x-forwarded-for', 'evil\tname, 192.0.2.8']] });
  await issuer.ask({ headers: [['x-forwarded-for', '192.0.2.9, not-an-address']] });
  await issuer.ask({ headers: [['x-real-ip', '192.0.2.10']] });
  expect(addressesOf(issuer)).toEqual(['192.0.2.7', '192.0.2.8', 'not-an-address', '127.0.0.1']);
  const plain = await issuer.send({ method: 'GET', path: '/.well-known/openid-configuration' });
  for (const headers of [
    [['host', 'evil.example']],
    [['x-forwarded-host', 'evil.example']],
    [['x-forwarded-proto', 'https']],
    [['x-forwarded-port', '1']],
    [['x-forwarded-prefix', '/evil']],
    [['forwarded', 'host=evil.example;proto=https']],
  ] as const) {
    const answer = await issuer.send({ method: 'GET', path: '/.well-known/openid-configuration', headers });
    expect(answer.body).toBe(plain.body);
    const minted = await issuer.ask({ bearer, headers });
    expect(minted.claims).toMatchObject({ iss: issuer.url });
    expect((await issuer.ask({ headers })).code).toBe('caller.credential_missing');
  }
});
