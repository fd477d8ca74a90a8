import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, openSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { startServer } from '@colophon/server';
import { startPeer, temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SAME_PRESS_MS } from '../src/interrupts/interrupts.ts';

// The program as a process of its own, where signals, pipes and other versions of Node matter.
const BIN = join(import.meta.dirname, '../bin/colophon.js');
const OLD_NODES = ['/usr/bin/node', '/usr/local/bin/node'].filter((node) => {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return stdout !== undefined && stdout !== null && Number(/^v(\d+)/.exec(stdout)?.[1]) < 24;
});

type Running = ChildProcess & { readonly said: () => string; readonly ended: Promise<[number | null, string | null]> };

/** Starts the program in a process group of its own, as a shell does; whatever is left of it is killed after the test. */
function start(
  args: readonly string[],
  { node = process.execPath, ...options }: SpawnOptions & { node?: string } = {},
): Running {
  const folder = temporaryFolder(onTestFinished);
  const env = { PATH: process.env['PATH'], HOME: folder, COLOPHON_HOME: join(folder, 'data') };
  const child = spawn(node, [BIN, ...args], { detached: true, ...options, env: { ...env, ...options.env } });
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nothing is left of it, as it should be.
    }
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  return Object.assign(child, { said: () => said, ended });
}

/** Resolves once the program has said it. */
async function heard(program: Running, what: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = what.exec(program.said());
    if (found !== null) return found;
    if (program.exitCode !== null) throw new Error(`it ended with ${program.exitCode}: ${program.said()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const isGroupGone = (program: Running) => {
  try {
    process.kill(-program.pid!, 0);
    return false;
  } catch {
    return true;
  }
};

describe('colophon up', () => {
  async function up(options: Parameters<typeof start>[1] = {}) {
    const folder = temporaryFolder(onTestFinished);
    const env = { HOME: folder, COLOPHON_HOME: join(folder, 'data') };
    const program = start(['up', '--port', '0'], { ...options, env });
    const [, url = ''] = await heard(program, /issuer\s+(http:\/\/localhost:\d+)/);
    await heard(program, /Ctrl-C/);
    return { program, url, env };
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends it with 0, and its folder can be served again',
    async (signal) => {
      const { program, url, env } = await up();
      // An idle connection, and one on which half a request was sent, do not keep it.
      const { port } = new URL(url);
      const idle = connect(Number(port), '127.0.0.1');
      const half = request(`${url}/oauth/token`, { method: 'POST', headers: { 'content-length': '10' } });
      for (const socket of [idle, half]) socket.on('error', () => {});
      half.write('{');
      program.kill(signal);
      expect(await program.ended).toEqual([0, null]);
      expect(isGroupGone(program)).toBe(true);
      // What was under way when it ended may be told after it.
      expect(program.said()).toMatch(/\nstopping\n/);
      const server = await startServer({
        dataDir: env.COLOPHON_HOME,
        reviewerSecretFile: join(env.HOME, '.config', 'colophon', 'reviewer-secret'),
      });
      expect(server.url).toBe(url);
      await server.close();
    },
  );

  test('an interrupt that is relayed twice, as npm does, is one', async () => {
    const { program } = await up();
    program.kill('SIGINT');
    program.kill('SIGINT');
    expect(await program.ended).toEqual([0, null]);
  });

  // The second one has to come before the server has let go of the request, a second later: a busy machine may miss that.
  test('a second interrupt ends it hard', { retry: 2 }, async () => {
    const { program, url } = await up();
    const headers = { 'content-length': '10', expect: '100-continue' };
    const held = request(`${url}/oauth/token`, { method: 'POST', headers });
    held.on('error', () => {});
    held.flushHeaders();
    // The server has the request, and waits for its body.
    await once(held, 'continue');
    program.kill('SIGINT');
    await heard(program, /stopping/);
    await new Promise((resolve) => setTimeout(resolve, SAME_PRESS_MS + 100));
    program.kill('SIGINT');
    expect(await program.ended).toEqual([130, null]);
  });

  test('names that are placeholders still are told at the start, and names of one’s own are not', async () => {
    const { program } = await up();
    expect(program.said()).toContain('predicate types https://colophon.example/predicates ($COLOPHON_PREDICATE_BASE)');
    expect(program.said()).toContain('claims 2.999.7080.1 ($COLOPHON_CLAIM_ARC)');
    const names = { COLOPHON_PREDICATE_BASE: 'https://acme.example/p', COLOPHON_CLAIM_ARC: '1.3.6.1.4.1.99999.1' };
    const named = start(['up', '--port', '0'], { env: names });
    await heard(named, /Ctrl-C/);
    expect(named.said()).not.toContain('placeholders');
  });

  test('a folder that is served already is told', async () => {
    const { env } = await up();
    const again = start(['up'], { env });
    expect(await again.ended).toEqual([2, null]);
    expect(again.said()).toMatch('error server.data_folder_in_use');
  });

  test('a taken port is told', async () => {
    const { url } = await up();
    const other = start(['up', '--port', new URL(url).port]);
    expect(await other.ended).toEqual([2, null]);
    expect(other.said()).toMatch('error server.port_in_use');
    expect(other.said()).toMatch(/next +colophon up --port 0\n/);
  });

  test('a taken port of a folder that has it is told, and how another folder is started', async () => {
    const { program, env, url } = await up();
    program.kill('SIGINT');
    await program.ended;
    const taking = createServer().listen(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void taking.close());
    await once(taking, 'listening');
    const again = start(['up'], { env });
    expect(await again.ended).toEqual([2, null]);
    expect(again.said()).toMatch('error server.port_in_use');
    expect(again.said()).toMatch(/next +colophon up --data NEW-FOLDER --port 0\n/);
  });

  test('nothing but what is meant for people is said', async () => {
    const { program } = await up({ stdio: ['ignore', 'pipe', 'pipe'] });
    program.kill('SIGINT');
    await program.ended;
    expect(program.said()).not.toMatch(/warning|deprecat/i);
  });
});

describe('colophon demo', () => {
  // At the second step git works, at the ninth the services.
  test.each([
    ['SIGINT', 2],
    ['SIGTERM', 9],
  ] as const)('%s at step %i of it leaves nothing behind', async (signal, step) => {
    const scratch = temporaryFolder(onTestFinished);
    const program = start(['demo'], { env: { TMPDIR: scratch } });
    await heard(program, new RegExp(`^ *${step}  `, 'm'));
    // As a terminal does: to the whole group, git too.
    process.kill(-program.pid!, signal);
    const [exitCode] = await program.ended;
    expect(exitCode).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(readdirSync(scratch)).toEqual([]);
    expect(isGroupGone(program)).toBe(true);
  });

  test('a reader that has seen enough does not keep it from cleaning up', async () => {
    const scratch = temporaryFolder(onTestFinished);
    const program = start(['demo'], { env: { TMPDIR: scratch } });
    await heard(program, /^ *2 {2}/m);
    program.stdout?.destroy();
    // It goes on, two steps later too; how it ends where nobody ends it takes all of its steps to see.
    const isAt = (file: string) => readdirSync(scratch).some((folder) => existsSync(join(scratch, folder, file)));
    await expect.poll(() => isAt('policy-pack.yaml')).toBe(true);
    program.kill('SIGTERM');
    expect(await program.ended).toEqual([143, null]);
    expect(readdirSync(scratch)).toEqual([]);
  });
});

describe('pipes', () => {
  test('a reader that went away is no failure, and hides none', async () => {
    const help = start(['--help']);
    help.stdout?.destroy();
    expect(await help.ended).toEqual([0, null]);
    const failing = start(['env', '--output', 'json']);
    failing.stdout?.destroy();
    failing.stderr?.destroy();
    expect(await failing.ended).toEqual([11, null]);
  });

  test.skipIf(!existsSync('/dev/full'))('a disk that is full behind standard output is told', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const help = start(['--help'], { stdio: ['ignore', full, 'pipe'] });
    expect(await help.ended).toEqual([2, null]);
    expect(help.said()).toMatch(/cli\.internal.*ENOSPC/);
  });

  test('standard input is read for -', async () => {
    const hash = start(['hash', 'prompt', '-']);
    hash.stdin?.end('do it');
    await hash.ended;
    expect(hash.said()).toMatch(/^sha256:[0-9a-f]{64}\n$/);
  });

  test('a command that waits for a peer ends on the first interrupt', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const stalled = await startPeer(onTestFinished, () => resolve());
    const program = start(['query', '--evidence-url', stalled.url, 'runs']);
    await asked;
    program.kill('SIGINT');
    expect(await program.ended).toEqual([null, 'SIGINT']);
  });
});

describe.skipIf(OLD_NODES.length === 0)('on an older Node', () => {
  const node = OLD_NODES[0] ?? '';

  test('the one that was brought along runs it, with its exit codes', async () => {
    const version = start(['--version'], { node });
    expect(await version.ended).toEqual([0, null]);
    expect(version.said()).toBe('0.1.0\n');
    const missing = start(['env'], { node });
    expect(await missing.ended).toEqual([11, null]);
    expect(missing.said()).toMatch('cli.no_issuer');
  });

  test.each(['to it alone', 'to the whole group'])('an interrupt %s ends both', async (whom) => {
    const program = start(['up', '--port', '0'], { node });
    await heard(program, /Ctrl-C/);
    process.kill(whom === 'to it alone' ? program.pid! : -program.pid!, 'SIGINT');
    expect(await program.ended).toEqual([0, null]);
    expect(isGroupGone(program)).toBe(true);
  });

  test('input and output go through', async () => {
    const hash = start(['hash', 'prompt', '-'], { node });
    hash.stdin?.end('do it');
    await hash.ended;
    expect(hash.said()).toMatch(/^sha256:[0-9a-f]{64}\n$/);
  });
});

test('where no newer Node was brought along, the older one says what is needed', async ({ skip }) => {
  if (OLD_NODES.length === 0) return skip('no older Node on this machine');
  const folder = temporaryFolder(onTestFinished);

  cpSync(BIN, join(folder, 'packages', 'cli', 'bin', 'colophon.mjs'));
  const { status, stderr } = spawnSync(
    OLD_NODES[0]!,
    [join(folder, 'packages', 'cli', 'bin', 'colophon.mjs'), '--version'],
    {
      encoding: 'utf8',
    },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/needs Node\.js 24\.15 or newer, and this is v?\d+/);
});
