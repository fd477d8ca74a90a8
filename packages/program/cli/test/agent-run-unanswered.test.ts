import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { found, type RunScene, runScene } from './agent-run.ts';

// Requests that have no answer, which may all the same be somewhere.

/** Sends what it is told byte for byte, and leaves at the end of its standard input. */
const SENDER = `
import { connect } from 'node:net';
const url = new URL(process.env.OPENAI_BASE_URL);
const [head, body] = JSON.parse(process.argv[1]);
const lines = ['POST ' + url.pathname + '/responses HTTP/1.1', 'Host: a', ...head];
const socket = connect(url.port, url.hostname, () => socket.write(lines.join('\\r\\n') + '\\r\\n\\r\\n' + body));
socket.pipe(process.stdout, { end: false });
process.stdin.on('end', () => socket.destroy()).resume();
`;

const sending = (head: readonly string[], body: string) => [
  ...[process.execPath, '--input-type=module', '-e', SENDER],
  JSON.stringify([head, body]),
];

/** An upstream that says this to whoever has sent a head and whatever comes with it. */
async function upstreamThat(says: (socket: Socket) => void) {
  let received = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const isFirst = !received.includes('\r\n\r\n');
      received += bytes.toString();
      if (isFirst && received.includes('\r\n\r\n')) says(socket);
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return {
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
    received: () => received,
  };
}

async function endOf(running: ReturnType<RunScene['start']>, receipt: RunScene['receipt']) {
  running.child.stdin?.end();
  expect(await running.ended).toEqual([0, null]);
  return receipt().unattributed;
}

describe('a request that its agent leaves before the answer', () => {
  const kept = '{"model":"gpt","store":true,"input":"é"}';
  const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  const unseen = [{ reason: 'answer_not_seen', upstream: 'self-hosted', request: 'POST /v1/responses', answers: 1 }];

  test.each<[string, string[], string, boolean]>([
    // Servers that read one JSON value, and not to the end of the body, work on these.
    ['without the end of its body', ['Transfer-Encoding: chunked'], chunk(kept), true],
    ['with less than its length', ['Content-Length: 1000'], kept, true],
    ['with more behind its document', ['Content-Length: 1000'], `${kept}\n{"mo`, true],
    ['with a part of what nobody here reads', ['Content-Length: 1000'], "{store:true,input:'}", true],
    // An ordinary Ctrl-C.
    ['with a part of its document', ['Content-Length: 1000'], kept.slice(0, -1), false],
    ['with its head alone', ['Content-Length: 1000'], '', false],
    ['and that nothing keeps', ['Content-Length: 1000'], '{"store":false,"input":"é"}', false],
  ])('%s: counts where it may be answered elsewhere', async (_, head, body, counts) => {
    const upstream = await upstreamThat(() => {});
    const { start, receipt } = await runScene(upstream.env);
    const running = start(['--quiet'], sending(head, body));
    await found(() => upstream.received().includes(`\r\n\r\n${body}`.trimEnd().slice(-9)));
    expect(await endOf(running, receipt)).toEqual(counts ? unseen : undefined);
  });
});

test('a request that is answered, and whose end is never sent, is read as far as it came', async () => {
  const document = '{"id":"resp_1","object":"response","status":"completed","model":"gpt-2"}';
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${document.length}\r\n\r\n${document}`;
  const upstream = await upstreamThat((socket) => socket.write(answer));
  const { start, receipt, file } = await runScene(upstream.env);
  const flags = ['--quiet', '--prompt', file('prompt', 'Fix it.')];
  const asked = JSON.stringify({ model: 'gpt', store: false, input: 'Fix it.' });
  const running = start(flags, sending(['Content-Length: 1000'], asked));
  await found(() => running.stdout().includes(document));
  await endOf(running, receipt);
  expect(receipt().models).toMatchObject([{ requested: 'gpt', served: 'gpt-2', answers: 1 }]);
  expect(receipt().input).toMatchObject({ prompt_seen: true });
});

describe('an upstream that answers as none should', () => {
  const asked = '{"model":"gpt","input":"Fix it."}';
  const length = [`Content-Length: ${asked.length}`];
  const where = { upstream: 'self-hosted', request: 'POST /v1/responses', answers: 1 };

  test.each([
    ['by another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nEVIL'],
    ['by a status that says so alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\nEVIL'],
  ])('%s does not leave the agent without an answer, and what it asked for was not seen', async (_, bytes) => {
    const upstream = await upstreamThat((socket) => socket.write(bytes));
    const { start, receipt } = await runScene(upstream.env);
    const running = start(['--quiet'], sending(length, asked));
    const said = () => running.stdout().toString();
    await found(() => said().includes('}}'));
    expect(said()).toMatch(/^HTTP\/1\.1 502 [\s\S]*"code":"witness\.upstream_unavailable"/);
    expect(said()).not.toContain('EVIL');
    expect(await endOf(running, receipt)).toEqual([{ reason: 'answer_not_seen', ...where }]);
    expect(receipt()).not.toHaveProperty('failed_answers');
  });

  test.each([600, 999])('by status %i is of no known model, and no error', async (status) => {
    const upstream = await upstreamThat((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 4\r\n\r\nDone`),
    );
    const { start, receipt } = await runScene(upstream.env);
    const running = start(['--quiet'], sending(length, asked));
    await found(() => running.stdout().includes('Done'));
    expect(await endOf(running, receipt)).toEqual([{ reason: 'answer_unreadable', ...where }]);
    expect(receipt()).not.toHaveProperty('failed_answers');
  });

  test.each<[number, boolean, boolean]>([
    // Somebody waited in vain, or failed later: a model may have answered, to a tool of the agent's choice say.
    [500, true, true],
    [502, true, true],
    [504, true, true],
    [524, true, true],
    [408, true, true],
    [304, true, true],
    [504, false, false],
    [500, false, false],
    // Unless its text says that nobody began: a gateway answers so after it has sent the request, too.
    [503, true, true],
    [503, false, false],
    [529, true, false],
    [429, true, false],
    [400, true, false],
  ])('by %i, where the answer may be elsewhere: %s, counts as not seen: %s', async (status, isKept, counts) => {
    const upstream = await upstreamThat((socket) => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
    const { start, receipt } = await runScene(upstream.env);
    const body = JSON.stringify({ model: 'gpt', store: isKept, input: 'Fix it.' });
    const running = start(['--quiet'], sending([`Content-Length: ${body.length}`], body));
    await found(() => running.stdout().includes('\r\n\r\n'));
    expect(await endOf(running, receipt)).toEqual(counts ? [{ reason: 'answer_not_seen', ...where }] : undefined);
    expect(receipt().failed_answers).toBe(status < 400 ? undefined : 1);
  });

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('by an error of %s in one another without end does not end the witness', async (_, open, close) => {
    const body = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    const answer = `HTTP/1.1 500 X\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const upstream = await upstreamThat((socket) => socket.write(answer));
    const { start, receipt } = await runScene(upstream.env);
    const messages = '{"store":false}';
    const running = start(['--quiet'], sending([`Content-Length: ${messages.length}`], messages));
    await found(() => running.stdout().includes(`1${close.repeat(100_000)}`) || running.child.exitCode !== null);
    expect(await endOf(running, receipt)).toBeUndefined();
    expect([receipt().failed_answers, running.stderr()]).toEqual([1, '']);
  });
});
