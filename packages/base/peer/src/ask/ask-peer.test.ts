import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type AskOptions, askPeer, MOST_REASON_BYTES, type PeerAnswer } from './ask-peer.ts';
import { NoAnswer } from './no-answer.ts';

const LIMITS: AskOptions = { timeoutMs: 100_000, mostBytes: 1_000 };
const ALWAYS = { times: 2, firstPauseMs: 1, isPassing: () => true };

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server on loopback and the requests that it got. */
async function serve(handler: Handler): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => handler(request, response, requests.push(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

function silence(asking: Promise<PeerAnswer>): Promise<NoAnswer> {
  return asking.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(NoAnswer);
      return error as NoAnswer;
    },
  );
}

test('asks, and answers with status, headers and body, whatever the status', async () => {
  const { url, requests } = await serve((_request, response) =>
    response.writeHead(418, { 'x-kind': 'pot' }).end('short and stout'),
  );
  const body = new TextEncoder().encode('{}');
  const answer = await askPeer(url, { method: 'PUT', headers: { 'x-mine': '1' }, body }, LIMITS);
  expect(answer).toMatchObject({ status: 418, isOk: false, url: new URL(url) });
  expect(answer.headers.get('x-kind')).toBe('pot');
  expect(new TextDecoder().decode(answer.body)).toBe('short and stout');
  expect(requests[0]).toMatchObject({ method: 'PUT', headers: { 'x-mine': '1' } });
});

test('a peer that does not answer in time is not waited for, nor one that stops in the middle', async () => {
  const { url } = await serve((request, response) => {
    if (request.url !== '/') response.writeHead(200, { 'content-length': '10' }).write('abc');
  });
  for (const path of ['', 'middle']) {
    const error = await silence(askPeer(`${url}${path}`, {}, { ...LIMITS, timeoutMs: 50 }));
    expect([error.kind, error.message]).toEqual(['timeout', 'timeout']);
  }
});

test('the message of a failure holds nothing that was sent', async () => {
  const error = await silence(askPeer('http://127.0.0.1:1/?q=secret', { headers: { a: 'secret\nx' } }, LIMITS));
  expect([error.kind, error.message]).toEqual(['network', 'no connection']);
  expect((await silence(askPeer('http://127.0.0.1:1/', {}, LIMITS))).message).toBe('a port that HTTP is not sent to');
});

test.each([
  ['declares', (response: ServerResponse) => response.writeHead(200, { 'content-length': '1001' }).end('x')],
  ['sends', (response: ServerResponse) => response.end('x'.repeat(1_001))],
])('an answer that %s more than is read is none', async (_how, answer) => {
  const { url } = await serve((_request, response) => answer(response));
  const error = await silence(askPeer(url, {}, LIMITS));
  expect([error.kind, error.message]).toEqual(['too-large', 'an answer of more than 1000 bytes']);
});

test('an answer of exactly as many bytes is read; one that is no success is read as far as a reason goes', async () => {
  const { url } = await serve((request, response) =>
    response.writeHead(request.url === '/' ? 200 : 500).end('x'.repeat(request.url === '/' ? 1_000 : 100_000)),
  );
  expect((await askPeer(url, {}, LIMITS)).body).toHaveLength(1_000);
  const failed = await askPeer(`${url}fails`, {}, { ...LIMITS, mostBytes: 1_000_000 });
  expect([failed.status, failed.body.length]).toEqual([500, MOST_REASON_BYTES]);
});

test('the answer to HEAD is never too large: the length that it names is that of a body that does not come', async () => {
  const { url } = await serve((_request, response) => response.writeHead(200, { 'content-length': '5000000' }).end());
  expect(await askPeer(url, { method: 'HEAD' }, LIMITS)).toMatchObject({ status: 200, body: new Uint8Array() });
});

test('no redirect is followed unless a rule says where to', async () => {
  const { url, requests } = await serve((request, response) =>
    request.url === '/' ? response.writeHead(302, { location: '/next?x' }).end('moved') : response.end('there'),
  );
  expect(await askPeer(url, {}, LIMITS)).toMatchObject({ status: 302, body: new Uint8Array() });
  expect((await silence(askPeer(url, {}, { ...LIMITS, redirect: 'refused' }))).kind).toBe('redirect');
  expect(requests).toHaveLength(2);
  const redirect: AskOptions['redirect'] = ({ from, location }) => new URL(location, from);
  const followed = await askPeer(url, {}, { ...LIMITS, redirect });
  expect([followed.status, followed.url.href]).toEqual([200, `${url}next?x`]);
  const refusing = () => {
    throw new Error('not there');
  };
  await expect(askPeer(url, {}, { ...LIMITS, redirect: refusing })).rejects.toThrow('not there');
});

test('headers are made for each address that is asked', async () => {
  const other = await serve((_request, response) => response.end());
  const { url, requests } = await serve((_request, response) => response.writeHead(307, { location: other.url }).end());
  const headers = (asked: URL): Record<string, string> => (asked.href === url ? { authorization: 'secret' } : {});
  await askPeer(url, { headers }, { ...LIMITS, redirect: ({ location }) => new URL(location) });
  expect(requests[0]?.headers.authorization).toBe('secret');
  expect(other.requests[0]?.headers.authorization).toBeUndefined();
});

test('asks again where the rule says that it may pass, and gives the last outcome', async () => {
  const { url, requests } = await serve((_request, response, count) =>
    response.writeHead(count === 2 ? 200 : 503).end(),
  );
  const isPassing = (outcome: PeerAnswer | NoAnswer) => !(outcome instanceof NoAnswer) && outcome.status === 503;
  expect((await askPeer(url, {}, { ...LIMITS, retry: { ...ALWAYS, isPassing } })).status).toBe(200);
  expect(requests).toHaveLength(2);
  expect((await askPeer(url, {}, { ...LIMITS, retry: ALWAYS })).status).toBe(503);
  expect(requests).toHaveLength(5);
  await silence(askPeer('http://127.0.0.1:1/', {}, { ...LIMITS, retry: ALWAYS }));
});

test('an answer says how often it was asked for', async () => {
  const { url } = await serve((_request, response, count) => response.writeHead(count === 3 ? 400 : 503).end());
  const isPassing = (outcome: PeerAnswer | NoAnswer) => outcome instanceof NoAnswer || outcome.status === 503;
  const retry = { ...ALWAYS, times: 5, isPassing };
  expect(await askPeer(url, {}, { ...LIMITS, retry })).toMatchObject({ status: 400, attempts: 3 });
  expect(await askPeer(url, {}, LIMITS)).toMatchObject({ attempts: 1 });
});

test.each([
  ['network', true],
  ['timeout', true],
  ['too-large', false],
  ['redirect', false],
  ['bad-port', false],
] as const)('asking again after %s may help: %s', (kind, isPassing) => {
  expect(new NoAnswer(kind, kind, new URL('http://127.0.0.1')).isPassing).toBe(isPassing);
});

test('the caller may give up, before an answer and between two attempts', async () => {
  const { url } = await serve((_request, response, count) => count > 1 || response.writeHead(503).end());
  for (const afterMs of [20, 60]) {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await expect(askPeer(url, {}, { ...LIMITS, signal })).rejects.toBe(reason);
    const later = new AbortController();
    setTimeout(() => later.abort(reason), afterMs);
    const retry = { ...ALWAYS, firstPauseMs: 40 };
    await expect(askPeer(url, {}, { ...LIMITS, retry, signal: later.signal })).rejects.toBe(reason);
  }
});
