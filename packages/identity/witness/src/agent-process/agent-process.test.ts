import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AgentCommand, runAgentCommand, type Terminal } from './agent-process.ts';

let signals: EventEmitter;
beforeEach(() => {
  signals = new EventEmitter();
});
// Whatever the end was, this process is as it was before.
afterEach(() => expect(signals.eventNames()).toEqual([]));

const env = { PATH: process.env['PATH'] };

function run(command: string, args: readonly string[], more: Partial<AgentCommand> & { terminal?: Terminal } = {}) {
  const { terminal, ...rest } = more;
  return runAgentCommand({ command, args, env, ...rest }, { signals, terminal });
}

/** Runs a shell script that says with `ready` when it can be sent something; `$1` is a file for what it has to say. */
function running(script: string, more: Parameters<typeof run>[2] = {}) {
  const folder = temporaryFolder(onTestFinished);
  const [ready, said] = [join(folder, 'ready'), join(folder, 'said')];
  const ended = run('sh', ['-c', `ready() { : >"${ready}"; }; ${script}`, 'sh', said], more);
  return {
    ended,
    // Vitest's own poll would move the clock where it is a fake one.
    isReady: async () => {
      while (!existsSync(ready)) await new Promise((resolve) => setImmediate(resolve));
    },
    said: () => (existsSync(said) ? readFileSync(said, 'utf8') : ''),
  };
}

describe('a command that ends by itself', () => {
  it.each([0, 7, 255])('with %i has this exit code', async (code) => {
    expect(await run('sh', ['-c', `exit ${code}`])).toEqual({
      outcome: { reason: 'exited', exitCode: code },
      exitCode: code,
    });
  });

  it.each([
    ['exit 8', { reason: 'interrupted', exitCode: 8 }],
    ['kill -HUP $$', { reason: 'interrupted', signal: 'SIGHUP' }],
    ['exit 0', { reason: 'exited', exitCode: 0 }],
  ])('as its terminal was closed, before a signal says so: %s', async (script, outcome) => {
    expect(await run('sh', ['-c', script], { terminal: { isThere: () => false } })).toMatchObject({ outcome });
  });

  it.each([
    ['SIGKILL', 137],
    ['SIGTERM', 143],
    ['SIGSEGV', 139],
  ])('by %s has the exit code %i', async (signal, exitCode) => {
    expect(await run('sh', ['-c', `kill -${signal.slice(3)} $$`])).toEqual({
      outcome: { reason: 'signalled', signal },
      exitCode,
    });
  });

  it('is given arguments and standard input byte for byte', async () => {
    const folder = temporaryFolder(onTestFinished);
    const words = ['', ' a  b ', '"$HOME"', '*', 'ü\n', '--'];
    const input = new Uint8Array([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80]);
    const script = 'printf "%s|" "$@" >args; cat >input';
    await run('sh', ['-c', `cd "${folder}"; ${script}`, 'sh', ...words], { input });
    expect(readFileSync(join(folder, 'args'), 'utf8')).toBe(words.map((word) => `${word}|`).join(''));
    expect(readFileSync(join(folder, 'input')).equals(input)).toBe(true);
  });

  it('may leave its input unread, and to a process behind it', async () => {
    const input = new Uint8Array(4 * 1024 * 1024);
    const behind = running('exec 3<&0; sleep 20 <&3 & echo $! >"$1"; exit 3', { input });
    expect(await behind.ended).toMatchObject({ exitCode: 3 });
    process.kill(Number(behind.said()), 'SIGKILL');
  });
});

it('a command that a key ended before this process heard of the key is cut short', async () => {
  const command = running('echo $$ >"$1"; ready; exit 8', { terminal: { isThere: () => true } });
  await command.isReady();
  const isOver = () => {
    try {
      return !process.kill(Number(command.said()), 0);
    } catch {
      return true;
    }
  };
  while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
  signals.emit('SIGINT');
  expect(await command.ended).toEqual({ outcome: { reason: 'interrupted', exitCode: 8 }, exitCode: 8 });
});

describe('a command that cannot be started', () => {
  it.each([
    ['that is not there', 'no-such-command', 127, 'ENOENT'],
    ['at a path that is not there', 'FOLDER/nothing', 127, 'ENOENT'],
    ['that is no program', 'FOLDER/text', 126, 'EACCES'],
    ['that is a folder', 'FOLDER', 126, 'EACCES'],
    ['below a file', 'FOLDER/text/below', 126, 'ENOTDIR'],
    ['that links to itself', 'FOLDER/loop', 126, 'ELOOP'],
    ['without a name', '', 126, 'ERR_INVALID_ARG_VALUE'],
  ])('since it is one %s is told as a shell does', async (_name, path, exitCode, code) => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'text'), 'text');
    symlinkSync('loop', join(folder, 'loop'));
    const ended = await run(path.replace('FOLDER', folder), []);
    expect(ended).toMatchObject({ outcome: { reason: 'not-started' }, exitCode, cause: { code } });
  });

  it('since its line is too long is told too', async () => {
    const ended = await run('true', ['x'.repeat(16 * 1024 * 1024)]);
    expect(ended).toMatchObject({ outcome: { reason: 'not-started' }, exitCode: 126, cause: { code: 'E2BIG' } });
  });

  it('takes no input and no time', async () => {
    const more = { input: new Uint8Array(1024 * 1024), timeoutMs: 600_000 };
    expect(await run('no-such-command', [], more)).toMatchObject({ exitCode: 127 });
  });
});

describe('a signal to this process', () => {
  // The shell lists what it gets; `wait` ends with each signal that has a trap.
  const listing = (ending: string) =>
    `for name in INT TERM HUP QUIT; do trap "echo $name >>\\"$1\\"; ${ending}" $name; done; ready; while :; do sleep 0.05; done`;

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])('%s is handed on where no terminal does it', async (signal) => {
    const command = running(listing('exit 7'));
    await command.isReady();
    signals.emit(signal);
    expect(await command.ended).toEqual({ outcome: { reason: 'interrupted', exitCode: 7 }, exitCode: 7 });
    expect(command.said()).toBe(`${signal.slice(3)}\n`);
  });

  it('is not handed on twice where a terminal sends it to the command too', async () => {
    const command = running(listing('[ $name = TERM ] && exit 7'), { terminal: { isThere: () => true } });
    await command.isReady();
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM']) signals.emit(signal);
    expect(await command.ended).toMatchObject({ outcome: { reason: 'interrupted' }, exitCode: 7 });
    expect(command.said()).toBe('TERM\n');
  });

  it('that ends the command is told as its end', async () => {
    const command = running('ready; exec sleep 30');
    await command.isReady();
    signals.emit('SIGINT');
    expect(await command.ended).toEqual({ outcome: { reason: 'interrupted', signal: 'SIGINT' }, exitCode: 130 });
  });

  it('after which the command ends well is no interruption', async () => {
    const command = running(listing('exit 0'));
    await command.isReady();
    signals.emit('SIGINT');
    expect(await command.ended).toEqual({ outcome: { reason: 'exited', exitCode: 0 }, exitCode: 0 });
  });
});

describe('a command with a time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(globalThis, 'setTimeout');
    vi.spyOn(globalThis, 'clearTimeout');
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });
  });

  /** How long each timer of the command was to take, and whether it was cleared; other files of this process have some too. */
  const timers = () => {
    const cleared = new Set(vi.mocked(clearTimeout).mock.calls.map(([timer]) => timer));
    const { calls, results } = vi.mocked(setTimeout).mock;
    return calls
      .map(([, ms], index) => [ms, cleared.has(results[index]?.value) ? 'cleared' : 'left'])
      .filter(([ms]) => ms === 5_000 || ms === 10_000);
  };

  it('that is over is ended', async () => {
    const command = running('ready; exec sleep 30', { timeoutMs: 5_000 });
    await command.isReady();
    vi.advanceTimersByTime(5_000);
    expect(await command.ended).toEqual({ outcome: { reason: 'timed-out', signal: 'SIGTERM' }, exitCode: 124 });
  });

  it('may put things in order, and is timed out all the same', async () => {
    const command = running("trap 'exit 0' TERM; ready; while :; do sleep 0.05; done", { timeoutMs: 5_000 });
    await command.isReady();
    vi.advanceTimersByTime(5_000);
    expect(await command.ended).toEqual({ outcome: { reason: 'timed-out', exitCode: 0 }, exitCode: 124 });
    expect(timers()).toEqual([
      [5_000, 'cleared'],
      [10_000, 'cleared'],
    ]);
  });

  it('that it does not keep is killed after ten seconds more', async () => {
    const command = running("trap '' TERM; ready; exec sleep 30", { timeoutMs: 5_000 });
    await command.isReady();
    vi.advanceTimersByTime(14_999);
    expect(timers()).toContainEqual([10_000, 'left']);
    vi.advanceTimersByTime(1);
    expect(await command.ended).toEqual({ outcome: { reason: 'timed-out', signal: 'SIGKILL' }, exitCode: 124 });
  });

  it('that it keeps has no effect', async () => {
    expect(await run('true', [], { timeoutMs: 5_000 })).toMatchObject({ outcome: { reason: 'exited' }, exitCode: 0 });
    expect(timers()).toEqual([[5_000, 'cleared']]);
  });
});

it('a time limit that no timer can hold is a long one', async () => {
  expect(await run('sleep', ['0.05'], { timeoutMs: 9_999_999_000 })).toMatchObject({ outcome: { reason: 'exited' } });
});
