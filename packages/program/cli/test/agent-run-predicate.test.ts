import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { parseAgentRun } from '@colophon/records';
import { gitRepository, startModelProvider } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asking, MESSAGE, PROMPT, quoted, type RunScene, runScene } from './agent-run.ts';
import { documentOf, runLine } from './command-line.ts';

const sha256 = (bytes: string | Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const COMMIT = 'git add --all && git -c user.name=a -c user.email=a@example.com commit --quiet --message=m';

/** A command that does all of these in turn. */
const shell = (...lines: ReadonlyArray<string | readonly string[]>) => [
  'sh',
  '-c',
  lines.map((line) => (typeof line === 'string' ? line : quoted(line))).join(' && '),
];

describe('the predicate of a run', () => {
  test('says all that was seen, and what a file adds', async () => {
    const { run, path, file, provider, withRepository } = await runScene();
    const repository = withRepository();
    const before = repository.git('rev-parse', 'HEAD');
    provider.script = [
      { model: 'opus-1', inputTokens: 40, outputTokens: 9, tool: { name: 'bash', input: {} }, id: 'msg_1' },
      { model: 'opus-1', inputTokens: 50, outputTokens: 2, id: 'msg_2' },
    ];
    const asked = { ...MESSAGE, body: { ...(MESSAGE.body as object), temperature: 0.2 } };
    const small = { api: 'openai', path: '/responses', body: { model: 'opus-1', input: 'title' } } as const;
    // More than fits into a token request.
    const context_files = Array.from({ length: 1_000 }, (_, i) => `packages/some/folder/file-${i}.ts`);
    const added = { input: { context_files }, policy: { rules_evaluated: 3, rules_violated: 0 } };
    const human_review = { reviewer: 'alice@example.com', reviewed_at: '2026-11-27T10:00:00Z', approved: true };
    const ran = await run(
      [
        ...['--agent-version', '2.4.1', '--prompt', file('prompt.txt', PROMPT), '--predicate-out', path('run.json')],
        ...['--predicate', file('more.json', { ...added, human_review, agent: { name: 'code-writer' } })],
      ],
      shell(asking(asked, small), 'printf "3\\n4\\n" >b.txt', 'printf "1\\n" >a.txt', COMMIT, 'echo x >new.txt'),
    );
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const { predicate, receipt } = ran;
    expect(parseAgentRun(predicate).ok).toBe(true);
    const models = [
      {
        upstream: 'self-hosted',
        requested: 'opus',
        served: 'opus-1',
        answers: 1,
        input_tokens: 40,
        output_tokens: 9,
        temperature: 0.2,
        max_tokens: 100,
      },
      {
        upstream: 'self-hosted',
        requested: 'opus-1',
        served: 'opus-1',
        answers: 1,
        input_tokens: 50,
        output_tokens: 2,
      },
    ];
    expect(predicate).toEqual({
      agent: { name: 'code-writer', version: '2.4.1' },
      model: { id: 'opus-1', provider: 'self-hosted', requested: 'opus' },
      input: { prompt_hash: sha256(PROMPT), context_token_count: 40, context_files },
      policy: { pack_hash: sha256('Be careful.\n'), rules_evaluated: 3, rules_violated: 0 },
      tools_invoked: [{ name: 'bash', count: 1 }],
      human_review,
      git: {
        commit_sha: repository.git('rev-parse', 'HEAD'),
        tree_sha: repository.git('rev-parse', 'HEAD^{tree}'),
        files_changed: ['a.txt', 'b.txt'],
        lines_added: 2,
        lines_removed: 1,
        uncommitted_count: 1,
      },
      witness: {
        run_id: receipt.run_id,
        place: 'same-host',
        receipt_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        started_at: receipt.started_at,
        ended_at: receipt.ended_at,
        outcome: { reason: 'exited', exit_code: 0 },
        models,
      },
    });
    expect(predicate.git.commit_sha).not.toBe(before);
    expect(receipt.input.prompt_seen).toBe(true);
    expect(receipt.response_ids).toEqual(['msg_1', 'msg_2']);
    expect(receipt.upstreams.map(({ address }: { address: string }) => address)).toEqual([
      provider.url,
      `${provider.url}/v1`,
    ]);
  });

  test('is not written where a file contradicts what was seen; the place is told, and nothing is lost', async () => {
    const { run, path, file, withRepository } = await runScene();
    withRepository();
    const said = { model: { id: 'other', temperature: 0 }, witness: { place: 'isolated' }, git: { lines_added: 0 } };
    const flags = ['--predicate', file('more.json', said), '--predicate-out', path('run.json')];
    const ran = await run(flags, asking(MESSAGE));
    expect([ran.exitCode, ran.predicate]).toEqual([20, undefined]);
    expect(ran.stderr).toMatch(/error cli\.predicate_invalid: \S*more\.json contradicts what was observed\n/);
    expect(ran.stderr.match(/^ {2}\/\S+(?=:)/gm)).toEqual(['  /model/id', '  /witness/place']);
    expect(ran.receipt.models).toMatchObject([{ served: 'opus-1' }]);
  });
});

describe('a repository', () => {
  /** Runs a command that asks a model and does this too. */
  async function change({ run, path }: RunScene, ...lines: readonly string[]) {
    return run(['--predicate-out', path('run.json')], shell(asking(MESSAGE), ...lines));
  }

  test('whose branch is switched, with many files and a dirty tree', async () => {
    const scene = await runScene();
    const repository = scene.withRepository();
    repository.git('branch', 'other');
    repository.commit('second', { 'c.txt': 'c\n' });
    const name = `${'x'.repeat(100)}-`;
    const many = `i=0; while [ $i -lt 1000 ]; do echo line >${name}$i; i=$((i+1)); done`;
    const { exitCode, predicate } = await change(scene, 'git switch --quiet other', many, COMMIT, 'echo 3 >>a.txt');
    expect(exitCode).toBe(0);
    // Against the commit that was checked out before the run: the file of the other branch is gone.
    expect(predicate.git).toMatchObject({
      commit_sha: repository.git('rev-parse', 'other'),
      files_changed_count: 1001,
      lines_added: 1000,
      lines_removed: 1,
      uncommitted_count: 1,
    });
    expect(predicate.git.files_changed.length).toBeLessThan(1001);
    expect(predicate.git.files_changed[0]).toBe('c.txt');
  });

  test('without a commit has what the run committed first', async () => {
    const scene = await runScene();
    const repository = gitRepository(() => {}, scene.folder);
    const { exitCode, predicate } = await change(scene, 'echo 1 >a.txt', COMMIT);
    expect([exitCode, predicate.git]).toEqual([
      0,
      {
        commit_sha: repository.git('rev-parse', 'HEAD'),
        tree_sha: repository.git('rev-parse', 'HEAD^{tree}'),
        files_changed: ['a.txt'],
        lines_added: 1,
        lines_removed: 0,
      },
    ]);
  });

  test('without a commit after the run, too, or that is gone, is told then', async () => {
    const scene = await runScene();
    gitRepository(() => {}, scene.folder);
    for (const line of ['true', 'rm -rf .git']) {
      const { exitCode, predicate, receipt, stderr } = await change(scene, line);
      expect([exitCode, predicate, receipt.models.length]).toEqual([20, undefined, 1]);
      expect(stderr).toMatch(/cli\.predicate_invalid[\s\S]* {2}\/git: /);
    }
  });

  test('is needed for a predicate alone, and so is git', async () => {
    const { run, path, folder, file } = await runScene();
    mkdirSync(path('bin'));
    for (const program of ['sh', 'touch']) symlinkSync(`/bin/${program}`, path(`bin/${program}`));
    const env = { PATH: path('bin') };
    const receipts = await run([], ['sh', '-c', 'exit 3'], { env });
    expect([receipts.exitCode, receipts.receipt.outcome.exit_code]).toEqual([3, 3]);
    const described = ['--predicate-out', file('run.json', '""')];
    const outside = await run(described, ['touch', 'started']);
    expect([outside.exitCode, outside.stderr]).toEqual([
      1,
      expect.stringMatching(/^error cli\.usage: .*git repository/),
    ]);
    const without = await run(described, ['touch', 'started'], { env });
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringMatching(/^error forge\.git_missing/)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that git does not trust is no reason to refuse a run without a predicate', async () => {
    const { run, withRepository } = await runScene();
    withRepository().git('config', 'core.repositoryFormatVersion', '99');
    expect(await run([], ['true'])).toMatchObject({ exitCode: 0 });
  });
});

describe('a prompt', () => {
  test('from standard input reaches the command byte for byte, and is hashed so', async () => {
    const { run } = await runScene();
    const prompt = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) % 257);
    const ran = await run(['--quiet', '--prompt', '-'], ['sha256sum'], { input: prompt });
    expect([ran.exitCode, `sha256:${ran.stdout.slice(0, 64)}`]).toEqual([0, sha256(prompt)]);
    expect(ran.receipt.input).toEqual({ prompt_hash: sha256(prompt), prompt_seen: false });
  });

  test('of several messages has one hash, however its members are ordered, and whoever counts', async () => {
    const { run, file } = await runScene();
    const sent = [
      { role: 'user', content: [{ type: 'text', text: 'ü' }] },
      { role: 'assistant', content: 'yes' },
    ];
    const other =
      '[{"content":[{"text":"\\u00fc","type":"text"}],"role":"user"},\n{"content":"yes","role":"assistant"}]';
    const messages = file('messages.json', other);
    const hashed = await runLine(['hash', 'prompt', '--messages', messages, '--output', 'json']);
    const { hash } = documentOf(hashed);
    const command = asking({ body: { messages: sent, model: 'opus' } }, MESSAGE);
    const given = await run(['--prompt-messages', messages], command);
    expect(given.receipt.input).toMatchObject({ prompt_hash: hash, prompt_seen: true });
    // Nobody says which prompt it is: that of the first request.
    const unsaid = await run([], command);
    expect(unsaid.receipt.input).toMatchObject({ prompt_hash: hash, prompt_seen: true });
  });

  test('with bytes that are no text is hashed as it is', async () => {
    const { run, file } = await runScene();
    const prompt = new Uint8Array([0, 0xff, 0xc3, 0x28, 0x0d, 0x0a]);
    const ran = await run(['--prompt', file('prompt', prompt)], ['true']);
    expect(ran.receipt.input).toEqual({ prompt_hash: sha256(prompt), prompt_seen: false });
  });
});

describe('the environment of the command', () => {
  test('has the addresses of the witness, and no proxy before it', async () => {
    const proxy = await startModelProvider(onTestFinished, [{ model: 'proxied-1' }]);
    const { run, provider } = await runScene({
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: '1',
      OPENAI_API_KEY: 'key',
    });
    const openai = { api: 'openai', path: '/chat/completions', body: { model: 'opus', messages: [] } } as const;
    const ran = await run(['--quiet'], shell(asking(MESSAGE, openai), 'env'));
    const env = Object.fromEntries(ran.stdout.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const witness = /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}/.exec(env['ANTHROPIC_BASE_URL'])?.[0];
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: `${witness}/anthropic`,
      OPENAI_BASE_URL: `${witness}/openai/v1`,
      OPENAI_API_BASE: `${witness}/openai/v1`,
      OPENAI_API_KEY: 'key',
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    });
    expect(ran.receipt.models.length).toBeGreaterThan(0);
    // What reached the proxy, if anything, is for the provider: the witness goes where its user's machine goes.
    const host = new URL(provider.url).host;
    expect(proxy.requests.filter(({ headers }) => headers.host !== host)).toEqual([]);
    expect(proxy.requests.length + provider.requests.length).toBe(2);
  });

  test('does not keep a receipt from saying what is not the provider’s own address', async () => {
    const { run, provider } = await runScene();
    const ran = await run(['--model-id', 'other'], asking(MESSAGE));
    // Another model than was meant is no error where nothing is signed.
    expect([ran.exitCode, ran.receipt.upstreams]).toEqual([0, [{ name: 'self-hosted', address: provider.url }]]);
  });
});

test('a receipt of a run with many models, tools and answers is written, however large it is', async () => {
  const { run, provider } = await runScene();
  let count = 0;
  provider.script = [
    (_request, response) => {
      count += 1;
      const long = `${count}-${'n'.repeat(200)}`;
      const content = Array.from({ length: 4 }, (_, i) => ({
        type: 'tool_use',
        id: 'x',
        name: `${long}${i}`,
        input: {},
      }));
      const usage = { input_tokens: 1, output_tokens: 1 };
      response.end(JSON.stringify({ id: long, type: 'message', role: 'assistant', model: long, content, usage }));
    },
  ];
  const ran = await run([], asking(...Array.from({ length: 20 }, () => MESSAGE)));
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(JSON.stringify(ran.receipt).length).toBeGreaterThan(16 * 1024);
  expect(ran.receipt).toMatchObject({ more_tools: 48, unattributed: [{ reason: 'more_models', answers: 4 }] });
});
