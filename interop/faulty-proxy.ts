import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freePort } from '@colophon/testkit';

/** What a service answered, as it is passed on. */
export type Relayed = { readonly status: number; readonly headers: Headers; readonly body: Buffer };

/**
 * What goes wrong between a client and a service. `refused`: nobody listens. `hang`: nobody answers. `status 500`: the
 * service is not asked. `lost`: it is asked, and the connection breaks before its answer. A function answers something
 * else in its place.
 */
export type Fault = 'refused' | 'hang' | 'status 500' | 'lost' | ((answer: Relayed) => Relayed);

/** Stands before a service and passes everything on, until it is told otherwise. */
export type FaultyProxy = {
  /** Of the service, seen through it. */
  readonly url: string;
  /** Bodies of the POST requests that came, in order. */
  readonly requests: readonly string[];
  /** From now on, for so many requests; none: everything is passed on again. */
  fail(fault: Fault | undefined, times?: number): Promise<void>;
  stop(): Promise<void>;
};

/** Listens on loopback under the name `localhost`, as the services do: names in their answers stay right. */
export async function startFaultyProxy(service: string): Promise<FaultyProxy> {
  const [port, target] = [await freePort(), new URL(service)];
  const requests: string[] = [];
  let fault: Fault | undefined;
  let left = 0;
  let server: Server | undefined;

  const take = (): Fault | undefined => {
    const taken = left > 0 ? fault : undefined;
    left -= 1;
    return taken;
  };
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const isPost = request.method === 'POST';
    if (isPost) requests.push(body.toString());
    const now = isPost ? take() : undefined;
    if (now === 'hang') return;
    if (now === 'status 500') return void response.writeHead(500).end('out of order');
    const { 'content-type': type = '', accept = '*/*' } = request.headers;
    const answer = await fetch(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      headers: { accept, ...(type !== '' && { 'content-type': type }) },
      ...(isPost && { body }),
      redirect: 'manual',
    });
    const { status, headers } = answer;
    const relayed = { status, headers, body: Buffer.from(await answer.arrayBuffer()) };
    if (now === 'lost') return void response.destroy();
    const changed = typeof now === 'function' ? now(relayed) : relayed;
    const kept = [...changed.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-encoding|connection)$/.test(name),
    );
    response.writeHead(changed.status, Object.fromEntries(kept)).end(changed.body);
  };
  const listener: RequestListener = (request, response) => {
    relay(request, response).catch(() => response.destroy());
  };
  const listen = () =>
    new Promise<void>((resolve) => {
      server = createServer(listener).listen(port, '127.0.0.1', resolve);
    });
  const close = () =>
    new Promise<void>((resolve) => {
      if (server === undefined) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
      server = undefined;
    });
  await listen();
  return {
    url: `http://localhost:${port}${target.pathname.replace(/\/$/, '')}`,
    requests,
    async fail(next, times = Number.POSITIVE_INFINITY) {
      [fault, left] = [next, next === undefined ? 0 : times];
      if (next === 'refused') await close();
      else if (server === undefined) await listen();
    },
    stop: close,
  };
}
