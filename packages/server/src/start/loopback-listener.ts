import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServerError } from '../server-error/server-error.ts';

/** A request's header must have arrived within this time. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** How long an ending server waits for answers that are under way. */
const DRAIN_MS = 5_000;

/** Sockets on both loopback families that answer nothing until `serve` says how. */
export type LoopbackListener = {
  readonly port: number;
  /** e.g. `127.0.0.1:7080`, `[::1]:7080`. */
  readonly addresses: readonly string[];
  serve(handler: RequestListener): void;
  close(): Promise<void>;
};

/**
 * Takes the port on 127.0.0.1 and on ::1, where the machine has it, before anything is written: a port that is in use
 * leaves no trace in the data folder. Port 0 takes a free one.
 * @throws ServerError `server.port_in_use`
 */
export async function listenOnLoopback(port: number): Promise<LoopbackListener> {
  const first = await bind('127.0.0.1', port);
  const servers = [first];
  const actual = (first.address() as AddressInfo).port;
  try {
    servers.push(await bind('::1', actual));
  } catch (error) {
    const hasNoIpv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(systemCode(error));
    if (!hasNoIpv6) {
      await end(first);
      throw error;
    }
  }
  return {
    port: actual,
    addresses: servers.map((server) => {
      const { address, family } = server.address() as AddressInfo;
      return family === 'IPv6' ? `[${address}]:${actual}` : `${address}:${actual}`;
    }),
    serve: (handler) => {
      for (const server of servers) server.on('request', handler);
    },
    close: async () => {
      await Promise.all(servers.map(end));
    },
  };
}

function bind(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    // The whole request is bounded by route: an image's layer may take longer than a token's context.
    const server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 1_000,
    });
    server.once('error', (cause) => {
      const isTaken = ['EADDRINUSE', 'EACCES'].includes(systemCode(cause));
      reject(
        isTaken
          ? new ServerError('server.port_in_use', `port ${port} of ${host} cannot be had: ${systemCode(cause)}`, {
              cause,
            })
          : cause,
      );
    });
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const hurry = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(hurry);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function systemCode(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code ?? '';
}
