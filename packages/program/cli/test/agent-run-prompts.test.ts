import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asking, MESSAGE, PROMPT, runScene } from './agent-run.ts';

const KEY = 'sk-canary-0123456789';

test('the requests of a run are kept where that is asked for, as they were sent, without their headers', async () => {
  const { path, run } = await runScene();
  const command = asking({ ...MESSAGE, headers: { 'x-api-key': KEY } }, { body: '{"not JSON' }, MESSAGE);
  const ran = await run(['--prompts-out', path('prompts.jsonl')], command);
  expect([ran.exitCode, ran.receipt.models[0].answers]).toEqual([0, 2]);
  const text = readFileSync(path('prompts.jsonl'), 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = { time: expect.any(String), upstream: 'self-hosted', endpoint: 'POST /v1/messages', body: MESSAGE.body };
  expect(lines).toEqual([kept, kept]);
  expect(statSync(path('prompts.jsonl')).mode & 0o777).toBe(0o600);
  expect(text).not.toContain(KEY);
});

test('a request that no text can be made of again ends no run', async () => {
  const { path, run } = await runScene();
  const script = `for (const depth of [100_000, 1]) {
    const body = '{"model":"opus-1","messages":' + '['.repeat(depth) + ']'.repeat(depth) + '}';
    await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })).text();
  }`;
  const command = [process.execPath, '--input-type=module', '-e', script];
  const ran = await run(['--prompts-out', path('prompts.jsonl')], command);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain('cli.file_unwritable');
  expect(ran.receipt).toMatchObject({ ended_at: expect.any(String), models: [{ answers: 2 }] });
});

test('nothing of a prompt is kept where nobody asked', async () => {
  const { path, run } = await runScene();
  const ran = await run(['--prompts-out', path('a')], asking(MESSAGE));
  expect(readFileSync(path('a'), 'utf8')).toContain(PROMPT.trim());
  expect(readFileSync(path('receipt.json'), 'utf8') + ran.stderr).not.toContain(PROMPT.trim());
});

test.skipIf(!existsSync('/dev/full'))(
  'a full disk keeps no request from its model, and is told at the end',
  async () => {
    const { path, run, withRepository } = await runScene();
    withRepository();
    const flags = ['--prompts-out', '/dev/full', '--predicate-out', path('run.json')];
    const ran = await run(flags, asking(MESSAGE));
    expect([ran.exitCode, ran.receipt.models[0].answers, ran.predicate.model.id]).toEqual([2, 1, 'opus-1']);
    expect(ran.stderr).toContain('cli.file_unwritable: /dev/full: ');
  },
);

test.each([
  ['the file of another record', ['--prompts-out', 'same', '--predicate-out', 'same'], 'cli.usage'],
  ['no file', ['--prompts-out', '.'], 'cli.file_unwritable'],
  [
    'with an isolated witness',
    ['--prompts-out', 'a', '--witness', 'unix:/none', '--witness-credential', '-'],
    'cli.usage',
  ],
])('%s is refused before the command starts', async (_, flags, code) => {
  const { folder, run } = await runScene();
  const ran = await run(flags, ['touch', 'started']);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(existsSync(`${folder}/started`)).toBe(false);
});
