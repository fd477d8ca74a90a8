import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Bind, type Listener, listenOn, listenOnLoopback } from './listener.ts';

const HAS_IPV6 = networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') === true;

async function listen(...args: Parameters<typeof listenOnLoopback>): Promise<Listener> {
  const listener = await listenOnLoopback(...args);
  onTestFinished(() => listener.close());
  return listener;
}

function ask(host: string, port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get({ host, port }, resolve).once('error', reject));
}

const occupy: Bind = (host, port) =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    onTestFinished(() => void server.close());
    server.listen({ host, port }, () => resolve(server));
  });

const portOf = (server: Server) => (server.address() as { port: number }).port;

test('port 0 is one free port of 127.0.0.1, and its address says so', async () => {
  const listener = await listen(0);
  expect(listener.addresses[0]).toBe(`127.0.0.1:${listener.port}`);
  listener.serve((_request, response) => response.end('served'));
  expect(await text(await ask('127.0.0.1', listener.port))).toBe('served');
});

test.skipIf(!HAS_IPV6)('the same port answers on ::1', async () => {
  const listener = await listen(0);
  listener.serve((_request, response) => response.end('served'));
  expect(listener.addresses).toEqual([`127.0.0.1:${listener.port}`, `[::1]:${listener.port}`]);
  expect(await text(await ask('::1', listener.port))).toBe('served');
});

test('nothing listens on another address of the machine', async () => {
  const listener = await listen(0);
  const other = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  await expect(ask(other ?? '127.0.0.2', listener.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a port that is taken on 127.0.0.1 is refused', async () => {
  const port = portOf(await occupy('127.0.0.1', 0));
  await expect(listenOnLoopback(port)).rejects.toMatchObject({ code: 'server.port_in_use' });
});

test.skipIf(!HAS_IPV6)('a port that is taken on ::1 alone is refused, and let go of on 127.0.0.1', async () => {
  const port = portOf(await occupy('::1', 0));
  await expect(listenOnLoopback(port)).rejects.toMatchObject({ code: 'server.port_in_use' });
  await expect(ask('127.0.0.1', port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])(
  'a machine without IPv6 (%s) is served on 127.0.0.1 alone',
  async (code) => {
    const bind: Bind = async (host, port) => {
      if (host === '::1') throw Object.assign(new Error('no IPv6'), { code });
      return occupy(host, port);
    };
    const listener = await listen(0, { bind });
    expect(listener.addresses).toEqual([`127.0.0.1:${listener.port}`]);
  },
);

test('a free port of one family that is taken in the other is not the one', async () => {
  let tries = 0;
  const bind: Bind = async (host, port) => {
    if (host === '::1' && ++tries < 3) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
    return occupy(host === '::1' ? '127.0.0.1' : host, host === '::1' ? 0 : port);
  };
  await listen(0, { bind });
  expect(tries).toBe(3);
});

test('an error that is not about the port stays what it is', async () => {
  const bind: Bind = async () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  };
  await expect(listenOnLoopback(0, { bind })).rejects.toMatchObject({ code: 'EMFILE' });
});

test('a request that comes before there is a handler is answered by it', async () => {
  const listener = await listen(0);
  const answer = ask('127.0.0.1', listener.port);
  await arrived(listener.port);
  listener.serve((_request, response) => response.end('late'));
  expect(await text(await answer)).toBe('late');
});

test('a listener that never served ends at once, whoever waits', async () => {
  const listener = await listenOnLoopback(0, { drainMs: 60_000 });
  const answer = ask('127.0.0.1', listener.port).catch((error: NodeJS.ErrnoException) => error.code);
  await arrived(listener.port);
  await listener.close();
  expect(await answer).toBe('ECONNRESET');
});

test('closing lets an answer that is under way end, and takes no new connection', async () => {
  const listener = await listenOnLoopback(0, { drainMs: 60_000 });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  listener.serve((_request, response) => {
    begin();
    void answered.then(() => response.end('whole'));
  });
  const response = ask('127.0.0.1', listener.port);
  await begun;
  const closed = listener.close();
  await expect(ask('127.0.0.1', listener.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  answer();
  expect(await text(await response)).toBe('whole');
  await closed;
});

test('closing cuts off an answer that does not end', async () => {
  const listener = await listenOnLoopback(0, { drainMs: 10 });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  listener.serve(() => begin());
  const response = ask('127.0.0.1', listener.port).catch((error: NodeJS.ErrnoException) => error.code);
  await begun;
  await listener.close();
  expect(await response).toBe('ECONNRESET');
});

test('a connection without a request stays open as long as its listener says', async () => {
  const listener = await listenOn('127.0.0.1', 0, { keepAliveMs: 120_000 });
  onTestFinished(() => listener.close());
  listener.serve((_request, response) => response.end('served'));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ host: '127.0.0.1', port: listener.port, agent }, resolve).once('error', reject),
  );
  expect([answer.headers['keep-alive'], await text(answer)]).toEqual(['timeout=120', 'served']);
});

test('closing twice is closing', async () => {
  const listener = await listenOnLoopback(0);
  await Promise.all([listener.close(), listener.close()]);
  await listener.close();
});

/** Resolves once the server has read what was sent before: a second connection was accepted after it. */
async function arrived(port: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      setTimeout(resolve, 50);
    });
  });
}
