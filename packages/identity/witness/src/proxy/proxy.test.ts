import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ByteAllowance } from '../body/byte-allowance.ts';
import { ObservedRun } from '../observed-run/observed-run.ts';
import { ModelProxy } from './proxy.ts';

const TOKEN = 'T'.repeat(43);
const KEPT = 100_000;

/** A proxy before a server that is silent, or answers at once and reads nothing. */
async function startProxy(isAnswering: boolean) {
  const ports: number[] = [];
  const allowance = new ByteAllowance(KEPT);
  const run = new ObservedRun({
    runId: '',
    agentName: '',
    agentVersion: '',
    policyPackHash: '',
    startedAt: 0,
  });
  const upstream = createServer((_, response) => {
    if (isAnswering) response.end('{}');
  });
  const proxy = new ModelProxy({
    runOf: () => run,
    upstreams: {
      get: () => ({ slot: 'up', name: 'up', base: new URL(`http://127.0.0.1:${ports[0]}`) }),
    } as never,
    allowance,
  });
  const server = createServer((request, response) => proxy.handle(request, response));
  for (const each of [upstream, server]) {
    await new Promise<void>((resolve) => each.listen({ host: '127.0.0.1', port: 0 }, resolve));
    ports.push((each.address() as AddressInfo).port);
    onTestFinished(() => {
      each.closeAllConnections();
      each.close();
    });
  }
  return { allowance, upstream, server, port: ports[1]! };
}

it.each([
  ['before its answer', false],
  ['after its answer', true],
])('what was kept of a request that breaks off %s is given back', async (_, isAnswering) => {
  const { allowance, upstream, server, port } = await startProxy(isAnswering);
  const client = connect({ host: '127.0.0.1', port });
  onTestFinished(() => {
    client.destroy();
  });
  const arrived = once(upstream, 'request');
  const [[request]] = await Promise.all([
    once(server, 'request'),
    arrived,
    new Promise((resolve) => {
      client.write(`POST /${TOKEN}/up/v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{`, resolve);
    }),
  ]);
  if (isAnswering) await once(client, 'data');
  expect(allowance.take(KEPT)).toBe(false);
  client.destroy();
  await new Promise((resolve) => request.once('close', resolve));
  expect(allowance.take(KEPT)).toBe(true);
});
