// A process of bench/witness.ts: `server` answers as a provider does, streamed; `witness URL` stands before it.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SigningKey } from '@colophon/keys';
import { Witness } from '@colophon/witness';

const [part, upstream = ''] = process.argv.slice(2);

const event = (data: { readonly type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const ANSWER = [
  event({ type: 'message_start', message: { id: 'msg_1', model: 'model-4', usage: { input_tokens: 500 } } }),
  ...Array.from({ length: 20 }, (_, index) =>
    event({ type: 'content_block_delta', index, delta: { text: 'word '.repeat(4) } }),
  ),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 80 } }),
  event({ type: 'message_stop' }),
].join('');

const server =
  part === 'server'
    ? createServer((request, response) => {
        request
          .resume()
          .once('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER));
      })
    : undefined;

function witnessServer() {
  const witness = new Witness({
    key: new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    place: 'same-host',
    upstreams: [{ slot: 'anthropic', name: 'self-hosted', base: new URL(upstream) }],
    random: { bytes: (length) => randomBytes(length), uuid: () => randomUUID() },
  });
  const hash = `sha256:${'a'.repeat(64)}`;
  const { token } = witness.open({ agentName: 'a', agentVersion: '1', promptHash: hash, policyPackHash: hash });
  return { proxy: witness.createProxyServer(), path: `/${token}/anthropic` };
}

const { proxy, path } = server === undefined ? witnessServer() : { proxy: server, path: '' };
proxy.listen({ host: '127.0.0.1', port: 0 }, () =>
  process.send?.(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`),
);
