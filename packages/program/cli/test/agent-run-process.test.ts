import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillDisk, smallDisk, temporaryFolder } from '@colophon/testkit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { asking, BIN, found, MESSAGE, quoted, runScene, startProgram } from './agent-run.ts';
import { documentOf, runLine } from './command-line.ts';

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the end of the command', () => {
  test.each([
    ['exit 255', 255, { reason: 'exited', exit_code: 255 }],
    ['kill -KILL $$', 137, { reason: 'signalled', signal: 'SIGKILL' }],
  ])('%s is that of run, and stands in the receipt', async (script, exitCode, outcome) => {
    const { run } = await runScene();
    const ran = await run([], ['sh', '-c', script]);
    expect([ran.exitCode, ran.receipt.outcome]).toEqual([exitCode, outcome]);
  });

  test.each([
    ['no-such-command', 127],
    ['./a.txt/below', 126],
  ])('of %s, which cannot be started, is %i, and stands in the receipt', async (command, exitCode) => {
    const { run, folder } = await runScene();
    writeFileSync(join(folder, 'a.txt'), 'no program');
    const ran = await run(['--prompt', '-'], [command], { input: 'x'.repeat(1024 * 1024) });
    expect([ran.exitCode, ran.receipt.outcome]).toEqual([exitCode, { reason: 'not-started' }]);
    expect(ran.stderr).toMatch(/error cli\.command_not_started: .*\n {2}checked {2}\S+\n$/);
  });

  test('after its time is 124', async () => {
    const { run } = await runScene();
    const ran = await run(['--timeout', '1'], ['sleep', '30']);
    expect([ran.exitCode, ran.receipt.outcome]).toEqual([124, { reason: 'timed-out', signal: 'SIGTERM' }]);
  });

  test('comes when it wants, whatever is sent to run alone: each signal reaches it, once', async () => {
    const { start, receipt } = await runScene();
    const script = `
      for name in HUP TERM INT; do trap "echo got $name" $name; done
      trap 'exit 9' QUIT
      echo "ready $PPID $$"
      while :; do sleep 0.05; done`;
    const running = start([], ['sh', '-c', script]);
    const says = (what: RegExp) => found(() => what.exec(running.stdout().toString()));
    const [, ...pids] = await says(/ready (\d+) (\d+)\n/);
    expect(Number(pids[0])).toBe(running.child.pid);
    for (const name of ['HUP', 'TERM', 'INT']) {
      running.child.kill(`SIG${name}` as NodeJS.Signals);
      await says(new RegExp(`got ${name}\n`));
    }
    running.child.kill('SIGQUIT');
    expect(await running.ended).toEqual([9, null]);
    expect(running.stdout().toString()).toMatch(/^ready .*\ngot HUP\ngot TERM\ngot INT\n$/);
    expect(receipt().outcome).toEqual({ reason: 'interrupted', exit_code: 9 });
    // Neither of them is left, not even as a zombie.
    expect(pids.map(Number).filter(isAlive)).toEqual([]);
  });
});

describe('what would hold the program', () => {
  // The background process has standard output and error, and a connection on which nothing more comes.
  test('a connection that stays open, and a process behind the command, do not', async () => {
    const { run, file } = await runScene();
    const keep = file(
      'keep.mjs',
      `import { connect } from 'node:net';
       import { writeFileSync } from 'node:fs';
       const { hostname, port } = new URL(process.env.ANTHROPIC_BASE_URL);
       connect(port, hostname, () => writeFileSync(process.argv[2], String(process.pid)));
       setTimeout(() => {}, 60_000);`,
    );
    const script = `"$0" "$1" "$2" >/dev/null 2>&1 & while [ ! -s "$2" ]; do sleep 0.02; done`;
    const pid = file('pid', '');
    const ran = await run([], ['sh', '-c', script, process.execPath, keep, pid]);
    expect([ran.exitCode, ran.receipt.outcome.reason]).toEqual([0, 'exited']);
    expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(true);
  });

  test('an answer that goes on and on is cut, and counts as incomplete', async () => {
    const { run, provider } = await runScene();
    provider.script = [
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const message = { id: 'msg_1', model: 'opus-1', usage: { input_tokens: 3, output_tokens: 1 } };
        response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`);
      },
    ];
    const script = `
      const url = process.env.ANTHROPIC_BASE_URL + '/v1/messages';
      const answer = await fetch(url, { method: 'POST', body: '{"model":"opus","stream":true,"messages":[]}' });
      await answer.body.getReader().read();
      process.exit(0);`;
    const ran = await run([], [process.execPath, '--input-type=module', '-e', script]);
    expect(ran.exitCode).toBe(0);
    expect(ran.receipt.models).toMatchObject([{ served: 'opus-1', answers: 1, incomplete: 1 }]);
  });
});

describe('standard streams', () => {
  test('are those of the command, byte for byte', async () => {
    const { start } = await runScene();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
    const running = start([], ['cat']);
    running.child.stdin?.write(bytes.subarray(0, 1000));
    // A reader of a pipe that a program before it made non-blocking would fail here.
    await found(() => running.stdout().length === 1000);
    running.child.stdin?.end(bytes.subarray(1000));
    expect(await running.ended).toEqual([0, null]);
    expect(running.stdout().equals(bytes)).toBe(true);
  });

  test('hold nothing of run but two lines on standard error', async () => {
    const { run } = await runScene();
    const ran = await run([], ['sh', '-c', 'echo out; echo err >&2']);
    expect(ran.stdout).toBe('out\n');
    expect(ran.stderr).toMatch(/^err\ncolophon: run [0-9a-f-]{36}, .*\nno single model .*\n$/);
  });

  test('have none of run’s with --quiet, whatever the words of the command look like', async () => {
    const words = ['--help', '--timeout', '0', '--output', 'json', '--yes', '--', '--agent', 'b', '--version'];
    const { run } = await runScene();
    const ran = await run(['--quiet', '--yes'], ['echo', ...words]);
    expect([ran.exitCode, ran.stdout, ran.stderr]).toEqual([0, `${words.join(' ')}\n`, '']);
  });

  test.skipIf(!existsSync('/dev/full'))('that cannot be written lose nothing that was observed', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { run, path, withRepository } = await runScene();
    withRepository();
    const ran = await run(['--predicate-out', path('run.json')], asking(MESSAGE), { stdio: ['pipe', 'pipe', full] });
    expect(ran.exitCode).not.toBe(0);
    expect(ran.predicate.witness.run_id).toBe(ran.receipt.run_id);
    const failed = await run([], ['sh', '-c', 'exit 7'], { stdio: ['pipe', 'pipe', full] });
    expect(failed.exitCode).toBe(7);
  });
});

describe('files that are written', () => {
  test('are looked at before the command starts', async () => {
    const folder = temporaryFolder(onTestFinished);
    const policy = join(folder, 'policy');
    writeFileSync(policy, 'policy');
    const line = ['run', '--agent', 'a', '--policy-pack', policy];
    for (const flags of [
      ['--receipt-out', join(folder, 'none', 'r.json')],
      ['--receipt-out', folder],
      ['--predicate-out', join(policy, 'p.json')],
    ]) {
      const ran = await runLine([...line, ...flags, '--', 'touch', join(folder, 'started')], { HOME: folder });
      expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringMatching(/^error cli\.file_unwritable/)]);
    }
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  const disk = smallDisk(1, afterAll);

  test.skipIf(disk === undefined)('on a full disk are told, and what was there stays whole', async () => {
    const { run, withRepository } = await runScene();
    withRepository();
    const predicateOut = join(disk!, 'run.json');
    writeFileSync(predicateOut, '"before"');
    const room = fillDisk(disk!);
    const ran = await run(['--predicate-out', predicateOut], asking(MESSAGE));
    room();
    expect([ran.exitCode, ran.predicate]).toEqual([2, 'before']);
    expect(ran.stderr).toMatch(/^colophon: run [\s\S]*\nerror cli\.file_unwritable/);
    expect(ran.receipt.models).toMatchObject([{ served: 'opus-1' }]);
  });

  test.skipIf(disk === undefined)('on a full disk start nothing, where it is the receipt', async () => {
    const { run, path } = await runScene();
    const room = fillDisk(disk!);
    const ran = await run(['--receipt-out', join(disk!, 'receipt.json')], ['touch', path('started')]);
    room();
    expect([ran.exitCode, existsSync(path('started'))]).toEqual([2, false]);
    expect(ran.stderr).toMatch(/^error cli\.file_unwritable/);
  });

  test('say of a run that was killed that it began, and get one document where they are a pipe', async () => {
    const { start, receipt, env, folder, file } = await runScene();
    const running = start([], ['sh', '-c', 'echo $$; exec sleep 30']);
    await found(() => /\d\n/.test(running.stdout().toString()));
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
    expect(receipt()).toMatchObject({ agent: { name: 'code-writer' }, models: [] });
    expect(Object.keys(receipt())).not.toContain('ended_at');
    const own = ['--agent', 'a', '--policy-pack', file('policy', 'p'), '--receipt-out', '/dev/stdout'];
    const line = quoted([process.execPath, BIN, 'run', ...own, '--', 'true']);
    const piped = startProgram('sh', ['-c', `${line} | cat`], { cwd: folder, env });
    expect(await piped.ended).toEqual([0, null]);
    expect(JSON.parse(piped.stdout().toString()).signatures).toHaveLength(1);
  });

  test('are whole of two runs at once in one folder', async () => {
    const { start, path, folder, withRepository } = await runScene();
    withRepository();
    const both = ['one', 'two'].map((name) => {
      const flags = ['--predicate-out', path(`${name}.json`)];
      return start(flags, asking(MESSAGE), { cwd: folder });
    });
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([
      [0, null],
      [0, null],
    ]);
    const witnesses = ['one', 'two'].map((name) => JSON.parse(readFileSync(path(`${name}.json`), 'utf8')).witness);
    expect(new Set(witnesses.map(({ run_id }) => run_id)).size).toBe(2);
    // Both made a key where there was none, and one of them is the key.
    expect(execFileSync('ls', [path('.config/colophon')]).toString()).toBe('witness.pem\n');
  });
});

describe('a line that is refused', () => {
  const folder = temporaryFolder(afterAll);
  const [policy, started] = [join(folder, 'policy'), join(folder, 'started')];
  writeFileSync(policy, 'policy');
  const prompt = join(folder, 'prompt');
  writeFileSync(prompt, 'CANARY no JSON');
  const START = ['--', 'touch', started];
  const env = { HOME: folder, COLOPHON_HOME: join(folder, 'data') };
  const refused = async (words: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const ran = await runLine(['run', ...words], { ...env, ...more });
    expect(existsSync(started)).toBe(false);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).not.toMatch(/CANARY/);
    return [ran.exitCode, /^error (\S+):/.exec(ran.stderr)?.[1]];
  };
  const GIVEN = ['--agent', 'a', '--policy-pack', policy];

  test.each<[string, string[], number, string]>([
    ['no command', GIVEN, 1, 'cli.usage'],
    ['no command behind --', [...GIVEN, '--'], 1, 'cli.usage'],
    ['flags of the command without --', [...GIVEN, 'touch', '-c', started], 1, 'cli.usage'],
    ['no agent', ['--policy-pack', policy, ...START], 1, 'cli.usage'],
    ['no policy pack', ['--agent', 'a', ...START], 1, 'cli.usage'],
    ['a flag twice', [...GIVEN, '--agent', 'b', ...START], 1, 'cli.flag_repeated'],
    ['an agent that is no name', ['--agent', 'a b', '--policy-pack', policy, ...START], 1, 'cli.usage'],
    ['a version with a space', [...GIVEN, '--agent-version', '1 2', ...START], 1, 'cli.usage'],
    ['two prompts', [...GIVEN, '--prompt', prompt, '--prompt-messages', prompt, ...START], 1, 'cli.usage'],
    ['a prompt that is not there', [...GIVEN, '--prompt', join(folder, 'none'), ...START], 1, 'cli.file_unreadable'],
    ['a prompt that is a folder', [...GIVEN, '--prompt', folder, ...START], 1, 'cli.file_unreadable'],
    ['messages that are no JSON', [...GIVEN, '--prompt-messages', prompt, ...START], 1, 'cli.context_invalid'],
    [
      'prompt and policy from one standard input',
      ['--agent', 'a', '--policy-pack', '-', '--prompt', '-', ...START],
      1,
      'cli.usage',
    ],
    ['no time', [...GIVEN, '--timeout', '0', ...START], 1, 'cli.usage'],
    ['a time with a unit', [...GIVEN, '--timeout', '5m', ...START], 1, 'cli.usage'],
    ['one file for both', [...GIVEN, '--predicate-out', 'x', '--receipt-out', './x', ...START], 1, 'cli.usage'],
    ['an addition to no predicate', [...GIVEN, '--predicate', prompt, ...START], 1, 'cli.usage'],
    ['a reviewer of nothing', [...GIVEN, '--human-reviewer', 'a@example.com', ...START], 1, 'cli.usage'],
    ['a credential for no witness', [...GIVEN, '--witness-credential', prompt, ...START], 1, 'cli.usage'],
    ['what is signed without a reviewer', [...GIVEN, '--sign', prompt, ...START], 1, 'cli.usage'],
    ['a caller that no receipt can name', [...GIVEN, '--caller', 'a b', ...START], 1, 'cli.usage'],
    ['a witness that is no address', [...GIVEN, '--witness', 'ftp://CANARY:CANARY@host', ...START], 1, 'cli.usage'],
    ['a credential without TLS', [...GIVEN, '--witness', 'http://host', ...START], 1, 'cli.credential_exposed'],
  ])('with %s starts nothing', async (_name, words, exitCode, code) => {
    expect(await refused(words)).toEqual([exitCode, code]);
  });

  test.each([
    ['ANTHROPIC_BASE_URL', 'https://user:CANARY@host/v1'],
    ['ANTHROPIC_BASE_URL', 'https://host/v1?key=CANARY'],
    ['OPENAI_BASE_URL', 'https://CANARY@host'],
    ['OPENAI_API_BASE', 'https://host/#CANARY'],
    ['ANTHROPIC_BASE_URL', 'CANARY'],
    ['ANTHROPIC_BASE_URL', 'file:///CANARY'],
    // Longer than a receipt can name.
    ['OPENAI_BASE_URL', `https://host/CANARY${'x'.repeat(250)}`],
  ])('with %s=%s starts nothing, and does not repeat it', async (name, value) => {
    expect(await refused([...GIVEN, ...START], { [name]: value })).toEqual([1, 'cli.usage']);
  });

  test('is told on standard error, whatever the command behind it is told', async () => {
    const ran = await runLine(['run', ...GIVEN, '--timeout', '0', '--', 'x', '--output', 'json'], env);
    expect(() => documentOf(ran)).toThrow();
    expect(ran.stderr).toMatch(/^error cli\.usage/);
  });
});
