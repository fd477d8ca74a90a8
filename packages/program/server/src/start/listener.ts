import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemReason } from '@colophon/durable-file';
import { ServerError } from '../server-error/server-error.ts';

/** A request's header must have arrived within this time. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** All of a request must have arrived within this time, where nobody bounds it by its route: later than what routes allow. */
export const WHOLE_REQUEST_MS = 20_000;
/** An image's layer may take longer than a token's context. */
export const BOUNDED_BY_ROUTE = 0;
/** How long an ending server waits for answers that are under way. */
export const DRAIN_MS = 1_000;
/** How often an ending server looks for connections that have become idle. */
const IDLE_CHECK_MS = 20;
/** A free port of one family may be taken in the other: how many are tried. */
const FREE_PORT_TRIES = 10;

/** Certificate with its chain, and private key, in PEM. */
export type TlsPair = {
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
  /** Certificates of authorities, in PEM: only clients that one of them certified get past the handshake. Anybody does without. */
  readonly clientAuthorities?: Uint8Array | undefined;
};

/** One listening address, or both loopback families; requests that come before `serve` wait for it. */
export type Listener = {
  readonly port: number;
  /** e.g. `127.0.0.1:7080`, `[::1]:7080`. */
  readonly addresses: readonly string[];
  serve(handler: RequestListener): void;
  /** New connections get this certificate. @throws Error where it is none, or not of this key */
  renewTls(pair: TlsPair): void;
  /** Takes no new connections, lets requests that are under way end, then cuts off the rest. */
  close(): Promise<void>;
};

/** How the sockets of a listener speak. */
export type ListenerOptions = {
  readonly tls?: TlsPair | undefined;
  readonly headersTimeoutMs?: number;
  /** Until all of a request has arrived, read or not; 0 where every route bounds it. */
  readonly requestTimeoutMs?: number | undefined;
  /** How long a connection without a request stays open; Node's own 5 seconds when absent. */
  readonly keepAliveMs?: number | undefined;
  readonly drainMs?: number;
  /** Told of each client that got no further than its certificate, with OpenSSL's reason. */
  readonly onClientRefused?: ((reason: string) => void) | undefined;
};

/** Opens one listening server. @throws the system's error */
export type Bind = (host: string, port: number) => Promise<Server>;

/**
 * Takes the port of an IP address; of `localhost`, on 127.0.0.1 and, where the machine has it, on ::1. Port 0 takes one
 * that is free.
 * @throws ServerError `server.port_in_use`; Error for a certificate that cannot be used
 */
export async function listenOn(address: string, port: number, options: ListenerOptions = {}): Promise<Listener> {
  const bind: Bind = (host, wanted) => bindServer(host, wanted, options);
  if (address === 'localhost') return listenOnLoopback(port, { ...options, bind });
  return listenerOf([await bind(address, port).catch(refuse(address, port))], options);
}

/** As listenOn `localhost`. @throws ServerError `server.port_in_use` */
export async function listenOnLoopback(
  port: number,
  { bind, ...options }: ListenerOptions & { bind?: Bind } = {},
): Promise<Listener> {
  const open: Bind = bind ?? ((host, wanted) => bindServer(host, wanted, options));
  return listenerOf(await bindBothFamilies(port, open), options);
}

function listenerOf(servers: readonly [Server, ...Server[]], { drainMs = DRAIN_MS }: ListenerOptions): Listener {
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
    renewTls: (pair) => {
      for (const server of servers) (server as TlsServer).setSecureContext({ ...TLS_RULES, ...secureContextOf(pair) });
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

/** OpenSSL's code for a client that showed none; what is wrong with one stands at the socket. */
const NO_CERTIFICATE = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';

const TLS_RULES = { minVersion: 'TLSv1.2' } as const;

function secureContextOf({ cert, key, clientAuthorities }: TlsPair) {
  return {
    cert: Buffer.from(cert),
    key: Buffer.from(key),
    ...(clientAuthorities === undefined ? {} : { ca: Buffer.from(clientAuthorities) }),
  };
}

function bindServer(
  host: string,
  port: number,
  {
    tls,
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
    requestTimeoutMs = WHOLE_REQUEST_MS,
    keepAliveMs,
    onClientRefused,
  }: ListenerOptions,
): Promise<Server> {
  const rules = {
    headersTimeout: requestTimeoutMs === 0 ? headersTimeoutMs : Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 1_000,
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
  };
  return new Promise((resolve, reject) => {
    const server =
      tls === undefined
        ? createServer(rules)
        : createTlsServer({
            ...rules,
            handshakeTimeout: headersTimeoutMs,
            ...TLS_RULES,
            requestCert: tls.clientAuthorities !== undefined,
            rejectUnauthorized: true,
            ...secureContextOf(tls),
          });
    server.on('tlsClientError', (error: Error, { authorizationError }: TLSSocket) => {
      const reason = authorizationError ?? (systemCode(error) === NO_CERTIFICATE ? NO_CERTIFICATE : undefined);
      if (reason) onClientRefused?.(String(reason));
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
