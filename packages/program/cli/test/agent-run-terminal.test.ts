import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BIN, found, quoted, type Running, type RunScene, runScene, startProgram } from './agent-run.ts';

// `script` gives the program a terminal, and what is written to its standard input are the keys.
const hasScript = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
const NO_SCRIPT = 'no util-linux script: apt-get install bsdutils';

/** As `ps` has it: T is stopped, Z has ended; undefined where there is no such process. */
function stateOf(pid: string): string | undefined {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? /^State:\s+(\S)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
}

type Terminal = Running & {
  /** Types keys. */
  type(keys: string | Uint8Array): void;
  /** What the terminal shows, once it shows this. */
  shows(what: RegExp): Promise<RegExpExecArray>;
};

/** Starts a command line of a shell in a terminal of its own. */
function inTerminal({ env, folder }: RunScene, line: string): Terminal {
  const running = startProgram('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color', PS1: 'shell> ' },
  });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return {
    ...running,
    type: (keys) => running.child.stdin?.write(keys),
    shows: (what) => found(() => what.exec(running.stdout().toString('latin1'))),
  };
}

/** The line that runs a command, observed; its receipt is that of the scene. */
function observed({ path, file }: RunScene, command: readonly string[], flags: readonly string[] = []): string {
  const own = [
    '--agent',
    'code-writer',
    '--policy-pack',
    file('policy.md', 'p'),
    '--receipt-out',
    path('receipt.json'),
  ];
  return quoted([process.execPath, BIN, 'run', ...own, ...flags, '--', ...command]);
}

describe.skipIf(!hasScript)(`in a terminal${hasScript ? '' : ` (skipped: ${NO_SCRIPT})`}`, () => {
  test('the command has it: all three streams, its size, and a size that changes', async () => {
    const scene = await runScene();
    const script = `
      const { stdin, stdout, stderr } = process;
      console.log(['tty', stdin.isTTY, stdout.isTTY, stderr.isTTY, stdout.hasColors()].join(' '));
      stdout.on('resize', () => console.log(['size', stdout.columns, stdout.rows].join(' ')));
      process.on('SIGINT', () => process.exit());
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const line = observed(scene, [process.execPath, '-e', script]);
    const terminal = inTerminal(scene, `trap : INT; stty cols 91 rows 17; tty; stty size; ${line}; stty size`);
    const [, tty = ''] = await terminal.shows(/(\/dev\/\S+)\r\n17 91\r\n/);
    await terminal.shows(/tty true true true true\r\nready\r\n/);
    spawnSync('stty', ['-F', tty, 'cols', '120', 'rows', '33']);
    await terminal.shows(/size 120 33\r\n/);
    terminal.type('\x03');
    await terminal.shows(/33 120\r\n$/);
    expect(await terminal.ended).toEqual([0, null]);
  });

  test('colours and every byte of the command pass, and the program is as it is elsewhere', async () => {
    const scene = await runScene();
    const line = observed(scene, ['printf', '\\033[31mred\\033[0m \\377\\001']);
    const terminal = inTerminal(scene, line);
    expect(await terminal.ended).toEqual([0, null]);
    const shown = terminal.stdout().toString('latin1');
    expect(shown.startsWith('\x1b[31mred\x1b[0m \xff\x01')).toBe(true);
    // No model answered, which is told in yellow.
    expect(shown).toContain('\x1b[33mcolophon: run ');
  });

  test('keys reach a command that reads them raw, Ctrl-C and Ctrl-Z too, and the terminal is put back', async () => {
    const scene = await runScene();
    const keys = Buffer.from([0x03, 0x1a, 0x04, 0x1b, 0x5b, 0x41, 0x0d, 0x0a, 0x00, 0x7f, 0xc3, 0xbc, 0xff, 0x1c]);
    const script = `
      process.stdin.setRawMode(true);
      let got = Buffer.alloc(0);
      process.stdin.on('data', (chunk) => {
        got = Buffer.concat([got, chunk]);
        if (got.length < ${keys.length}) return;
        console.log('got ' + got.toString('hex'));
        process.kill(process.pid, 'SIGKILL');
      });
      console.log('ready');`;
    const line = observed(scene, [process.execPath, '-e', script]);
    const terminal = inTerminal(
      scene,
      `before=$(stty -g); ${line}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo same`,
    );
    await terminal.shows(/ready/);
    terminal.type(keys);
    await terminal.shows(new RegExp(`got ${keys.toString('hex')}`));
    // A command that is killed leaves the terminal raw; the program puts it back.
    await terminal.shows(/code 137\r?\n.*same/s);
    expect(scene.receipt().outcome).toEqual({ reason: 'signalled', signal: 'SIGKILL' });
  });

  test('Ctrl-C reaches the command once, and run waits for it', async () => {
    const scene = await runScene();
    const script = `
      let times = 0;
      process.on('SIGINT', () => {
        times += 1;
        console.log('interrupts ' + times);
        if (times === 2) setTimeout(() => process.exit(5), 200);
      });
      console.log('ready');
      setInterval(() => {}, 1000);`;
    const terminal = inTerminal(scene, `trap : INT; ${observed(scene, [process.execPath, '-e', script])}`);
    await terminal.shows(/ready/);
    terminal.type('\x03');
    await terminal.shows(/interrupts 1/);
    // Another one would be there by now.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(terminal.stdout().toString()).not.toContain('interrupts 2');
    terminal.type('\x03');
    expect(await terminal.ended).toEqual([5, null]);
    expect(terminal.stdout().toString()).not.toContain('interrupts 3');
    expect(scene.receipt().outcome).toEqual({ reason: 'interrupted', exit_code: 5 });
  });

  test('a command that Ctrl-C ends is recorded as interrupted', async () => {
    const scene = await runScene();
    const terminal = inTerminal(scene, `trap : INT; ${observed(scene, ['sh', '-c', 'echo ready; exec sleep 30'])}`);
    await terminal.shows(/ready/);
    terminal.type('\x03');
    expect(await terminal.ended).toEqual([130, null]);
    expect(scene.receipt().outcome).toEqual({ reason: 'interrupted', signal: 'SIGINT' });
  });

  test('Ctrl-\\ is the command’s, and SIGTERM to run alone is handed on', async () => {
    const scene = await runScene();
    const script = `trap 'echo quit' QUIT; trap 'echo term; exit 4' TERM; echo "ready $PPID"; while :; do sleep 0.05; done`;
    const terminal = inTerminal(scene, `trap : QUIT; ${observed(scene, ['sh', '-c', script])}`);
    const [, pid] = await terminal.shows(/ready (\d+)\r/);
    terminal.type('\x1c');
    await terminal.shows(/quit/);
    process.kill(Number(pid), 'SIGTERM');
    expect(await terminal.ended).toEqual([4, null]);
    expect(
      terminal
        .stdout()
        .toString()
        .match(/quit\r/g),
    ).toHaveLength(1);
    expect(scene.receipt().outcome).toEqual({ reason: 'interrupted', exit_code: 4 });
  });

  test('Ctrl-Z stops both, and fg lets both go on', async () => {
    const scene = await runScene();
    const command = ['sh', '-c', 'echo "ready $PPID $$"; read word; echo "read $word"; exit 6'];
    const terminal = inTerminal(scene, 'sh -i');
    await terminal.shows(/shell> $/);
    terminal.type(`${observed(scene, command)}\n`);
    const [, ...pids] = await terminal.shows(/ready (\d+) (\d+)\r/);
    terminal.type('\x1a');
    await found(() => pids.every((pid) => stateOf(pid) === 'T'));
    await terminal.shows(/ready[\s\S]*shell> $/);
    terminal.type('fg\n');
    await found(() => pids.every((pid) => stateOf(pid) !== 'T'));
    terminal.type('on\n');
    await terminal.shows(/read on[\s\S]*shell> $/);
    terminal.type('exit $?\n');
    expect(await terminal.ended).toEqual([6, null]);
    expect(scene.receipt().outcome).toEqual({ reason: 'exited', exit_code: 6 });
  });

  test('a terminal that is closed ends the command, and the receipt is there', async () => {
    const scene = await runScene();
    scene.withRepository();
    const script = `trap 'exit 8' HUP; echo "ready $PPID"; while :; do sleep 0.05; done`;
    const line = observed(scene, ['sh', '-c', script]);
    const terminal = inTerminal(scene, line);
    const [, pid] = await terminal.shows(/ready (\d+)\r/);
    terminal.child.kill('SIGKILL');
    expect(await found(() => scene.receipt()?.outcome)).toEqual({ reason: 'interrupted', exit_code: 8 });
    // The receipt is there before run has ended, and nobody is left to wait for it.
    await found(() => ['Z', undefined].includes(stateOf(pid!)));
  });

  test('a prompt that is piped in leaves the output on the terminal', async () => {
    const scene = await runScene();
    const line = observed(scene, ['sh', '-c', '[ -t 1 ] && [ ! -t 0 ] && cat'], ['--prompt', '-']);
    const terminal = inTerminal(scene, `printf 'do it' | ${line}`);
    expect(await terminal.ended).toEqual([0, null]);
    expect(terminal.stdout().toString()).toMatch(/^do it/);
  });
});
