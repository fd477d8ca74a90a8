import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { openRequest } from '@colophon/peer';
import type { ByteAllowance } from '../body/byte-allowance.ts';
import type { ObservedRun } from '../observed-run/observed-run.ts';
import { type Upstream, upstreamAddress } from '../upstream/upstream.ts';
import { WitnessError, type WitnessErrorCode } from '../witness-error/witness-error.ts';
import { Exchange, type SentRequest } from './exchange.ts';
import { passedHeaders } from './passed-headers.ts';
import { readProxiedPath } from './proxied-path.ts';

/** Requests at once, over all runs. */
export const MOST_REQUESTS = 1_024;

export type ProxyOptions = {
  /** The open run that a token stands for. */
  readonly runOf: (token: string) => ObservedRun | undefined;
  /** By slot: nothing else is ever reached. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly allowance: ByteAllowance;
  /** Is given each request to a model that could be read. Without it none is kept. */
  readonly keep?: (request: SentRequest) => void;
};

/** Where a request goes, and whose it is. */
type Target = { readonly run: ObservedRun; readonly upstream: Upstream; readonly rest: string };

/** Passes requests on to the upstreams of a witness, and their answers back, byte for byte. */
export class ModelProxy {
  readonly #options: ProxyOptions;
  #underWay = 0;

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /** Answers one request of Node's HTTP server. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const target = this.#targetOf(request.url ?? '');
    if (typeof target === 'string') refuse(response, target);
    else this.#passOn(request, response, target);
  }

  #targetOf(url: string): Target | WitnessErrorCode {
    const proxied = readProxiedPath(url);
    if (proxied === undefined) return 'witness.path_refused';
    const { runOf, upstreams } = this.#options;
    const run = runOf(proxied.token);
    if (run === undefined) return 'witness.run_unknown';
    const upstream = upstreams.get(proxied.slot);
    if (upstream === undefined) return 'witness.upstream_unknown';
    if (!isUnder(upstream.base.pathname, proxied.rest)) return 'witness.path_refused';
    if (this.#underWay >= MOST_REQUESTS) return 'witness.busy';
    return { run, upstream, rest: proxied.rest };
  }

  #passOn(request: IncomingMessage, response: ServerResponse, { run, upstream, rest }: Target): void {
    const [path = ''] = rest.split('?', 1);
    const exchange = new Exchange(run, upstream.name, { request, path }, this.#options);
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
    // An answer that has begun breaks off by itself.
    passed.on('error', () => {
      if (!response.headersSent) refuse(response, 'witness.upstream_unavailable');
    });
    this.#underWay += 1;
    response.once('close', () => {
      this.#underWay -= 1;
      exchange.passed();
      if (!response.writableFinished) passed.destroy();
      else breakOffWithConnection(request);
    });
    request.once('close', () => {
      if (!request.readableEnded) passed.destroy();
    });
    exchange.readRequest();
    request.pipe(passed);
  }

  /** Answers a request for another protocol on the same connection. */
  refuseUpgrade(socket: Duplex): void {
    refuseOn(socket, 'witness.websocket_refused');
  }

  /** Answers a request for a connection to another machine. */
  refuseTunnel(socket: Duplex): void {
    refuseOn(socket, 'witness.method_refused');
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

/** Whether a path is that of an upstream, or below it. */
function isUnder(base: string, rest: string): boolean {
  const [path = ''] = rest.split('?', 1);
  const own = base.replace(/\/+$/, '');
  return path === own || path.startsWith(`${own}/`);
}

function passBack(answer: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
  response.sendDate = false;
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedHeaders(answer.rawHeaders));
  } catch {
    // A status line that is none in HTTP: Node reads it, and would not write it.
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

const MESSAGES: Readonly<Partial<Record<WitnessErrorCode, string>>> = {
  'witness.run_unknown': 'no run is open at this address; colophon run sets the address for the command it starts',
  'witness.upstream_unknown': 'the witness has no upstream of this name',
  'witness.path_refused': 'the witness passes on requests to its upstreams, and to nothing else',
  'witness.method_refused': 'the witness opens no tunnels',
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
