import { connect } from 'node:net';
import { startForeignIssuer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { CALLERS, exchange, ISSUER, RUN, type RunningServe, runServe } from './running-serve.ts';
import { json } from './running-server.ts';

const FEW = 'limits: { requestsPerSecond: 1, burst: 2 }\n';
const statuses = async (times: number, ask: () => Promise<{ readonly status: number }>) => {
  const found: number[] = [];
  for (let n = 0; n < times; n++) found.push((await ask()).status);
  return found;
};

test('a caller that asks too often waits, and slows no other caller', async () => {
  const server = await runServe(onTestFinished, { text: CALLERS + FEW });
  const [builder, other] = [await server.key('builder'), await server.key('other')];
  expect(await statuses(3, () => server.mint(builder))).toEqual([200, 200, 429]);
  const limited = await server.mint(builder);
  expect(limited.headers.get('retry-after')).toMatch(/^[1-9]$/);
  expect((await json(limited)).code).toBe('issuer.rate_limited');
  expect(await statuses(2, () => server.mint(other))).toEqual([200, 200]);
  const numbers = await (await server.operation('/metrics')).text();
  expect(numbers).toContain('colophon_rate_limited_total{of="caller"} 2');
});

const BEHIND_PROXY = {
  text: CALLERS + FEW,
  listen: '{ address: 127.0.0.1, port: 0, trustedProxies: [127.0.0.1, 10.0.0.0/8] }',
};

test('behind a proxy the address is the last one that is no proxy, whatever a client writes before it', async () => {
  const server = await runServe(onTestFinished, BEHIND_PROXY);
  const from = (forwarded: string) => () => server.mint(undefined, { 'x-forwarded-for': forwarded });
  expect(await statuses(3, from('203.0.113.7'))).toEqual([401, 401, 429]);
  for (const forged of ['198.51.100.1', '127.0.0.1', '10.0.0.1, 198.51.100.2', 'unknown']) {
    expect((await from(`${forged}, 203.0.113.7`)()).status, forged).toBe(429);
    expect((await from(`${forged}, 203.0.113.7, 10.0.0.9`)()).status, forged).toBe(429);
  }
  expect(await statuses(2, from('203.0.113.8'))).toEqual([401, 401]);
  // What a client wrote was taken for nobody's address either.
  expect(await statuses(2, from('198.51.100.1'))).toEqual([401, 401]);
  const numbers = await (await server.operation('/metrics')).text();
  expect(numbers).toMatch(/colophon_rate_limited_total\{of="address"\} 9\n/);
});

test.each<[string, (at: number) => string]>([
  ['an address with its port', (at) => `198.51.100.8:${40_000 + at}`],
  ['an IPv6 address with its port', (at) => `[2001:db8:9::1]:${40_000 + at}`],
  ['an address with a zone', (at) => `198.51.100.9%${at}`],
  ['an IPv6 address with a zone', (at) => `2001:db8:a::1%eth${at}`],
  ['what is no address', (at) => `_hidden${at}`],
  ['numbers that are no address', (at) => `300.1.1.${at}`],
  ['an address with its port behind a proxy with its', (at) => `198.51.100.10:${40_000 + at}, 10.0.0.5:${443 + at}`],
])('behind a proxy that writes %s there is one bucket for each address', async (_what, forwarded) => {
  const server = await runServe(onTestFinished, BEHIND_PROXY);
  const from = performance.now();
  const asked = Array.from({ length: 40 }, (_, at) => server.mint(undefined, { 'x-forwarded-for': forwarded(at) }));
  const passed = (await Promise.all(asked)).filter(({ status }) => status === 401).length;
  // The bucket holds two, and fills by one a second meanwhile.
  expect(passed).toBeLessThanOrEqual(2 + (performance.now() - from) / 1000);
});

test('an inner proxy that stands there with its port hides none of its clients', async () => {
  const server = await runServe(onTestFinished, BEHIND_PROXY);
  const from = (client: string) => () => server.mint(undefined, { 'x-forwarded-for': `${client}:40001, 10.0.0.5:443` });
  expect(await statuses(3, from('198.51.100.20'))).toEqual([401, 401, 429]);
  expect(await statuses(2, from('198.51.100.21'))).toEqual([401, 401]);
});

test('a /48 of IPv6 is no unlimited number of addresses', async () => {
  const server = await runServe(onTestFinished, BEHIND_PROXY);
  const from = performance.now();
  const asked = Array.from({ length: 80 }, (_, at) =>
    server.mint(undefined, { 'x-forwarded-for': `2001:db8:7:${(at * 131).toString(16)}::1` }),
  );
  const passed = (await Promise.all(asked)).filter(({ status }) => status === 401).length;
  // The network's bucket holds 16 times two, and fills by 16 a second meanwhile.
  expect(passed).toBeLessThanOrEqual(32 + (16 * (performance.now() - from)) / 1000);
});

test('without a trusted proxy nobody says from where it asks', async () => {
  const server = await runServe(onTestFinished, { text: CALLERS + FEW });
  const { status, body } = await exchange(`${server.base}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
    body: JSON.stringify(RUN),
  });
  expect([status, JSON.parse(body).code]).toEqual([403, 'server.forwarded_refused']);
});

test('the configured size of a body is the limit', async () => {
  const server = await runServe(onTestFinished, { text: `${CALLERS}limits: { bodyBytes: 1024 }\n` });
  const key = await server.key('builder');
  const filled = (bytes: number) => {
    const rest = bytes - JSON.stringify({ ...RUN, branch: '' }).length;
    return server.mint(key, {}, { ...RUN, branch: 'x'.repeat(rest) });
  };
  const [fits, over] = [await filled(1024), await filled(1025)];
  // A field that is too long is refused for itself: what counts is that the body was read.
  expect([fits.status === 413, over.status]).toEqual([false, 413]);
  expect((await json(over)).code).toBe('issuer.body_too_large');
});

/** Sends a text, and then again and again the same piece: for how long the connection stays. */
function heldFor({ base }: Pick<RunningServe, 'base'>, text: string, piece?: string): Promise<number> {
  const from = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(text));
    onTestFinished(() => void socket.destroy());
    const sending = piece === undefined ? undefined : setInterval(() => socket.write(piece), 100);
    socket.on('close', () => clearInterval(sending));
    socket.on('data', () => {}).on('error', () => {});
    socket.on('close', () => resolve((performance.now() - from) / 1000));
  });
}

test('a header, and a whole request, must arrive in the configured time', async () => {
  const server = await runServe(onTestFinished, {
    text: `${CALLERS}limits: { headerSeconds: 1, requestSeconds: 2 }\n`,
  });
  const header = 'POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  const [inHeader, inBody] = await Promise.all([
    heldFor(server, header),
    heldFor(server, `${header}Content-Length: 100\r\n\r\n{`),
  ]);
  expect(inHeader).toBeGreaterThan(0.9);
  expect(inHeader).toBeLessThan(9);
  expect(inBody).toBeGreaterThan(1.9);
  expect(inBody).toBeLessThan(14);
});

const LONG = 'x'.repeat(120);
test.each([
  'POST /v2/nothing',
  'POST /v2/',
  'PUT /v2/demo/manifests/v1',
  'PATCH /v2/demo/blobs/uploads/',
  'DELETE /v2/demo/tags/list',
  'POST /nothing',
  'POST /%',
  'POST /oauth/token%',
  'POST /v2/%',
  `POST /evidence/${LONG}`,
  'OPTIONS /oauth/token',
  'PROPFIND /v2/nothing',
])('the body of %s must arrive in that time too, whoever serves it', async (line) => {
  const text = `${CALLERS}limits: { headerSeconds: 1, requestSeconds: 1 }\n`;
  const server = await runServe(onTestFinished, { text });
  const head = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  const held = await Promise.all([
    heldFor(server, `${head}Content-Length: 1000\r\n\r\n`, 'x'),
    heldFor(server, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
  ]);
  expect(Math.max(...held)).toBeLessThan(20);
});

test.each(['GET /livez', 'GET /metrics', 'POST /metrics', 'GET /nothing'])(
  'the body of %s to the operator’s address must arrive in that time too',
  async (line) => {
    const text = `${CALLERS}limits: { headerSeconds: 1, requestSeconds: 1 }\n`;
    const server = await runServe(onTestFinished, { text });
    const asked = `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`;
    expect(await heldFor({ base: `http://${server.operations}` }, asked, 'x')).toBeLessThan(20);
  },
);

test('questions to callers’ issuers are counted by what came of them', async () => {
  const foreign = await startForeignIssuer();
  onTestFinished(() => foreign.stop());
  const text = `callers:
  - name: jobs
    kind: oidc
    oidc: { issuer: "${foreign.url}", audience: "${ISSUER}", where: { sub: job } }
    may: { agents: [code-fixer] }
`;
  const server = await runServe(onTestFinished, { text });
  const iat = Math.floor(Date.now() / 1000);
  const token = foreign.sign({ aud: ISSUER, sub: 'job', iat, exp: iat + 300 });
  expect((await server.mint(token)).status).toBe(200);
  const unknown = foreign.sign({ aud: ISSUER, sub: 'job', iat, exp: iat + 300 }, { kid: 'nobody' });
  expect((await server.mint(unknown)).status).toBe(401);
  const numbers = await (await server.operation('/metrics')).text();
  expect(numbers).toContain('colophon_key_set_fetches_total{result="fetched"} 1');
  expect(numbers).toContain('colophon_caller_credentials_total{kind="token",result="accepted"} 1');
  expect(numbers).toContain('colophon_caller_credentials_total{kind="token",result="caller.token_key_unknown"} 1');
});
