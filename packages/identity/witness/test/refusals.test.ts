import { startModelProvider } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MOST_REQUESTS, MOST_RUN_REQUESTS } from '../src/proxy/proxy.ts';
import { observedRun, upstreamAt } from './observed.ts';
import { ask, codeIn, openWire, rawAnswer, startRawUpstream } from './wire.ts';

async function beforeProvider() {
  const provider = await startModelProvider(onTestFinished, [{ model: 'gpt-4o' }]);
  const run = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  /** The status and the code that these lines of a head are answered with. */
  const answer = async (...lines: readonly string[]) => {
    const received = await openWire(onTestFinished, run.port, `${lines.join('\r\n')}\r\n\r\n`).closed();
    return [Number(received.split(' ')[1]), codeIn(received)];
  };
  return { ...run, provider, answer, path: new URL(run.base('up')).pathname };
}

test.each([
  ['absolute', 'http://evil.example/'],
  ['absolute with the path of a run', 'http://evil.example$/v1/messages'],
  ['of another authority', '//evil.example$/v1/messages'],
  ['of the server itself', '*'],
  ['without a run', '/v1/messages'],
  ['with a step up', '$/../x'],
  ['with an encoded step up', '$/v1/%2e%2E/x'],
  ['with a step up and a parameter', '$/v1/..;/x'],
  ['with an encoded slash', '$/v1%2f..%2fx'],
  ['with a backslash', '$/v1\\..\\x'],
  ['with an encoded backslash', '$/v1/..%5cx'],
  ['with a fragment', '$/v1/messages#x'],
])('a target is refused that is %s', async (_, target) => {
  const { answer, provider, path } = await beforeProvider();
  const method = target === '*' ? 'OPTIONS' : 'GET';
  const refused = await answer(`${method} ${target.replace('$', path)} HTTP/1.1`, 'Host: a');
  expect(refused).toEqual([400, 'witness.path_refused']);
  expect(provider.requests).toEqual([]);
});

describe('a run', () => {
  test('is known by its whole token alone', async () => {
    const { base, provider, opened } = await beforeProvider();
    const { token } = opened;
    const other = token.startsWith('A') ? 'B' : 'A';
    const { status, text } = await ask(base('up').replace(token, other + token.slice(1)), { method: 'GET' });
    expect([status, codeIn(text)]).toEqual([404, 'witness.run_unknown']);
    const short = await ask(base('up').replace(token, token.slice(1)), { method: 'GET' });
    expect([short.status, codeIn(short.text)]).toEqual([400, 'witness.path_refused']);
    expect(provider.requests).toEqual([]);
  });

  test('that ended is not known any more, and its receipt stays as it was', async () => {
    const { base, provider, witness, opened, receipt } = await beforeProvider();
    const body = JSON.stringify({ model: 'gpt-4o' });
    await ask(`${base('up')}/chat/completions`, { body });
    await witness.end(opened, { reason: 'exited', exitCode: 0 });
    const before = await receipt();
    const { status, text } = await ask(`${base('up')}/chat/completions`, { body });
    expect([status, codeIn(text)]).toEqual([404, 'witness.run_unknown']);
    expect(provider.requests).toHaveLength(1);
    expect({ ...(await receipt()), signed_at: '' }).toEqual({ ...before, signed_at: '' });
  });
});

test.each(['other', 'UP', 'up.', '__proto__', 'constructor'])('the upstream %s is not there', async (slot) => {
  const { base, provider } = await beforeProvider();
  const { status, text } = await ask(base('up').replace(/up$/, slot), { method: 'GET' });
  expect([status, codeIn(text)]).toEqual([404, 'witness.upstream_unknown']);
  expect(provider.requests).toEqual([]);
});

test('a websocket is refused in the way after which clients go on without', async () => {
  const { port, path, provider, answer } = await beforeProvider();
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAA'];
  const lines = [`GET ${path}/v1/responses HTTP/1.1`, 'Host: a', ...upgrade];
  expect(await answer(...lines)).toEqual([426, 'witness.websocket_refused']);
  const received = await openWire(onTestFinished, port, `${lines.join('\r\n')}\r\n\r\n`).closed();
  expect(received).toContain('\r\nUpgrade: HTTP/1.1\r\n');
  expect(provider.requests).toEqual([]);
});

test.each(['h2c', 'TLS/1.0', 'foo/2'])(
  'an offer to go on with %s is not taken, and not passed on',
  async (protocol) => {
    const { port, path, provider, receipt } = await beforeProvider();
    const body = JSON.stringify({ model: 'gpt-4o' });
    const offer = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const head = [`POST ${path}/chat/completions HTTP/1.1`, 'Host: a', ...offer, `Content-Length: ${body.length}`];
    await openWire(onTestFinished, port, `${head.join('\r\n')}\r\n\r\n${body}`).until('"usage"');
    expect(provider.requests).toMatchObject([{ json: { model: 'gpt-4o' } }]);
    expect(Object.keys(provider.requests[0]!.headers)).not.toContain('upgrade');
    expect((await receipt()).models).toMatchObject([{ served: 'gpt-4o', answers: 1 }]);
  },
);

test('a tunnel is not opened', async () => {
  const { answer, provider } = await beforeProvider();
  const { host } = new URL(provider.url);
  expect(await answer(`CONNECT ${host} HTTP/1.1`, `Host: ${host}`)).toEqual([405, 'witness.method_refused']);
  expect(provider.requests).toEqual([]);
});

test.each(['TRACE', 'QUERY', 'PROPFIND', 'LINK', 'SOURCE'])(
  '%s is refused, since a server may show the credential in its answer',
  async (method) => {
    const { answer, provider, path } = await beforeProvider();
    const refused = await answer(`${method} ${path}/v1/messages HTTP/1.1`, 'Host: a', 'Content-Length: 0');
    expect(refused).toEqual([405, 'witness.method_refused']);
    expect(provider.requests).toEqual([]);
  },
);

test.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s is passed on', async (method) => {
  const { base, provider } = await beforeProvider();
  expect((await ask(`${base('up')}/v1/files`, { method })).status).toBe(200);
  expect(provider.requests).toHaveLength(1);
});

describe('an endpoint that gives out credentials', () => {
  const credential = { header: 'authorization', value: 'Bearer real' };
  const withCredential = async (path = '') => {
    const provider = await startModelProvider(onTestFinished, [{ model: 'gpt-4o' }]);
    const run = await observedRun(onTestFinished, [upstreamAt('up', provider.url + path, { credential })]);
    return { ...run, provider };
  };

  test.each([
    '/v1/realtime/client_secrets',
    '/v1/realtime',
    '/v1/organization/admin_api_keys',
    '/v1/organization/projects/p/service_accounts?x=y',
    '/v1/Realtime/sessions',
    '/v1/re%61ltime/sessions',
    '/v1/re%2561ltime/sessions',
    '/v1//realtime;a=b/sessions',
    '/v1/realtime%20/sessions',
    '/v1/realtime%00/sessions',
    '/v1/realtime%ff/%sessions',
  ])('is refused where the witness adds one: %s', async (path) => {
    const { base, provider, receipt } = await withCredential();
    const { status, text } = await ask(base('up') + path, { body: '{}' });
    expect([status, codeIn(text)]).toEqual([403, 'witness.endpoint_refused']);
    expect(provider.requests).toEqual([]);
    expect((await receipt()).models).toEqual([]);
  });

  test.each(['/v1/models/gpt-4o-realtime', '/v1/files?purpose=realtime'])('is not %s', async (path) => {
    const { base } = await withCredential();
    expect((await ask(base('up') + path, { method: 'GET' })).status).toBe(200);
  });

  test('is not told by the path of the upstream', async () => {
    const { base } = await withCredential('/organization/acme');
    expect((await ask(`${base('up')}/v1/models`, { method: 'GET' })).status).toBe(200);
  });

  test('is not refused where the agent has its own credential', async () => {
    const { base } = await beforeProvider();
    expect((await ask(`${base('up')}/v1/realtime/client_secrets`, { body: '{}' })).status).toBe(200);
  });
});

test('more than so many requests at once are refused until others have ended', async () => {
  const upstream = await startRawUpstream(onTestFinished, async ({ socket, until }) => {
    if ((await until('\r\n\r\n')).startsWith('GET /now')) socket.end(rawAnswer('{}'));
  });
  const { base, port, witness, opened } = await observedRun(onTestFinished, [upstreamAt('up', upstream.url)]);
  const waiting = Array.from({ length: MOST_REQUESTS / MOST_RUN_REQUESTS }, () => {
    const { token } = witness.open({ agentName: 'a', agentVersion: '1', policyPackHash: `sha256:${'a'.repeat(64)}` });
    const path = new URL(base('up')).pathname.replace(opened.token, token);
    return openWire(onTestFinished, port, `GET ${path}/later HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(MOST_RUN_REQUESTS));
  });
  await upstream.untilOpen(MOST_REQUESTS);
  const refused = await ask(`${base('up')}/now`, { method: 'GET' });
  expect([refused.status, codeIn(refused.text)]).toEqual([503, 'witness.busy']);
  for (const { socket } of waiting) socket.destroy();
  await upstream.untilOpen(0);
  expect((await ask(`${base('up')}/now`, { method: 'GET' })).status).toBe(200);
});

test('a refusal arrives although the body of its request was not read', async () => {
  const { base } = await beforeProvider();
  const body = Buffer.alloc(8 * 1024 * 1024);
  for (let i = 0; i < 5; i += 1) {
    const { status, text } = await ask(base('up').replace(/up$/, 'other'), { body });
    expect([status, codeIn(text)]).toEqual([404, 'witness.upstream_unknown']);
  }
});
