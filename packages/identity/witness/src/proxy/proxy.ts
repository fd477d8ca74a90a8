import { type ClientRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { openRequest } from '@colophon/peer';
import { ByteAllowance } from '../body/byte-allowance.ts';
import { type Endpoint, endpointOf, mayHaveCredential } from '../endpoint/endpoint.ts';
import type { ObservedRun } from '../observed-run/observed-run.ts';
import { type Upstream, upstreamAddress } from '../upstream/upstream.ts';
import { WitnessError, type WitnessErrorCode } from '../witness-error/witness-error.ts';
import { Exchange, type SentRequest } from './exchange.ts';
import { passedHeaders } from './passed-headers.ts';
import { readProxiedPath } from './proxied-path.ts';

/** Of others an answer may show what the request held (TRACE), or nobody knows what they do. */
const PASSED_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Requests at once, over all runs. */
export const MOST_REQUESTS = 1_024;

/** Requests of one run at once: one that never ends its own leaves room for others. */
export const MOST_RUN_REQUESTS = 256;

/** Bytes that the bodies of one run may keep in memory while they are read: two of the largest documents. */
const MOST_RUN_KEPT_BYTES = 64 * 1024 * 1024;

export type ProxyOptions = {
  /** The open run that a token stands for. */
  readonly runOf: (token: string) => ObservedRun | undefined;
  /** By slot: nothing else is ever reached. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** For all runs. */
  readonly allowance: ByteAllowance;
  /** Is given each request to a model that could be read. Without it none is kept. */
  readonly keep?: (request: SentRequest) => void;
};

/** Where a request goes, and whose it is. */
type Target = {
  readonly run: ObservedRun;
  readonly upstream: Upstream;
  /** Path and query. */
  readonly rest: string;
  readonly endpoint: Endpoint;
};

/** What one run has of what all runs share. */
type Share = { underWay: number; readonly allowance: ByteAllowance };

/** Passes requests on to the upstreams of a witness, and their answers back, byte for byte. */
export class ModelProxy {
  readonly #options: ProxyOptions;
  readonly #shares = new WeakMap<ObservedRun, Share>();
  /** What has to end with each connection. */
  readonly #open = new WeakMap<Duplex, Set<() => void>>();
  #underWay = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Answers one request of Node's HTTP server. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const target = this.#targetOf(request);
    if (typeof target === 'string') refuse(response, target);
    else this.#passOn(request, response, target);
  }

  #targetOf({ url = '', method = '', headers }: IncomingMessage): Target | WitnessErrorCode {
    const proxied = readProxiedPath(url);
    if (proxied === undefined) return 'witness.path_refused';
    const { runOf, upstreams } = this.#options;
    const run = runOf(proxied.token);
    if (run === undefined) return 'witness.run_unknown';
    const upstream = upstreams.get(proxied.slot);
    if (upstream === undefined) return 'witness.upstream_unknown';
    const below = pathBelow(upstream.base.pathname, proxied.rest);
    if (below === undefined) return 'witness.path_refused';
    if (!PASSED_METHODS.includes(method)) return 'witness.method_refused';
    const endpoint = endpointOf(method, below, headers);
    if (upstream.credential !== undefined && !mayHaveCredential(endpoint, below)) return 'witness.endpoint_refused';
    const isBusy = this.#underWay >= MOST_REQUESTS || this.#shareOf(run).underWay >= MOST_RUN_REQUESTS;
    if (isBusy) return 'witness.busy';
    return { run, upstream, rest: proxied.rest, endpoint };
  }

  #shareOf(run: ObservedRun): Share {
    let share = this.#shares.get(run);
    if (share === undefined) {
      share = { underWay: 0, allowance: new ByteAllowance(MOST_RUN_KEPT_BYTES, this.#options.allowance) };
      this.#shares.set(run, share);
    }
    return share;
  }

  /** What is under way on a connection, each as what ends it; all of it ends with the connection. */
  #openOn(socket: Duplex): Set<() => void> {
    let open = this.#open.get(socket);
    if (open === undefined) {
      const ends = new Set<() => void>();
      socket.once('close', () => {
        for (const end of ends) end();
      });
      this.#open.set(socket, ends);
      open = ends;
    }
    return open;
  }

  #passOn(request: IncomingMessage, response: ServerResponse, { run, upstream, rest, endpoint }: Target): void {
    const [path = ''] = rest.split('?', 1);
    const share = this.#shareOf(run);
    const { allowance } = share;
    const exchange = new Exchange(run, upstream.name, { request, path, endpoint }, { ...this.#options, allowance });
    run.follow(exchange);
    run.reached(upstream.name, upstreamAddress(upstream));
    const headers = passedHeaders(request.rawHeaders, upstream.credential);
    // Node sends a body without it, after a DELETE say, as if it were the next request on the connection.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
    const passed = openRequest(
      upstream.base,
      {
        method: request.method ?? '',
        headers,
        path: rest,
        ca: upstream.ca,
      },
      (answer) => passBack(answer, response, exchange),
    );
    // An answer that has begun breaks off by itself. One that goes on with another protocol is none, and Node tells no error.
    for (const event of ['error', 'close']) {
      passed.on(event, () => {
        if (!response.headersSent) refuse(response, 'witness.upstream_unavailable');
      });
    }
    whenReached(passed, () => exchange.sent());
    this.#underWay += 1;
    share.underWay += 1;
    const open = this.#openOn(request.socket);
    const end = () => {
      if (!open.delete(end)) return;
      this.#underWay -= 1;
      share.underWay -= 1;
      exchange.passed();
      if (!response.writableFinished) passed.destroy();
      breakOffWithConnection(request);
    };
    open.add(end);
    // Of an answer that waits for its turn Node does not say that its connection has ended.
    response.once('close', end);
    request.once('close', () => {
      if (!request.readableEnded) passed.destroy();
    });
    exchange.readRequest();
    request.pipe(passed);
  }

  /** Answers a request for another protocol on the same connection. */
  refuseUpgrade(socket: Duplex): void {
    this.#refuseOn(socket, 'witness.websocket_refused');
  }

  /** Answers a request for a connection to another machine. */
  refuseTunnel(socket: Duplex): void {
    this.#refuseOn(socket, 'witness.method_refused');
  }

  /** Where answers are still to come on the connection, Node forgets them, and a refusal would stand in the middle of one. */
  #refuseOn(socket: Duplex, code: WitnessErrorCode): void {
    if (this.#openOn(socket).size > 0) socket.destroy();
    else refuseOn(socket, code);
  }
}

function refuseOn(socket: Duplex, code: WitnessErrorCode): void {
  const body = bodyOf(code);
  const status = WitnessError.statusOf(code);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // With 426 a client has to say which protocols it could have instead (RFC 9110 §15.5.22).
    ...(status === 426 ? ['Upgrade: HTTP/1.1', 'Connection: close, Upgrade'] : ['Connection: close']),
  ];
  socket.on('error', () => {});
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A request may go on after its answer. Where it breaks off then, Node tells its connection, and not the request. */
function breakOffWithConnection(request: IncomingMessage): void {
  if (request.readableEnded) return;
  const { socket } = request;
  const breakOff = () => request.destroy();
  if (socket.closed) breakOff();
  else socket.once('close', breakOff);
  request.once('close', () => socket.off('close', breakOff));
}

/** The part of a path, without query, below that of an upstream; undefined where it is not below it. */
function pathBelow(base: string, rest: string): string | undefined {
  const [path = ''] = rest.split('?', 1);
  const own = base.replace(/\/+$/, '');
  return path === own || path.startsWith(`${own}/`) ? path.slice(own.length) : undefined;
}

/** Calls `reached` once the connection of a request is there, with TLS where it has that. */
function whenReached(passed: ClientRequest, reached: () => void): void {
  passed.once('socket', (socket: Socket) => {
    const isThere = passed.reusedSocket || !socket.connecting;
    if (isThere) reached();
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', reached);
  });
}

function passBack(answer: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
  response.sendDate = false;
  if (!beginAnswer(answer, response)) {
    answer.destroy();
    refuse(response, 'witness.upstream_unavailable');
    return;
  }
  exchange.readAnswer(answer);
  // The first byte of a stream may be long in coming; that there is an answer is known now. Flushed headers would be
  // written as UTF-8.
  response.write('', 'latin1');
  answer.once('close', () => {
    if (!answer.complete) response.destroy();
  });
  answer.pipe(response);
}

/** Whether the head of an answer was written: not of one after which another protocol follows, or whose status line is none. */
function beginAnswer(
  { statusCode = 0, statusMessage, rawHeaders }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (statusCode < 200) return false;
  try {
    response.writeHead(statusCode, statusMessage, passedHeaders(rawHeaders));
    return true;
  } catch {
    // Node reads it, and would not write it.
    return false;
  }
}

const MESSAGES: Readonly<Partial<Record<WitnessErrorCode, string>>> = {
  'witness.run_unknown': 'no run is open at this address; colophon run sets the address for the command it starts',
  'witness.upstream_unknown': 'the witness has no upstream of this name',
  'witness.path_refused': 'the witness passes on requests to its upstreams, and to nothing else',
  'witness.endpoint_refused':
    'with its own credential the witness passes on no requests for other ones, nor to places that it does not know',
  'witness.method_refused': 'the witness passes on requests of the usual methods alone, and opens no tunnels',
  'witness.websocket_refused': 'the witness does not read websockets, and passes none on; use the HTTP interface',
  'witness.busy': 'the witness has too many requests under way',
  'witness.upstream_unavailable': 'the upstream of the witness does not answer',
};

/** In the members that both providers' clients read. */
function bodyOf(code: WitnessErrorCode): string {
  return JSON.stringify({
    type: 'error',
    error: { type: 'witness_error', code, message: `${code}: ${MESSAGES[code]}` },
  });
}

function refuse(response: ServerResponse, code: WitnessErrorCode): void {
  const body = bodyOf(code);
  // What was sent is left unread, so the connection ends too.
  const status = WitnessError.statusOf(code);
  response
    .writeHead(status, STATUS_CODES[status], {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body);
}
