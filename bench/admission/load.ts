// The load generator, a process of its own: `load.ts <orders as JSON>`. Every answer must be what the orders expect; writes
// how long the answers took.
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { podReview } from './pod-review.ts';

/** What is sent, and how. */
export type LoadOrders = {
  readonly port: number;
  /** Of the authority that signed the server's certificate, PEM. */
  readonly caFile: string;
  readonly path: '/mutate' | '/validate';
  readonly requests: number;
  readonly connections: number;
  /** A second, evenly, whether earlier ones are answered or not; without it each connection asks as soon as it can. */
  readonly rate?: number;
  /** Each request is about another one, in turns. */
  readonly images: readonly string[];
  /** Of each image so many names, which differ in the tag; 1. */
  readonly tags?: number;
  /** Names in no order, with a seed, in place of turns. */
  readonly seed?: number;
};

/** What became of it. */
export type LoadResult = {
  readonly perSecond: number;
  /** From when a request was due to its answer. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
};

/** Different Pods; there is no need for more. */
const PODS = 200;
const MARK = '__image__';

class Load {
  readonly #orders: LoadOrders;
  readonly #pods: readonly string[];
  readonly #idle: TLSSocket[] = [];
  readonly #due: number[] = [];
  readonly #took: number[] = [];
  #sent = 0;
  #random: number;

  constructor(orders: LoadOrders) {
    this.#orders = orders;
    this.#random = orders.seed ?? 0;
    this.#pods = Array.from({ length: PODS }, (_, index) => JSON.stringify(podReview(index, MARK)));
  }

  async run(): Promise<LoadResult> {
    const { connections, requests } = this.#orders;
    await Promise.all(Array.from({ length: connections }, () => this.#connect()));
    const begun = performance.now();
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      this.#arrive(begun);
    });
    const seconds = (performance.now() - begun) / 1000;
    for (const socket of this.#idle) socket.destroy();
    const sorted = this.#took.sort((one, other) => one - other);
    const at = (share: number) => sorted[Math.min(requests - 1, Math.floor(requests * share))]!;
    return { perSecond: requests / seconds, medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1) };
  }

  #done = () => {};
  #arrived = 0;

  /** Notes what has become due. */
  #arrive(begun: number): void {
    const { requests, rate } = this.#orders;
    const now = performance.now();
    const until = rate === undefined ? requests : Math.min(requests, Math.floor(((now - begun) / 1000) * rate) + 1);
    for (; this.#arrived < until; this.#arrived += 1) {
      this.#due.push(rate === undefined ? Number.NaN : begun + (this.#arrived / rate) * 1000);
    }
    this.#send();
    if (this.#arrived < requests) setTimeout(() => this.#arrive(begun), 1);
  }

  #send(): void {
    while (this.#idle.length > 0 && this.#sent < this.#due.length) {
      const socket = this.#idle.pop()!;
      const due = this.#due[this.#sent]!;
      const from = Number.isNaN(due) ? performance.now() : due;
      const body = this.#body(this.#sent);
      this.#sent += 1;
      receive(socket, () => {
        this.#took.push(performance.now() - from);
        this.#idle.push(socket);
        if (this.#took.length === this.#orders.requests) this.#done();
        else this.#send();
      });
      const { path } = this.#orders;
      socket.write(
        `POST ${path}?timeout=10s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, */*\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nUser-Agent: kube-apiserver-admission\r\n\r\n${body}`,
      );
    }
  }

  #body(index: number): string {
    const { images, tags = 1, seed } = this.#orders;
    const names = images.length * tags;
    const name = seed === undefined ? index % names : this.#next() % names;
    const image = images[name % images.length]!;
    const tag = Math.floor(name / images.length);
    return this.#pods[index % PODS]!.replace(MARK, tags === 1 ? image : image.replace('@', `:v${tag}@`));
  }

  /** Numerical Recipes' generator: the same names in each run. */
  #next(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random >>> 8;
  }

  #connect(): Promise<void> {
    const { port, caFile } = this.#orders;
    return new Promise((resolve, reject) => {
      // An API server speaks HTTP/1.1 alone to its webhooks, so that they share the load (kubernetes/kubernetes#75791).
      const socket = connect({ host: '127.0.0.1', port, ca: readFileSync(caFile), ALPNProtocols: ['http/1.1'] });
      socket.setNoDelay();
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        this.#idle.push(socket);
        resolve();
      });
      socket.once('close', () => fail('a connection was closed'));
    });
  }
}

function receive(socket: TLSSocket, onAnswer: () => void): void {
  let answer = '';
  const read = (chunk: Buffer) => {
    answer += chunk.toString('latin1');
    const headEnd = answer.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(answer)?.[1] ?? Number.NaN);
    const isWhole = Number.isNaN(length) ? answer.endsWith('\r\n0\r\n\r\n') : answer.length >= headEnd + 4 + length;
    if (!isWhole) return;
    socket.off('data', read);
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes('"allowed":true')) fail(answer);
    onAnswer();
  };
  socket.on('data', read);
}

function fail(why: string): never {
  console.error(why);
  process.exit(1);
}

if (import.meta.main) {
  const result = await new Load(JSON.parse(process.argv[2]!) as LoadOrders).run();
  console.log(JSON.stringify(result));
  process.exit(0);
}
