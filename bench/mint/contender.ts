import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuMicrosOf, residentBytesOf } from '../measure/running-process.ts';
import { makeScratchFolder } from '../measure/scratch-folder.ts';
import { Program, type ProgramKind } from './program.ts';

/** Who answers the token requests. */
export type ServerKind = 'floor' | 'oidc-provider' | ProgramKind;
export type Algorithm = 'RS256' | 'ES256';

/** What a load generator needs to be let in. */
export type Credential = {
  readonly bearer?: string;
  /** Signs tokens by itself; `isOnce`: one for each request. */
  readonly caller?: { readonly privateKey: string; readonly audience: string; readonly isOnce: boolean };
};

/** Rows are under a checkpoint by then, and whatever else a token leaves to do is done. */
const SETTLED_MS = 1_200;
const START_MS = 60_000;

/** One server in a process of its own, and the requests that make it sign tokens. */
export class Contender {
  readonly kind: ServerKind;
  readonly alg: Algorithm;
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #port: number;

  private constructor(
    kind: ServerKind,
    alg: Algorithm,
    started: { folder: string; process: ChildProcess; port: number },
  ) {
    this.kind = kind;
    this.alg = alg;
    this.#folder = started.folder;
    this.#process = started.process;
    this.#port = started.port;
  }

  /** Starts it, and answers once it can be asked. */
  static async start(kind: ServerKind, alg: Algorithm): Promise<Contender> {
    const folder = makeScratchFolder(`mint-${alg}`);
    const port = await freePort();
    const isOther = kind === 'floor' || kind === 'oidc-provider';
    const program = isOther ? undefined : new Program(kind, { folder, port });
    const script = join(import.meta.dirname, 'server.ts');
    const child =
      program?.start(alg) ?? spawn(process.execPath, [script, kind, alg, String(port)], { stdio: ['ignore', 2, 2] });
    const contender = new Contender(kind, alg, { folder, process: child, port });
    await contender.#answers();
    writeFileSync(contender.#credentialFile, JSON.stringify(program?.credential() ?? {}));
    return contender;
  }

  /** CPU of the process, all background work of these tokens included, microseconds a token. */
  async cpuMicrosPerToken(tokens: number, connections: number): Promise<number> {
    const before = cpuMicrosOf(this.#process.pid!);
    await this.load(tokens, connections);
    await wait(SETTLED_MS);
    return (cpuMicrosOf(this.#process.pid!) - before) / tokens;
  }

  /** Has so many tokens made. */
  async load(tokens: number, connections: number): Promise<void> {
    const words = [String(this.#port), this.kind, String(tokens), String(connections), this.#credentialFile];
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'load.ts'), ...words]);
  }

  get residentBytes(): number {
    return residentBytesOf(this.#process.pid!);
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exit;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #credentialFile(): string {
    return join(this.#folder, 'credential.json');
  }

  async #answers(): Promise<void> {
    const end = Date.now() + START_MS;
    while (Date.now() < end && this.#process.exitCode === null) {
      if (await fetch(`http://127.0.0.1:${this.#port}/`).catch(() => undefined)) return;
      await wait(50);
    }
    throw new Error(`${this.kind} did not start: ${readFileSync(join(this.#folder, 'log'), 'utf8')}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
