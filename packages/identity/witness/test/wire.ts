import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Cleanup } from '@colophon/testkit';

/** A connection that is written and read byte for byte, as latin1. */
export type Wire = {
  readonly socket: Socket;
  /** All that came so far. */
  readonly received: () => string;
  /** All that came, once this is in it, or once the connection is closed. */
  readonly until: (text: string) => Promise<string>;
  /** All that came, once the connection is closed. */
  readonly closed: () => Promise<string>;
};

export function wireOf(socket: Socket): Wire {
  let all = '';
  let isClosed = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.on('data', (bytes: Buffer) => {
    all += bytes.toString('latin1');
    wake();
  });
  // How it ended is said by what came, or did not.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const when = (isReached: () => boolean) =>
    new Promise<string>((resolve) => {
      const look = () => {
        if (!isReached() && !isClosed) return;
        waiting.delete(look);
        resolve(all);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    received: () => all,
    until: (text) => when(() => all.includes(text)),
    closed: () => when(() => false),
  };
}

/** A connection to a port of this machine, with these bytes as its first. */
export function openWire(cleanup: Cleanup, port: number, first = ''): Wire {
  const socket = connect({ host: '127.0.0.1', port });
  cleanup(() => {
    socket.destroy();
  });
  socket.write(first, 'latin1');
  return wireOf(socket);
}

export type RawUpstream = {
  readonly url: string;
  /** Connections in the order in which they came. */
  readonly wires: Wire[];
  /** How many of them are open. */
  readonly open: () => number;
  /** Fulfilled once there are so many open connections. */
  readonly untilOpen: (count: number) => Promise<void>;
};

/** A server that is given each connection once the head of a first request is there. */
export async function startRawUpstream(
  cleanup: Cleanup,
  answer: (wire: Wire) => void | Promise<void> = () => {},
): Promise<RawUpstream> {
  const wires: Wire[] = [];
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  const server = createServer(async (socket) => {
    open.add(socket);
    wake();
    socket.on('close', () => {
      open.delete(socket);
      wake();
    });
    const wire = wireOf(socket);
    wires.push(wire);
    await wire.until('\r\n\r\n');
    await answer(wire);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wires,
    open: () => open.size,
    untilOpen: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (open.size !== count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

/** An answer as raw bytes; its connection ends with it. */
export function rawAnswer(body: string, headers: readonly string[] = [], status = '200 OK'): string {
  const length = `Content-Length: ${body.length}`;
  return `${[`HTTP/1.1 ${status}`, length, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export type Asked = {
  readonly method?: string;
  readonly headers?: Record<string, string> | readonly string[];
  readonly body?: Uint8Array | string;
  /** The body as so many chunks, without Content-Length. */
  readonly chunks?: readonly Uint8Array[];
};

export type Answered = {
  readonly status: number;
  readonly statusText: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly text: string;
};

/** Asks over a connection of its own; nothing is decoded. @throws what breaks the answer off */
export async function ask(url: string, { method = 'POST', headers = {}, body, chunks }: Asked = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, { method, headers, agent: false }, resolve).on('error', reject);
  for (const chunk of chunks ?? []) asked.write(chunk);
  asked.end(body);
  const answer = await promise;
  const read = await buffer(answer);
  return {
    status: answer.statusCode ?? 0,
    statusText: answer.statusMessage ?? '',
    rawHeaders: answer.rawHeaders,
    headers: answer.headers,
    body: read,
    text: read.toString(),
  };
}

/** The code of an error that the witness itself answered. */
export function codeIn(text: string): string | undefined {
  const json = text.slice(text.indexOf('{'));
  return (JSON.parse(json) as { error?: { code?: string } }).error?.code;
}
