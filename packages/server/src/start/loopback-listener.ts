import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemReason } from '@colophon/durable-file';
import { ServerError } from '../server-error/server-error.ts';

/** A request's header must have arrived within this time. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** How long an ending server waits for answers that are under way. */
export const DRAIN_MS = 1_000;
/** How often an ending server looks for connections that have become idle. */
const IDLE_CHECK_MS = 20;
/** A free port of one family may be taken in the other: how many are tried. */
const FREE_PORT_TRIES = 10;

/** Sockets on both loopback families; requests that come before `serve` wait for it. */
export type LoopbackListener = {
  readonly port: number;
  /** e.g. `127.0.0.1:7080`, `[::1]:7080`. */
  readonly addresses: readonly string[];
  serve(handler: RequestListener): void;
  /** Takes no new connections, lets requests that are under way end, then cuts off the rest. */
  close(): Promise<void>;
};

/** Opens one listening server. @throws the system's error */
export type Bind = (host: string, port: number) => Promise<Server>;

/**
 * Takes the port on 127.0.0.1 and, where the machine has it, on ::1. Port 0 takes one that is free on both.
 * @throws ServerError `server.port_in_use`
 */
export async function listenOnLoopback(
  port: number,
  { bind = bindServer, drainMs = DRAIN_MS }: { bind?: Bind; drainMs?: number } = {},
): Promise<LoopbackListener> {
  const servers = await bindBothFamilies(port, bind);
  const early: Array<Parameters<RequestListener>> = [];
  const wait: RequestListener = (...exchange) => void early.push(exchange);
  for (const server of servers) server.on('request', wait);
  let isServing = false;
  return {
    port: portOf(servers[0]),
    addresses: servers.map((server) => {
      const { address, family } = server.address() as AddressInfo;
      return family === 'IPv6' ? `[${address}]:${portOf(server)}` : `${address}:${portOf(server)}`;
    }),
    serve: (handler) => {
      isServing = true;
      for (const server of servers) server.off('request', wait).on('request', handler);
      for (const exchange of early.splice(0)) handler(...exchange);
    },
    // Who waits for an answer that nobody will give is not waited for.
    close: async () => void (await Promise.all(servers.map((server) => end(server, isServing ? drainMs : 0)))),
  };
}

async function bindBothFamilies(port: number, bind: Bind): Promise<[Server, ...Server[]]> {
  for (let tries = 1; ; tries++) {
    const first = await bind('127.0.0.1', port).catch(refuse('127.0.0.1', port));
    try {
      return [first, await bind('::1', portOf(first))];
    } catch (error) {
      if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(systemCode(error))) return [first];
      await end(first, 0);
      if (port !== 0 || tries === FREE_PORT_TRIES) return refuse('::1', port)(error);
    }
  }
}

function bindServer(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    // The whole request is bounded by route: an image's layer may take longer than a token's context.
    const server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
    });
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function refuse(host: string, port: number): (cause: unknown) => never {
  return (cause) => {
    const code = systemCode(cause);
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause;
    throw new ServerError(
      'server.port_in_use',
      `port ${port} of ${host}: ${code === 'EACCES' ? systemReason(cause) : 'another program listens there'}`,
      { cause },
    );
  };
}

function end(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection that is kept alive becomes idle only once its answer is out.
    const check = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const hurry = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(check);
      clearTimeout(hurry);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function systemCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}
