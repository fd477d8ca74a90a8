import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallbackPage, callbackPage, PAGE_HEADERS } from './callback-page.ts';

const PATH = '/callback';

/** Where a browser comes back to after a login; only this machine reaches it. */
export type CallbackServer = {
  /** RFC 8252 §7.3: the address, on a port that was free. */
  readonly redirectUri: string;
  /** Settles with what `complete` answers or throws to the first callback that has the state. */
  readonly answered: Promise<string>;
  /** Answers nobody any more. */
  close(): void;
};

/** What a callback is worth, and what the browser shows of that. */
export type CallbackRules = {
  /** Whoever does not know it is not the login that is waiting, and ends nothing. */
  readonly state: string;
  /** Called once, with the parameters of the answer. What it throws ends the login. */
  readonly complete: (parameters: URLSearchParams, redirectUri: string) => Promise<string>;
  readonly page: (outcome: 'done' | 'failed') => CallbackPage;
};

/** Starts it on 127.0.0.1. Every request but the one that is waited for is answered with 404. */
export async function startCallbackServer({ state, complete, page }: CallbackRules): Promise<CallbackServer> {
  const { promise: answered, resolve, reject } = Promise.withResolvers<string>();
  // The caller may have given up by the time that it fails.
  answered.catch(() => {});
  let isTaken = false;
  let redirectUri = '';
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const parameters = isTaken ? undefined : parametersOf(request, new URL(redirectUri), state);
    if (parameters === undefined) {
      response.writeHead(404, PAGE_HEADERS).end(callbackPage({ title: 'Not found', text: 'There is nothing here.' }));
      return;
    }
    isTaken = true;
    const show = (status: number, outcome: 'done' | 'failed') =>
      new Promise<void>((shown) => {
        response.once('close', shown);
        response.writeHead(status, PAGE_HEADERS).end(callbackPage(page(outcome)));
      });
    complete(parameters, redirectUri).then(
      (value) => show(200, 'done').then(() => resolve(value)),
      (error: unknown) => show(400, 'failed').then(() => reject(error)),
    );
  });
  redirectUri = `http://127.0.0.1:${await listen(server)}${PATH}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { redirectUri, answered, close };
}

/** What the answer of the provider says; undefined for every other request. */
function parametersOf(
  { method, url = '', headers }: IncomingMessage,
  own: URL,
  state: string,
): URLSearchParams | undefined {
  // A page of the web that has a name of its own for this address is not the provider.
  if (method !== 'GET' || headers.host !== own.host) return undefined;
  const [path, query = '', ...more] = url.split('?');
  if (path !== own.pathname || more.length > 0) return undefined;
  const parameters = new URLSearchParams(query);
  const [found = '', ...others] = parameters.getAll('state');
  return others.length === 0 && isSame(found, state) ? parameters : undefined;
}

function isSame(found: string, expected: string): boolean {
  const [one, other] = [Buffer.from(found), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => resolve((server.address() as AddressInfo).port));
  });
}
