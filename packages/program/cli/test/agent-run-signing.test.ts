import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository, type ModelProvider, startModelProvider } from '@colophon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asking, BIN, MESSAGE, quoted, receiptIn, startProgram } from './agent-run.ts';
import { type Installation, install } from './installation.ts';

let own: Installation;
let provider: ModelProvider;
let work: string;
let policy: string;
const undo: Array<() => void | Promise<void>> = [];
beforeAll(async () => {
  own = await install((step) => undo.unshift(step));
  provider = await startModelProvider((step) => undo.unshift(step), []);
  work = join(own.folder, 'work');
  mkdirSync(work);
  gitRepository(() => {}, work).commit('first', { 'a.txt': '1\n' });
  policy = own.file('policy.md', 'Be careful.\n');
});
afterAll(async () => {
  for (const step of undo) await step();
});
beforeEach(() => {
  provider.script = [{ model: 'claude-opus-4-1-20250805' }];
  for (const name of readdirSync(work)) if (name.startsWith('out')) rmSync(join(work, name));
});

const REVIEWED = ['--human-reviewer', 'alice@example.com', '--repo', 'acme/webshop'];

/** Runs a command, and signs what it made in the folder where it ran. */
async function run(flags: readonly string[], command: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const line = ['run', '--agent', 'code-writer', '--agent-version', '2.4.1', '--policy-pack', policy, ...REVIEWED];
  const running = startProgram(process.execPath, [BIN, ...line, ...flags, '--', ...command], {
    cwd: work,
    env: {
      ...own.env,
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      ANTHROPIC_BASE_URL: provider.url,
      OPENAI_BASE_URL: `${provider.url}/v1`,
      ...more,
    },
  });
  const [exitCode] = await running.ended;
  return { exitCode, stdout: running.stdout().toString(), stderr: running.stderr() };
}

const made = () => readdirSync(work).filter((name) => name.startsWith('out'));
const making = (ask: readonly string[], ...files: readonly string[]) => [
  'sh',
  '-c',
  [quoted(ask), ...files.map((file) => `echo ${file} >${file}`)].join(' && '),
];

describe('what a run made', () => {
  test('is signed and attested, each file with a token that the receipt stands for, and nothing tells a secret', async () => {
    const canary = (name: string) => `CANARY-${name}-${Math.random().toString(36).slice(2)}`;
    const [key, prompt, answer, echoed] = ['key', 'prompt', 'answer', 'echoed'].map(canary) as [
      string,
      string,
      string,
      string,
    ];
    const tool = { name: 'bash', input: { command: answer } };
    provider.script = [
      (request, response) => {
        response.writeHead(401, { 'x-echo': echoed, 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `${request.headers['x-api-key']} ${echoed} is no key` } }));
      },
      { model: 'claude-opus-4-1-20250805', text: answer, tool },
    ];
    const messages = [{ role: 'user', content: prompt }];
    const asked = {
      headers: { 'x-api-key': key, authorization: `Bearer ${key}` },
      path: `/v1/messages?token=${key}`,
      body: { model: 'claude-opus-4-1', system: prompt, messages },
    };
    const flags = [
      '--prompt',
      own.file('prompt.txt', prompt),
      '--predicate-out',
      'out.json',
      '--model-id',
      'claude-opus-4-1',
    ];
    const command = making(asking(asked, asked), 'out-1', 'out-2');
    const ran = await run([...flags, '--sign', 'out-1', '--sign', 'out-2'], command, { ANTHROPIC_API_KEY: key });
    rmSync(join(own.folder, 'prompt.txt'));
    expect([ran.exitCode, ran.stdout]).toEqual([0, '']);
    expect(ran.stderr).toMatch(/answered +claude-opus-4-1-20250805 +by self-hosted +1 answer/);
    expect(made()).toEqual([
      'out-1',
      'out-1.agent-run.sigstore.json',
      'out-1.receipt.json',
      'out-1.sigstore.json',
      'out-2',
      'out-2.agent-run.sigstore.json',
      'out-2.sigstore.json',
      'out.json',
    ]);
    const receipt = receiptIn(join(work, 'out-1.receipt.json'));
    expect(receipt).toMatchObject({ issuer: own.url, input: { prompt_seen: true }, failed_answers: 1 });

    for (const name of ['out-1', 'out-2']) {
      const file = join(work, name);
      await own.document('verify-blob', file, '--bundle', `${file}.sigstore.json`, ...own.pinned);
      const attested = ['--bundle', `${file}.agent-run.sigstore.json`, '--type', 'agent-run', ...own.pinned];
      await own.document('verify-blob-attestation', file, ...attested);
    }
    const explained = await own.document('explain', join(work, 'out-1'), '--evidence-url', own.url);
    expect(JSON.stringify(explained)).toMatch(/"field":"model_id"[^}]*"source":"witness-same-host"/);
    const hash = JSON.parse(readFileSync(join(work, 'out.json'), 'utf8')).witness.receipt_hash;
    const kept = await (await fetch(`${own.url}/receipts/${hash.slice('sha256:'.length)}`)).json();
    expect(kept).toEqual(JSON.parse(readFileSync(join(work, 'out-1.receipt.json'), 'utf8')));
    for (const question of [
      'artifacts where sources.model_id = witness-same-host',
      `runs where receipt = ${hash} and served = claude-opus-4-1-20250805`,
    ]) {
      const found = await own.document('query', question, '--evidence-url', own.url);
      expect([question, found.rows.length]).toEqual([question, 2]);
    }

    const texts = [ran.stderr, JSON.stringify(receipt)];
    for (const entry of readdirSync(own.folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) texts.push(readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    }
    for (const secret of [key, prompt, answer, echoed]) {
      const spellings = [secret, Buffer.from(secret).toString('base64').slice(0, -4)];
      expect(texts.filter((text) => spellings.some((spelling) => text.includes(spelling)))).toEqual([]);
    }
  });

  test('is not signed where another model answered than was meant', async () => {
    provider.script = [{ model: 'claude-haiku-4-5' }];
    const flags = ['--model-id', 'claude-opus-4-1', '--predicate-out', 'out.json', '--sign', 'out-1'];
    const ran = await run(flags, making(asking(MESSAGE), 'out-1'));
    expect([ran.exitCode, made()]).toEqual([20, ['out-1', 'out-1.receipt.json', 'out.json']]);
    expect(ran.stderr).toMatch(
      /error cli\.model_substituted: .*\n {2}expected claude-opus-4-1\n {2}found {4}claude-haiku-4-5/,
    );
    expect(receiptIn(join(work, 'out-1.receipt.json')).models).toMatchObject([{ served: 'claude-haiku-4-5' }]);
  });

  test.each([
    ['no model answered', ['true'], 20],
    ['the command failed', asking(MESSAGE), 7],
    ['one of the files is not there', asking(MESSAGE), 1],
  ])('is not signed where %s', async (why, ask, expected) => {
    const files = why.startsWith('one') ? ['out-1'] : ['out-1', 'out-2'];
    const command = making(ask, ...files);
    if (expected === 7) command[2] += '; exit 7';
    const ran = await run(['--sign', 'out-1', '--sign', 'out-2'], command);
    if (expected !== 7) expect(ran.stderr).toMatch(/\nerror cli\.(?:predicate_invalid: .*|file_unreadable: out-2)/);
    expect([ran.exitCode, made()]).toEqual([expected, ['out-1', 'out-1.receipt.json', ...files.slice(1)]]);
  });

  test('is not signed over somebody else’s file, and none of the files before it is', async () => {
    writeFileSync(join(work, 'out-2.sigstore.json'), 'mine');
    const ran = await run(['--sign', 'out-1', '--sign', 'out-2'], making(asking(MESSAGE), 'out-1', 'out-2'));
    expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringMatching(/error cli\.file_taken/)]);
    expect(made()).toEqual(['out-1', 'out-1.receipt.json', 'out-2', 'out-2.sigstore.json']);
  });

  test('is not signed where nobody knows where: it is told before the command starts', async () => {
    const nowhere = { COLOPHON_HOME: join(own.folder, 'nowhere') };
    const ran = await run(['--sign', 'out-1'], making(['true'], 'out-1'), nowhere);
    expect([ran.exitCode, made(), existsSync(nowhere.COLOPHON_HOME)]).toEqual([1, [], false]);
    expect(ran.stderr).toMatch(/^error cli\.no_signing_services/);
  });
});
