import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** A peer on loopback that answers as it is told and keeps what it was sent. */
export type Peer = { readonly url: string; readonly requests: Array<{ head: IncomingMessage; body: string }> };

export async function startPeer(cleanup: (undo: () => void) => void, answer: RequestListener): Promise<Peer> {
  const requests: Peer['requests'] = [];
  const server: Server = createServer(async (request, response) => {
    requests.push({ head: request, body: await text(request) });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, requests };
}

/**
 * An address of this machine where nobody listens. A connection leaves from its port until the tests end: a port that
 * was merely free a moment ago is soon given to somebody else's server.
 */
export async function deadUrl(): Promise<string> {
  const server = createServer().unref();
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const connection = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).unref();
  await new Promise((resolve) => connection.once('connect', resolve));
  return `http://127.0.0.1:${connection.localPort}`;
}
