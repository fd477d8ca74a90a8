import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Who answers the token requests. */
export type ServerKind = 'floor' | 'colophon' | 'oidc-provider';
export type Algorithm = 'RS256' | 'ES256';
export type Memory = { readonly rssBytes: number; readonly heapBytes: number };

/** One server in a process of its own, and the request that makes it sign a token. */
export class Contender {
  readonly kind: ServerKind;
  readonly alg: Algorithm;
  readonly #process: ChildProcess;
  #port = 0;

  constructor(kind: ServerKind, alg: Algorithm) {
    this.kind = kind;
    this.alg = alg;
    this.#process = fork(join(import.meta.dirname, 'server.ts'), [kind, alg], { execArgv: ['--expose-gc'] });
  }

  get port(): number {
    return this.#port;
  }

  async ready(): Promise<void> {
    const [message] = (await once(this.#process, 'message')) as [{ port: number }];
    this.#port = message.port;
  }

  /** CPU that the process has used so far, all background work of the tokens made until now included. */
  cpuMicros(): Promise<number> {
    return this.#ask('cpu');
  }

  /** What is left after a full garbage collection. */
  memory(): Promise<Memory> {
    return this.#ask('memory');
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.send('stop');
    await exit;
  }

  async #ask<Answer>(question: string): Promise<Answer> {
    this.#process.send(question);
    const [answer] = (await once(this.#process, 'message')) as [{ answer: Answer }];
    return answer.answer;
  }
}
