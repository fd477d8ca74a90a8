import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GitRepository,
  gitRepository,
  type ModelProvider,
  startModelProvider,
  temporaryFolder,
} from '@colophon/testkit';
import { onTestFinished } from 'vitest';

export const BIN = join(import.meta.dirname, '../bin/colophon.js');

/** A process and what it said, byte for byte. */
export type Running = {
  readonly child: ChildProcess;
  readonly stdout: () => Buffer;
  readonly stderr: () => string;
  readonly ended: Promise<[exitCode: number | null, signal: NodeJS.Signals | null]>;
};

/** Starts a program in a process group of its own; whatever is left of it is killed after the test. */
export function startProgram(file: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const child = spawn(file, args, { detached: true, ...options });
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nothing is left of it, as it should be.
    }
  });
  const said = { stdout: [] as Buffer[], stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => said.stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  child.stdin?.on('error', () => {});
  return {
    child,
    stdout: () => Buffer.concat(said.stdout),
    stderr: () => said.stderr,
    ended: once(child, 'close') as Running['ended'],
  };
}

/** Resolves with what is found once it is there. */
export async function found<Value>(look: () => Value | undefined | null | false): Promise<Value> {
  const deadline = performance.now() + 100_000;
  for (;;) {
    const value = look();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`not found: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Words as a shell reads them. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

export const PROMPT = 'Fix the failing test.\n';

/** A request of an agent to a model. */
export type Asked = {
  readonly api?: 'anthropic' | 'openai';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
};

const AGENT = `
for (const { api = 'anthropic', path = '/v1/messages', headers = {}, body } of JSON.parse(process.argv[1])) {
  const base = process.env[api === 'anthropic' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL'];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(base + path, { method: 'POST', headers, body: text });
  await answer.text();
}`;

/** A request of one message, to a model called `opus`. */
export const MESSAGE: Asked = {
  body: { model: 'opus', max_tokens: 100, messages: [{ role: 'user', content: PROMPT.trim() }] },
};

/** A command that asks models, in turn. */
export function asking(...requests: readonly Asked[]): string[] {
  return [process.execPath, '--input-type=module', '-e', AGENT, JSON.stringify(requests)];
}

/** What a run left. */
export type Observed = {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in them
  readonly receipt: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in them
  readonly predicate: any;
};

export type RunScene = {
  /** Where the command runs. */
  readonly folder: string;
  /** Makes it a git repository with one commit. */
  withRepository(): GitRepository;
  readonly provider: ModelProvider;
  readonly env: NodeJS.ProcessEnv;
  /** Path of a file beside the folder. */
  path(name: string): string;
  /** Writes a file beside the folder; answers with its path. */
  file(name: string, content: string | Uint8Array | object): string;
  /** Starts `colophon run`, which writes its receipt to `receipt.json` beside the folder, if nothing else is said. */
  start(flags: readonly string[], command: readonly string[], options?: SpawnOptions): Running;
  /** The same until it ends, with `input` on its standard input. */
  run(
    flags: readonly string[],
    command: readonly string[],
    options?: SpawnOptions & { readonly input?: string | Uint8Array },
  ): Promise<Observed>;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  receipt(): any;
};

/** A provider, a user's folders and a folder to run in, which `withRepository` makes a repository with one commit. */
export async function runScene(env: NodeJS.ProcessEnv = {}): Promise<RunScene> {
  const above = temporaryFolder(onTestFinished);
  const folder = join(above, 'work');
  mkdirSync(folder);
  const provider = await startModelProvider(onTestFinished, [{ model: 'opus-1' }]);
  const own = {
    PATH: process.env['PATH'],
    HOME: above,
    COLOPHON_HOME: join(above, 'data'),
    ANTHROPIC_BASE_URL: provider.url,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...env,
  };
  const path = (name: string) => join(above, name);
  const file = (name: string, content: string | Uint8Array | object) => {
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(path(name), isText ? content : JSON.stringify(content));
    return path(name);
  };
  const policy = file('policy.md', 'Be careful.\n');
  const start: RunScene['start'] = (flags, command, { env: more, ...options } = {}) => {
    const line = ['run', '--agent', 'code-writer', '--policy-pack', policy];
    if (!flags.includes('--receipt-out')) line.push('--receipt-out', path('receipt.json'));
    return startProgram(process.execPath, [BIN, ...line, ...flags, '--', ...command], {
      cwd: folder,
      ...options,
      env: { ...own, ...more },
    });
  };
  const receipt = () => (existsSync(path('receipt.json')) ? receiptIn(path('receipt.json')) : undefined);
  return {
    folder,
    withRepository: () => {
      const repository = gitRepository(() => {}, folder);
      repository.commit('first', { 'a.txt': '1\n2\n' });
      return repository;
    },
    provider,
    env: own,
    path,
    file,
    start,
    receipt,
    run: async (flags, command, { input = '', ...options } = {}) => {
      const running = start(flags, command, options);
      running.child.stdin?.end(input);
      const [exitCode] = await running.ended;
      const out = flags[flags.indexOf('--predicate-out') + 1];
      const hasPredicate = flags.includes('--predicate-out') && existsSync(out ?? '');
      return {
        exitCode,
        stdout: running.stdout().toString(),
        stderr: running.stderr(),
        receipt: receipt(),
        predicate: hasPredicate ? JSON.parse(readFileSync(out!, 'utf8')) : undefined,
      };
    },
  };
}

/** The predicate of a signed receipt. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
export function receiptIn(file: string): any {
  const { payload } = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.parse(Buffer.from(payload, 'base64').toString()).predicate;
}
