import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fences } from '../../../../../../tools/doc-fences.ts';
import { documentOf, runLine } from '../../../test/command-line.ts';
import { wordsOf } from '../../../test/help-examples.ts';
import { install } from '../../../test/installation.ts';

const TRACES = '.agent-trace/traces.jsonl';
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');

function scene() {
  const repository = gitRepository(onTestFinished);
  const { folder, git } = repository;
  const run = (...line: string[]) =>
    runLine(['import', ...line, ...(line.includes('--repository') ? [] : ['--repository', folder])], {
      HOME: folder,
      PATH: process.env['PATH'],
    });
  const document = async (...line: string[]) => {
    const ran = await run(...line, '--output', 'json');
    return { exitCode: ran.exitCode, ...documentOf(ran) };
  };
  const note = (text: string, commit = 'HEAD') => git('notes', '--ref=ai', 'add', '-f', '-m', text, commit);
  return { ...repository, run, document, note };
}

/** An authorship log: of each file the lines of sessions and people; of each session its tool and model. */
function log(files: Readonly<Record<string, Readonly<Record<string, string>>>>, sessions: Sessions = SESSIONS): string {
  const attested = Object.entries(files).map(
    ([path, keys]) =>
      `${path}\n${Object.entries(keys)
        .map(([key, ranges]) => `  ${key} ${ranges}\n`)
        .join('')}`,
  );
  const metadata = {
    schema_version: 'authorship/3.0.0',
    git_ai_version: '1.4.5',
    base_commit_sha: '',
    prompts: {},
    humans: { h_1: { author: 'Ann <ann@example.com>' } },
    sessions: Object.fromEntries(
      Object.entries(sessions).map(([key, [tool, model]]) => [key, { agent_id: { tool, id: 'x', model } }]),
    ),
  };
  return `${attested.join('')}---\n${JSON.stringify(metadata)}`;
}

type Sessions = Readonly<Record<string, readonly [tool: string, model: string]>>;
const SESSIONS: Sessions = { s_1: ['claude', 'claude-sonnet-4-5'], s_2: ['cursor', 'gpt-4'], s_3: ['claude', 'gpt-4'] };

type Traced = { readonly path?: string; readonly to?: number; readonly tool?: object | null; readonly model?: string };

/** One record, of the first lines of a file. */
function trace(
  revision: string,
  { path = 'a.txt', to = 3, tool = { name: 'cursor', version: '2.4.0' }, model }: Traced,
) {
  const contributor = { type: 'ai', model_id: model ?? 'anthropic/claude-opus-4-5' };
  return `${JSON.stringify({
    version: '0.1.0',
    id: '550e8400-e29b-41d4-a716-446655440000',
    timestamp: '2026-01-23T14:30:00Z',
    vcs: { type: 'git', revision },
    ...(tool !== null && { tool }),
    files: [{ path, conversations: [{ contributor, ranges: [{ start_line: 1, end_line: to }] }] }],
  })}\n`;
}

const golden = (document: object) =>
  `${JSON.stringify(document, null, 2)
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<40 hex digits>')
    .replaceAll(/"\/[^"]*\//g, '"<folder>/')}\n`;

describe('colophon import git-ai', () => {
  test('writes what the authorship log and git say, and nothing else', async () => {
    const { commit, folder, note, document } = scene();
    commit('before', { 'a.txt': lines(2) });
    const sha = commit('by an agent', { 'a.txt': lines(12), 'ü b.txt': 'x\n' });
    note(log({ 'a.txt': { 's_1::t_1': '3-9,12', h_1: '10' }, '"ü b.txt"': { 's_2::t_2': '1' } }));
    const out = join(folder, 'run.json');
    const { exitCode, ...result } = await document('git-ai', '--predicate-out', out);
    expect(exitCode).toBe(0);
    const predicate = {
      agent: { name: 'claude' },
      model: { id: 'claude-sonnet-4-5' },
      git: { commit_sha: sha, files_changed: ['a.txt', 'ü b.txt'], lines_added: 11, lines_removed: 0 },
    };
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(predicate);
    expect(result).toEqual({
      ok: true,
      commit_sha: sha,
      noted_by: 'git-ai',
      place: 'refs/notes/ai',
      noted_commit: sha,
      claim_source: 'declared',
      agents: [
        { agent: 'claude', model_id: 'claude-sonnet-4-5', line_count: 8, in_predicate: true },
        { agent: 'cursor', model_id: 'gpt-4', line_count: 1, in_predicate: false },
      ],
      predicate,
      left_out: [],
      problems: [],
      predicate_out: out,
    });
    await expect(golden(result)).toMatchFileSnapshot('../../../test/golden/import-git-ai.json');
  });

  test.each([[], ['--predicate-out', '-']])(
    'without a file the predicate alone is on standard output (%j)',
    async (...flags) => {
      const { commit, note, run } = scene();
      const sha = commit('by an agent', { 'a.txt': lines(3) });
      note(log({ 'a.txt': { 's_1::t_1': '1-3' } }));
      const { exitCode, stdout, stderr } = await run('git-ai', ...flags);
      expect([exitCode, JSON.parse(stdout).git.commit_sha]).toEqual([0, sha]);
      expect(stderr).toContain('claude with claude-sonnet-4-5, 3 lines: in the predicate\n');
      expect(stderr).toContain("its writer's word");
    },
  );

  test('for a person it says what was written, whose word it is, and what to do next', async () => {
    const { commit, folder, note, run } = scene();
    commit('by an agent', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { 's_1::t_1': '1-3' } }));
    const { stdout, stderr } = await run('git-ai', '--predicate-out', join(folder, 'run.json'));
    expect(stderr).toBe('');
    expect(stdout).toContain("its writer's word: the sources of a token that is made from it are declared.\n");
    expect(stdout).toMatch(/^next: colophon attest-blob --type agent-run --predicate \S+ --context CONTEXT FILE$/m);
  });

  test.each([
    [[], 'claude', 'claude-sonnet-4-5'],
    [['--agent', 'cursor'], 'cursor', 'gpt-4'],
    [['--model-id', 'gpt-4', '--agent', 'claude'], 'claude', 'gpt-4'],
    [['--agent', 'cursor', '--agent-name', 'code-writer'], 'code-writer', 'gpt-4'],
  ])('of several agents and models %j chooses', async (flags, name, id) => {
    const { commit, note, document } = scene();
    commit('by agents', { 'a.txt': lines(12) });
    note(log({ 'a.txt': { 's_1::t_1': '1-6', 's_2::t_2': '7-9', 's_3::t_3': '10-12' } }));
    const { agents, predicate } = await document('git-ai', ...flags);
    expect(agents).toHaveLength(3);
    expect([predicate.agent.name, predicate.model.id]).toEqual([name, id]);
  });

  test('a tie is an error that lists the agents, and its next line decides it', async () => {
    const { commit, note, document } = scene();
    commit('by agents', { 'a.txt': lines(12) });
    note(log({ 'a.txt': { 's_1::t_1': '1-3', 's_2::t_2': '4-6', 's_3::t_3': '7' } }));
    const { exitCode, error } = await document('git-ai');
    expect([exitCode, error.code]).toEqual([1, 'cli.agent_ambiguous']);
    expect(error.found).toBe('claude with claude-sonnet-4-5, 3 lines; cursor with gpt-4, 3 lines');
    const [, , ...line] = error.next.split(' ') as string[];
    expect(await document(...line.slice(0, line.indexOf('--repository')))).toMatchObject({
      exitCode: 0,
      predicate: { agent: { name: 'claude' }, model: { id: 'claude-sonnet-4-5' } },
    });
  });

  test('a name that no token can have is refused, until somebody gives another', async () => {
    const { commit, note, document } = scene();
    commit('by an agent', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { 's_1::t_1': '1-3' } }, { s_1: ['Claude Code', 'Sonnet 4.5'] }));
    const { exitCode, error } = await document('git-ai');
    expect([exitCode, error.code, error.found]).toEqual([20, 'cli.agent_name_invalid', 'Claude Code']);
    expect(error.next).toContain('--agent-name claude-code');
    const { predicate, agents, left_out } = await document('git-ai', '--agent-name', 'claude-code');
    expect([predicate.agent, predicate.model]).toEqual([{ name: 'claude-code' }, undefined]);
    expect(agents).toMatchObject([{ agent: 'Claude Code', model_id: 'Sonnet 4.5' }]);
    expect(left_out).toMatchObject([{ path: '/model/id', found: 'Sonnet 4.5' }]);
    expect(await document('git-ai', '--agent-name', 'Claude Code')).toMatchObject({
      exitCode: 1,
      error: { code: 'cli.usage' },
    });
  });

  test('what the log does not know is left out', async () => {
    const { commit, note, document } = scene();
    const sha = commit('by an agent', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { 's_9::t_1': '1-3' } }));
    expect((await document('git-ai')).predicate).toEqual({
      git: { commit_sha: sha, files_changed: ['a.txt'], lines_added: 3, lines_removed: 0 },
    });
    note(log({ 'a.txt': { 's_1::t_1': '1-3' } }, { s_1: ['claude', 'unknown'] }));
    expect((await document('git-ai')).predicate).not.toHaveProperty('model');
  });

  test('a merge is told against its first parent, and has a log of its own', async () => {
    const { commit, git, note, document } = scene();
    commit('base', { 'a.txt': lines(2) });
    git('checkout', '--quiet', '-b', 'side');
    const side = commit('side', { 'b.txt': lines(4) });
    note(log({ 'b.txt': { 's_1::t_1': '1-4' } }), side);
    git('checkout', '--quiet', 'main');
    commit('main', { 'a.txt': lines(3) });
    git('merge', '--quiet', '--no-edit', 'side');
    expect(await document('git-ai')).toMatchObject({ exitCode: 11, error: { code: 'cli.agent_not_noted' } });
    note(log({ 'b.txt': { 's_2::t_1': '4' } }));
    expect((await document('git-ai')).predicate).toMatchObject({
      agent: { name: 'cursor' },
      git: { files_changed: ['b.txt'], lines_added: 4 },
    });
    expect((await document('git-ai', 'HEAD^2')).predicate).toMatchObject({
      agent: { name: 'claude' },
      git: { commit_sha: side },
    });
  });

  test('a log about another commit says nothing of this one', async () => {
    const { commit, note, document } = scene();
    const first = commit('by an agent', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { 's_1::t_1': '1-3' } }));
    const sha = commit('by a person', { 'b.txt': 'x\n' });
    const { exitCode, error } = await document('git-ai');
    expect([exitCode, error.code]).toEqual([11, 'cli.agent_not_noted']);
    expect([error.message, error.next]).toEqual([
      `no authorship log is about the commit ${sha}`,
      'git fetch origin refs/notes/ai:refs/notes/ai',
    ]);
    expect((await document('git-ai', first.slice(0, 10))).commit_sha).toBe(first);
  });

  test('a log of people names no agent', async () => {
    const { commit, note, document } = scene();
    commit('by a person', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { h_1: '1-3' } }));
    const { exitCode, error } = await document('git-ai');
    expect([exitCode, error.code, error.next]).toEqual([11, 'cli.agent_not_noted', undefined]);
  });

  test.each(['nonsense', 'a.txt\n  s_1 1\n---\n{}', `a.txt\n  s_1 0\n${log({})}`])(
    'a log %j is malformed',
    async (text) => {
      const { commit, note, document } = scene();
      commit('by an agent', { 'a.txt': lines(3) });
      note(text);
      expect(await document('git-ai')).toMatchObject({
        exitCode: 20,
        error: { code: 'cli.agent_note_invalid', issues: [{ code: 'git_ai.malformed' }] },
      });
    },
  );

  test('an agent that is not noted is not found, and those that are noted are listed', async () => {
    const { commit, note, document } = scene();
    commit('by an agent', { 'a.txt': lines(3) });
    note(log({ 'a.txt': { 's_1::t_1': '1-3' } }));
    expect(await document('git-ai', '--agent', 'cursor')).toMatchObject({
      exitCode: 11,
      error: { code: 'cli.agent_not_noted', expected: 'cursor', found: 'claude with claude-sonnet-4-5, 3 lines' },
    });
  });
});

describe('colophon import agent-trace', () => {
  test('reads records of the commit’s parent as the commit has them', async () => {
    const { commit, document } = scene();
    const parent = commit('base');
    const sha = commit('by an agent', {
      'a.txt': lines(9),
      [TRACES]: trace(parent, { to: 9 }) + trace(parent, { to: 2, model: 'gpt-4o', tool: null }),
    });
    const { exitCode, ...result } = await document('agent-trace', sha);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({
      noted_commit: parent,
      place: `${TRACES} of the commit`,
      agents: [
        {
          agent: 'cursor',
          version: '2.4.0',
          model_id: 'claude-opus-4-5',
          model_provider: 'anthropic',
          line_count: 7,
          in_predicate: true,
        },
        { model_id: 'gpt-4o', line_count: 2, in_predicate: false },
      ],
      predicate: {
        agent: { name: 'cursor', version: '2.4.0' },
        model: { id: 'claude-opus-4-5', provider: 'anthropic' },
        git: { commit_sha: sha, files_changed: [TRACES, 'a.txt'], lines_added: 11 },
      },
    });
    await expect(golden(result)).toMatchFileSnapshot('../../../test/golden/import-agent-trace.json');
    const renamed = await document('agent-trace', '--agent-name', 'code-writer');
    expect(renamed.predicate.agent).toEqual({ name: 'code-writer' });
    const same = await document('agent-trace', '--agent-name', 'cursor');
    expect(same.predicate.agent).toEqual({ name: 'cursor', version: '2.4.0' });
    const unnamed = await document('agent-trace', '--model-id', 'gpt-4o');
    expect([unnamed.predicate.agent, unnamed.predicate.model]).toEqual([undefined, { id: 'gpt-4o' }]);
  });

  test('reads records of the commit itself in the working tree', async () => {
    const { commit, write, document } = scene();
    const sha = commit('by an agent', { 'a.txt': lines(3), '.gitignore': '.agent-trace\n' });
    write(TRACES, `${trace(sha, {})}nonsense\n`);
    expect(await document('agent-trace')).toMatchObject({
      exitCode: 0,
      place: `${TRACES} of the working tree`,
      noted_commit: sha,
      problems: [{ code: 'agent_trace.malformed', path: `${TRACES}:2` }],
    });
  });

  test('a record of what the commit does not change is none about it', async () => {
    const { commit, write, document } = scene();
    const parent = commit('base', { 'b.txt': 'b\n' });
    commit('by a person', { 'a.txt': lines(3) });
    // As the reference implementation writes them.
    write(
      TRACES,
      ['.sessions', '.shell-history', 'b.txt', '/tmp/a.txt'].map((path) => trace(parent, { path })).join(''),
    );
    const { exitCode, error } = await document('agent-trace');
    expect([exitCode, error.code]).toEqual([11, 'cli.agent_not_noted']);
    write(TRACES, trace(parent, { path: './a.txt' }));
    expect((await document('agent-trace')).exitCode).toBe(0);
  });

  test('a record of another revision is none about it', async () => {
    const { commit, document } = scene();
    const first = commit('one');
    commit('two');
    commit('three', { 'a.txt': lines(3), [TRACES]: `${trace(first, {})}nonsense\n` });
    const { exitCode, error } = await document('agent-trace');
    expect([exitCode, error.code, error.issues.length]).toEqual([11, 'cli.agent_not_noted', 1]);
  });

  test('records that cannot be read or placed are told', async () => {
    const { commit, document } = scene();
    commit('by an agent', { 'a.txt': lines(3), [TRACES]: `nonsense\n${trace('main', {})}` });
    const { exitCode, error } = await document('agent-trace');
    expect([exitCode, error.code]).toEqual([20, 'cli.agent_note_invalid']);
    expect(error.issues.map(({ code }: { code: string }) => code)).toEqual([
      'agent_trace.malformed',
      'agent_trace.no_revision',
    ]);
  });

  test('without a file nothing is noted; a link is no file', async () => {
    const { commit, folder, write, document } = scene();
    const sha = commit('by an agent', { 'a.txt': lines(3) });
    expect(await document('agent-trace')).toMatchObject({ exitCode: 11, error: { code: 'cli.agent_not_noted' } });
    const elsewhere = join(temporaryFolder(onTestFinished), 'traces');
    write('.agent-trace/here', '');
    writeFileSync(elsewhere, trace(sha, {}));
    symlinkSync(elsewhere, join(folder, TRACES));
    expect((await document('agent-trace')).exitCode).toBe(11);
  });

  test('a merge is not written under its second parent', async () => {
    const { commit, git, write, document } = scene();
    commit('base', { 'a.txt': lines(3) });
    git('checkout', '--quiet', '-b', 'side');
    const side = commit('side', { 'a.txt': `${lines(3)}side\n` });
    git('checkout', '--quiet', 'main');
    const main = commit('main', { 'a.txt': `main\n${lines(3)}` });
    git('merge', '--quiet', '--no-commit', 'side');
    commit('merged', { 'a.txt': `merged\n${lines(3)}side\n` });
    write(TRACES, trace(side, {}));
    expect((await document('agent-trace')).exitCode).toBe(11);
    write(TRACES, trace(main, {}));
    expect((await document('agent-trace')).noted_commit).toBe(main);
  });
});

describe.each(['git-ai', 'agent-trace'])('import %s refuses', (format) => {
  test.each([
    ['a commit that does not exist', ['nope'], 11, 'forge.unknown_revision'],
    ['a range', ['HEAD..HEAD'], 11, 'forge.unknown_revision'],
    ['a folder that is no repository', ['--repository', '/'], 1, 'forge.no_repository'],
    ['a file that cannot be written', ['--predicate-out', '/nonexistent/run.json'], 2, 'cli.file_unwritable'],
  ])('%s', async (_, line, exitCode, code) => {
    const { commit, document } = scene();
    commit('one');
    expect(await document(format, ...line)).toMatchObject({ exitCode, error: { code } });
  });

  test('a repository without commits', async () => {
    expect(await scene().document(format)).toMatchObject({ exitCode: 10, error: { code: 'forge.no_commits' } });
  });

  test('a commit before which a shallow clone has nothing', async () => {
    const { commit, folder, note, document } = scene();
    commit('one', { 'a.txt': lines(3) });
    commit('two', { 'b.txt': lines(3) });
    note(log({ 'b.txt': { 's_1::t_1': '1-3' } }));
    const clone = gitRepository(onTestFinished);
    clone.git('fetch', '--quiet', '--depth=1', `file://${folder}`, 'main', '+refs/notes/*:refs/notes/*');
    expect(await document(format, 'FETCH_HEAD', '--repository', clone.folder)).toMatchObject({
      exitCode: 10,
      error: { code: 'forge.shallow_history' },
    });
  });

  test('to work without git', async () => {
    const { document } = scene();
    vi.stubEnv('PATH', '/nonexistent');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await document(format)).toMatchObject({ exitCode: 2, error: { code: 'forge.git_missing' } });
  });
});

test('as the page has it, attest-blob completes the predicate from the context, and nothing of it is confirmed', async () => {
  const here = await install(onTestFinished);
  const { folder, commit, git, write } = gitRepository(onTestFinished);
  const sha = commit('by an agent', { 'a.txt': lines(3) });
  git('notes', '--ref=ai', 'add', '-m', log({ 'a.txt': { 's_1::t_1': '1-3' } }));
  const context = {
    agent_name: 'claude',
    agent_version: '2.0.1',
    model_id: 'claude-sonnet-4-5',
    model_provider: 'anthropic',
    prompt_hash: '5a'.repeat(32),
    policy_pack_hash: 'c3'.repeat(32),
    human_reviewer: 'alice@example.com',
    commit_sha: sha,
  };
  write('context.json', JSON.stringify(context));
  write('app.tar.gz', 'built');
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const [example] = fences(join(import.meta.dirname, '../../../../../../docs/attribution-comments.md'), 'import');
  const [noted, attested] = example!.text
    .trim()
    .split('\n')
    .map((line) => wordsOf(line));
  await here.document(...noted!);
  await here.document(...attested!);
  const pinned = ['--certificate-identity', 'agent:claude', '--certificate-oidc-issuer', here.url];
  const verify = ['verify-blob-attestation', '--type', 'agent-run', ...pinned, 'app.tar.gz'];
  const { statement, certificate_identity } = await here.document(...verify);
  expect(statement.predicate).toMatchObject({
    agent: { name: 'claude', version: '2.0.1' },
    model: { id: 'claude-sonnet-4-5', provider: 'anthropic' },
    git: { commit_sha: sha, files_changed: ['a.txt'], lines_added: 3, lines_removed: 0 },
  });
  expect(new Set(Object.values(certificate_identity.sources))).toEqual(new Set(['declared']));
  // Another agent's token does not sign it.
  expect(await here.refusal(...attested!, '--agent-name', 'cursor')).toMatchObject({
    exitCode: 20,
    code: 'signing.run_contradicted',
  });
});
