import { chmodSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_SOURCES } from '@colophon/records';
import { type GitRepository, gitRepository, temporaryFolder } from '@colophon/testkit';
import { draftCommitSignature } from '@colophon/testkit/local-sigstore/draft-commit';
import { CLAIMS, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from '../../../test/command-line.ts';

const BY_AGENT = 'work\n\nColophon-Agent: code-writer@2.4.1\nColophon-Model: large-model\n';
const WORDS = 'colophon: agent=code-writer@2.4.1 model=large-model';
const code = (lines: number, name = 'x') => Array.from({ length: lines }, (_, i) => `${name}${i} = ${i}\n`).join('');

function scene() {
  const repository = gitRepository(onTestFinished);
  const run = (...flags: string[]) =>
    // A flag of the test's own takes the place of this one: a flag stands once.
    runLine(
      ['sbom', 'comments', ...(flags.includes('--repository') ? [] : ['--repository', repository.folder]), ...flags],
      {
        HOME: repository.folder,
        PATH: process.env['PATH'],
      },
    );
  const check = async (...flags: string[]) => {
    const ran = await run('--output', 'json', ...flags);
    return { exitCode: ran.exitCode, ...documentOf(ran) };
  };
  const read = (path: string) => readFileSync(join(repository.folder, path), 'latin1');
  return { ...repository, run, check, read };
}

const codes = ({ findings }: { findings: Array<{ code: string; file: string }> }) =>
  findings.map((one) => `${one.file} ${one.code}`);

test('a block without its comment is found, with the commit behind it and what the comment should say', async () => {
  const { commit, check } = scene();
  commit('by a person', { 'a.py': code(12) });
  const sha = commit(BY_AGENT, { 'b.py': code(9) });
  expect(await check()).toEqual({
    exitCode: 20,
    ok: false,
    range: 'HEAD',
    commit_count: 2,
    agent_commit_count: 1,
    longer_than: 8,
    file_count: 1,
    block_count: 1,
    findings: [
      {
        code: 'comment.missing',
        severity: 'error',
        file: 'b.py',
        line: 1,
        end_line: 9,
        agent: 'code-writer',
        sources: ['trailer'],
        commits: [sha],
        message: `lines 1 to 9 are by agent code-writer, and no comment above them says so: ${WORDS}`,
        comment: WORDS,
        basis: { agent: { source: 'declared' }, version: { source: 'declared' }, model: { source: 'declared' } },
        edit: { above: 1, text: `# ${WORDS}` },
        fixed: false,
      },
    ],
    skipped: [],
    problems: [],
  });
});

test('--fix writes it, twice is once, and then the check is content before and after the commit', async () => {
  const { commit, check, read, git, folder } = scene();
  commit('base', { 'a.py': `${code(5)}${code(5, 'z')}` });
  const text = `\ufeffint x;\r\nint y; /* ä */\r\n${'int y;\r\n'.repeat(8)}int last;`;
  commit(BY_AGENT, {
    'a.py': `${code(5)}def f():\n${code(9, '    y')}${code(5, 'z')}`,
    'b.c': text,
    'run.py': `#!/usr/bin/env python3\n${'echo()\n'.repeat(9)}`,
  });
  chmodSync(join(folder, 'run.py'), 0o755);
  git('commit', '--quiet', '--all', '--amend', '--no-edit');
  const { exitCode, ...fixed } = await check('--fix');
  const golden = JSON.stringify(fixed, null, 2).replaceAll(/\b[0-9a-f]{40}\b/g, '<40 hex digits>');
  await expect(`${golden}\n`).toMatchFileSnapshot('../../../test/golden/sbom-comments.json');
  expect([exitCode, fixed.findings.map((one: { fixed: boolean }) => one.fixed)]).toEqual([0, [true, true, true]]);
  expect(read('a.py')).toBe(`${code(5)}# ${WORDS}\ndef f():\n${code(9, '    y')}${code(5, 'z')}`);
  expect(Buffer.from(read('b.c'), 'latin1').toString()).toBe(text.replace('\r\n', `\r\n/* ${WORDS} */\r\n`));
  expect(read('run.py').split('\n').slice(0, 2)).toEqual(['#!/usr/bin/env python3', `# ${WORDS}`]);
  expect(statSync(join(folder, 'run.py')).mode & 0o777).toBe(0o755);
  const before = git('diff');
  expect(await check('--fix')).toMatchObject({ exitCode: 0, findings: [] });
  expect(git('diff')).toBe(before);
  expect(await check()).toMatchObject({ exitCode: 0, findings: [] });
  commit('comments');
  expect(await check()).toMatchObject({ exitCode: 0, ok: true, findings: [], block_count: 3 });
});

test.each([
  ['all that is known', WORDS],
  ['less than is known', 'colophon: agent=code-writer'],
])('a comment of %s and a review that nothing confirms is wrong, and --fix takes the review out', async (_, words) => {
  const { commit, check, read } = scene();
  commit(BY_AGENT, { 'a.py': `# ${words} reviewed-by=alice@example.com\n${code(12)}` });
  const { exitCode, findings } = await check();
  expect([exitCode, codes({ findings })]).toEqual([20, ['a.py comment.wrong']]);
  expect(findings[0].comment).toBe(WORDS);
  expect((await check('--fix')).exitCode).toBe(0);
  expect(read('a.py')).toBe(`# ${WORDS}\n${code(12)}`);
  expect(await check()).toMatchObject({ exitCode: 0, findings: [] });
});

describe('what says that an agent wrote it', () => {
  const note = (lines: string) =>
    `a.py\n  s_c9883b05a2487d::t_9f8e7d6c5b4a32 ${lines}\n---\n${JSON.stringify({
      schema_version: 'authorship/3.0.0',
      base_commit_sha: '',
      prompts: {},
      sessions: { s_c9883b05a2487d: { agent_id: { tool: 'claude', model: 'claude-sonnet-4-5' } } },
    })}`;
  const trace = (revision: string, start: number, end: number) =>
    `${JSON.stringify({
      version: '0.1.0',
      id: '1',
      timestamp: '2026-01-01T00:00:00Z',
      vcs: { type: 'git', revision },
      tool: { name: 'cursor', version: '2.4.0' },
      files: [
        {
          path: 'a.py',
          conversations: [
            { contributor: { type: 'ai', model_id: 'm' }, ranges: [{ start_line: start, end_line: end }] },
          ],
        },
      ],
    })}\n`;

  /** A commit by an agent whose certificate has its reviewer from `source`, and what is found in it. */
  async function signedCommit(source: string) {
    const { commit, git, write, check, folder } = scene();
    const local = new LocalSigstore();
    const claims = { ...CLAIMS, claim_sources: `model_id=witness-isolated;human_reviewer=${source}` };
    commit('x\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nReviewed-by: Eve <eve@example.com>\n', {
      'a.py': code(20),
    });
    const raw = `${git('cat-file', 'commit', 'HEAD')}\n`;
    const armoured = draftCommitSignature(local, { signed: Buffer.from(raw), claims }).trimEnd();
    const signed = raw.replace('\n\n', `\ngpgsig ${armoured.replaceAll('\n', '\n ')}\n\n`);
    write('.git/signed', signed);
    const sha = git('hash-object', '-t', 'commit', '-w', '.git/signed');
    git('reset', '--quiet', sha);
    git('notes', '--ref=ai', 'add', '-m', note('1-9'), sha);
    write('.git/root.json', JSON.stringify(local.trustedRootJson()));
    return { check, root: join(folder, '.git/root.json') };
  }

  test('a signed commit is the agent’s as a whole, whatever notes and trailers say', async () => {
    const { check, root } = await signedCommit('declared');
    const [unverified] = (await check()).findings;
    expect(unverified).toMatchObject({
      line: 1,
      end_line: 20,
      agent: 'code-writer',
      sources: ['signature-unverified'],
      basis: { agent: { source: 'declared' }, model: { source: 'declared' } },
    });
    const { findings, problems } = await check('--trusted-root', root);
    expect(problems).toEqual([]);
    expect(findings).toMatchObject([{ line: 1, end_line: 20, sources: ['signature'] }]);
    expect(findings[0].comment).toMatch(/^colophon: agent=code-writer@1\.2\.3 model=claude-x prompt=sha256:b{64}$/);
    expect(findings[0].basis).toMatchObject({
      agent: { source: 'declared', signer: 'agent:code-writer' },
      model: { source: 'witness-isolated', signer: 'agent:code-writer' },
    });
  });

  test.each(CLAIM_SOURCES)('the reviewer in an agent’s certificate, from the source %s', async (source) => {
    const { check, root } = await signedCommit(source);
    const [unverified] = (await check()).findings;
    expect(unverified.comment).not.toContain('reviewed-by');
    const [finding] = (await check('--trusted-root', root)).findings;
    const isConfirmed = source === 'review-event';
    expect(finding.comment.includes('reviewed-by=ann@example.com')).toBe(isConfirmed);
    expect(finding.basis.reviewed_by).toEqual(isConfirmed ? { source, signer: 'agent:code-writer' } : undefined);
    expect(finding.comment).not.toContain('eve@');
  });

  test('a git-ai note names lines of its commit, wherever they are now', async () => {
    const { commit, git, check } = scene();
    const sha = commit('mixed', { 'a.py': code(20) });
    git('notes', '--ref=ai', 'add', '-m', note('3-12'), sha);
    git('mv', 'a.py', 'b.py');
    commit('moved', { 'b.py': `# one\n# two\n${code(20)}` });
    const [finding] = (await check()).findings;
    expect(finding).toMatchObject({
      file: 'b.py',
      line: 5,
      end_line: 14,
      sources: ['git-ai'],
      comment: 'colophon: agent=claude model=claude-sonnet-4-5',
    });
  });

  test('its lines are more exact than the commit’s trailer', async () => {
    const { commit, git, check } = scene();
    const sha = commit('mixed\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n', {
      'a.py': code(20),
      'b.py': code(20),
    });
    expect(codes(await check())).toEqual(['a.py comment.missing', 'b.py comment.missing']);
    git('notes', '--ref=ai', 'add', '-m', note('1-9'), sha);
    expect((await check()).findings).toMatchObject([{ file: 'a.py', line: 1, end_line: 9 }]);
  });

  test('an Agent Trace record names lines of its commit, or of the one that follows it', async () => {
    const { commit, check } = scene();
    const parent = commit('base');
    const sha = commit('work', { 'a.py': code(20), '.agent-trace/traces.jsonl': trace(parent, 2, 10) });
    expect((await check()).findings).toMatchObject([
      { line: 2, end_line: 10, agent: 'cursor', sources: ['agent-trace'] },
    ]);
    commit('traced later', { '.agent-trace/traces.jsonl': trace(sha, 5, 15) });
    expect((await check()).findings).toMatchObject([{ line: 5, end_line: 15 }]);
  });

  test('what cannot be read is told, and stops nothing', async () => {
    const { commit, git, run, check } = scene();
    const sha = commit(BY_AGENT, {
      'a.py': code(9),
      '.agent-trace/traces.jsonl': 'nonsense\n{"version":"1","files":[]}\n',
    });
    git('notes', '--ref=ai', 'add', '-m', 'nonsense', sha);
    const found = await check();
    expect(found.problems.map((one: { code: string; path: string }) => [one.code, one.path])).toEqual([
      ['agent_trace.malformed', '.agent-trace/traces.jsonl:1'],
      ['agent_trace.no_revision', '.agent-trace/traces.jsonl:2'],
      ['git_ai.malformed', sha],
    ]);
    expect(codes(found)).toEqual(['a.py comment.missing']);
    expect((await run()).stderr).toContain('[git_ai.malformed]');
  });

  test('an agent of one’s own is named by pattern, as a whole', async () => {
    const { commit, check } = scene();
    commit('x\n\nCo-authored-by: Acme Bot <bot@acme.example>\n', { 'a.py': code(9) });
    expect((await check()).findings).toEqual([]);
    expect((await check('--agent-pattern', 'bot@acme')).findings).toEqual([]);
    expect((await check('--agent-pattern', 'bot@acme\\..*')).findings).toMatchObject([{ agent: 'acme-bot' }]);
  });
});

describe('which files and commits', () => {
  test('only what the range wrote counts, at its end', async () => {
    const { commit, check } = scene();
    commit(BY_AGENT, { 'a.py': code(9) });
    const second = commit(BY_AGENT, { 'b.py': code(9) });
    commit('person', { 'b.py': 'gone\n' });
    expect(codes(await check('--range', second))).toEqual(['b.py comment.missing']);
    expect(codes(await check('--range', 'HEAD~1..HEAD'))).toEqual([]);
    expect(codes(await check('--range', 'HEAD~2..HEAD'))).toEqual([]);
    expect(codes(await check())).toEqual(['a.py comment.missing']);
    expect(await check('--range', second, '--fix')).toMatchObject({ ok: false, error: { code: 'cli.usage' } });
  });

  test('paths choose, from the repository’s folder or below it', async () => {
    const { commit, check, folder } = scene();
    commit(BY_AGENT, { 'a/x.py': code(9), 'ab/x.py': code(9), 'b.py': code(9) });
    expect(codes(await check(join(folder, 'a')))).toEqual(['a/x.py comment.missing']);
    expect(codes(await check(folder))).toHaveLength(3);
    expect(await check('/etc')).toMatchObject({ exitCode: 1, error: { code: 'cli.usage' } });
  });

  test('a path that is nowhere is an error, since nothing would be checked', async () => {
    const { folder, commit, check, git } = scene();
    commit(BY_AGENT, { 'a.py': code(9) });
    expect(await check(join(folder, 'b.py'))).toMatchObject({ exitCode: 1, error: { code: 'cli.file_unreadable' } });
    git('rm', '--quiet', '--cached', 'a.py');
    rmSync(join(folder, 'a.py'));
    expect(await check(join(folder, 'a.py'))).toMatchObject({ skipped: [{ reason: 'not in the working tree' }] });
  });

  test('a file that is too large for its parser stops nothing', async () => {
    const { commit, check } = scene();
    commit(BY_AGENT, { 'a.py': `x = "${'a'.repeat(4_200_000)}"\n${code(9)}`, 'b.py': code(9) });
    expect(codes(await check())).toEqual(['a.py comment.missing', 'b.py comment.missing']);
  });

  test('what is skipped is said, with the reason', async () => {
    const { commit, check, folder, write } = scene();
    write('l.py', '');
    commit('by a person', { '.gitattributes': 'gen.py linguist-generated\nlib.py linguist-vendored\n' });
    symlinkSync('/etc/passwd', join(folder, 'link.py'));
    commit(BY_AGENT, {
      'a.json': '{}\n',
      'b.py': Buffer.from([1, 0, 2]),
      'gen.py': code(9),
      'lib.py': code(9),
      'package-lock.json': '{}\n',
    });
    const { skipped, exitCode } = await check('--range', 'HEAD');
    expect([exitCode, skipped.map((one: { file: string; reason: string }) => `${one.file}: ${one.reason}`)]).toEqual([
      0,
      [
        'a.json: no comment syntax',
        'b.py: binary',
        'gen.py: generated, by .gitattributes',
        'lib.py: vendored, by .gitattributes',
        'link.py: a symbolic link',
        'package-lock.json: no comment syntax',
      ],
    ]);
  });

  test('what the range itself says about its files hides none of them', async () => {
    const { commit, check, write, git } = scene();
    const base = commit('by a person', { 'a.txt': '1\n' });
    commit(BY_AGENT, { '.gitattributes': '* linguist-generated\n', 'sub/.gitattributes': '* linguist-vendored\n' });
    commit(BY_AGENT, { 'gen.py': code(9), 'sub/lib.py': code(9) });
    const found = ['gen.py comment.missing', 'sub/lib.py comment.missing'];
    for (const range of [[], ['--range', `${base}..HEAD`], ['--range', `${base}...HEAD`]]) {
      const { exitCode, skipped, ...report } = await check(...range);
      expect([exitCode, codes(report), skipped]).toEqual([20, found, []]);
    }
    // Nor does what is not committed, or what the clone was given beside its commits.
    write('.gitattributes', 'gen.py linguist-vendored\n');
    git('update-ref', 'refs/remotes/origin/main', base);
    expect(codes(await check())).toEqual(found);
    // As it stands where the change is to go, it counts.
    git('update-ref', 'refs/remotes/origin/main', 'HEAD^');
    const merged = await check();
    expect([merged.exitCode, merged.range, merged.skipped.map(({ file }: { file: string }) => file)]).toEqual([
      0,
      'origin/main..HEAD',
      ['gen.py', 'sub/lib.py'],
    ]);
    expect((await check('--range', 'HEAD')).skipped).toHaveLength(2);
  });

  test('names with quotes, newlines and blanks are fixed like others', async () => {
    const { commit, check } = scene();
    commit(BY_AGENT, { 'a b.py': code(9), 'new\nline.py': code(9), 'quo"te\t.py': code(9), ':(top)ü.py': code(9) });
    expect((await check('--fix')).findings).toHaveLength(4);
    expect(await check()).toMatchObject({ exitCode: 0, findings: [] });
  });

  test('a file that became a link out of the repository is not written to', async () => {
    const { commit, check, folder, git } = scene();
    const outside = temporaryFolder(onTestFinished);
    commit(BY_AGENT, { 'd/a.py': code(9) });
    git('mv', 'd', join(folder, 'e'));
    symlinkSync(outside, join(folder, 'd'));
    git('reset', '--quiet');
    const { skipped } = await check('--fix');
    expect(skipped).toEqual([{ file: 'd/a.py', reason: expect.stringMatching(/not in the working tree|outside/) }]);
  });
});

describe('where it would change the program', () => {
  test.each<[path: string, before: string, after: string, open: string, close?: string, line?: string]>([
    ['a.ts', 'export const t = `\n', '`;\n', '// '],
    ['a.tsx', 'const a = (\n  <div>\n', '  </div>\n);\n', '  // '],
    ['a.py', 'x = """\n', '"""\n', '# '],
    ['a.rs', 'const X: &str = r#"\n', '"#;\n', '// '],
    ['a.java', 'class A { String s = """\n', '"""; }\n', '// '],
    ['a.go', 'var x = `\n', '`\n', '// '],
    ['a.c', '/*\n', '*/\n', '/* ', ' */'],
    ['a.yaml', 'a: |\n', 'b: 1\n', '# ', '', '  words\n'],
    ['a.toml', 'a = """\n', '"""\n', '# '],
  ])(
    '%s: the comment goes above the text that the block is in',
    async (path, before, after, open, close = '', line = 'words\n') => {
      const { commit, check, read, run } = scene();
      commit('base', { [path]: before + after });
      const text = before + line.repeat(9) + after;
      commit(BY_AGENT, { [path]: text });
      expect((await run('--fix')).exitCode).toBe(0);
      const lines = read(path).split('\n');
      const at = before.split('\n').length - 2;
      expect(lines[at]).toBe(`${open}${WORDS}${close}`);
      expect([...lines.slice(0, at), ...lines.slice(at + 1)].join('\n')).toBe(text);
      expect(await check()).toMatchObject({ exitCode: 0, findings: [] });
    },
  );

  test('and where there is no such place, --fix says so and the exit stays 20', async () => {
    const { commit, run, read } = scene();
    const text = `<p>\n${'<p>\n'.repeat(9)}<?php\n`;
    commit(BY_AGENT, { 'a.php': text });
    const ran = await run('--fix');
    expect(ran.exitCode).toBe(20);
    expect(ran.stdout).toContain('cannot be fixed here');
    expect(read('a.php')).toBe(text);
  });
});

describe('what --fix does not write', () => {
  const first = async (check: ReturnType<typeof scene>['check'], ...flags: string[]) => {
    const { exitCode, findings } = await check(...flags);
    const { code, fixed, not_fixable_code, edit } = findings[0];
    return { exitCode, code, fixed, not_fixable_code, edit };
  };

  test.each([
    ['a.sh', 'echo\n', 'comment.no_parser'],
    ['a.py', 'x = (\n', 'comment.unparsed'],
  ])('is told by its code with and without --fix: %s', async (path, line, not_fixable_code) => {
    const { commit, check, read } = scene();
    commit(BY_AGENT, { [path]: line.repeat(9) });
    const expected = { exitCode: 20, code: 'comment.missing', fixed: false, not_fixable_code };
    expect(await first(check)).toMatchObject(expected);
    expect(await first(check, '--fix')).toMatchObject(expected);
    expect(read(path)).toBe(line.repeat(9));
  });

  test('is shown with its line and place, for people and machines', async () => {
    const { commit, check, run } = scene();
    commit(BY_AGENT, { 'a.sh': `#!/bin/sh\n${'echo\n'.repeat(9)}` });
    expect(await first(check)).toMatchObject({ edit: { above: 2, text: `# ${WORDS}` } });
    const { stdout } = await run('--fix');
    expect(stdout).toContain('[comment.no_parser]');
    expect(stdout).toContain(`above line 2: # ${WORDS}`);
    expect(stdout).not.toContain('next:');
  });

  test.each([
    ['a shell script', 'a.sh', '# colophon: agent=b\n', 'echo\n', '', 'comment.no_parser', 1],
    ['a text', 'a.py', 'x = """\n# colophon: agent=b\n', 'words\n', '"""\n', 'comment.changes_program', 2],
  ])('is a wrong comment in %s', async (_, path, before, line, after, not_fixable_code, replaces) => {
    const { commit, check, read } = scene();
    commit('base', { [path]: before + after });
    commit(BY_AGENT, { [path]: before + line.repeat(9) + after });
    const found = await first(check, '--fix');
    expect(found).toMatchObject({ exitCode: 20, code: 'comment.wrong', not_fixable_code, edit: { replaces } });
    expect(read(path)).toBe(before + line.repeat(9) + after);
  });

  test('is a comment that Python would take for a declaration of the encoding', async () => {
    const { commit, check, read } = scene();
    const message = 'work\n\nColophon-Agent: code-writer@2.4.1\nColophon-Model: qwen-coding:7b\n';
    commit(message, { 'a.py': code(9) });
    expect(await first(check, '--fix')).toMatchObject({ exitCode: 20, not_fixable_code: 'comment.changes_program' });
    expect(read('a.py')).toBe(code(9));
  });

  test('is a file that is not UTF-8', async () => {
    const { commit, check, read } = scene();
    const text = `# coding: latin-1\n# \u00e4\n${code(9)}`;
    commit(BY_AGENT, { 'a.py': Buffer.from(text, 'latin1') });
    expect(await first(check, '--fix')).toMatchObject({ exitCode: 20, not_fixable_code: 'comment.unparsed' });
    expect(read('a.py')).toBe(text);
  });

  test('is a read-only file, also for root', async () => {
    const { commit, check, folder, read } = scene();
    commit(BY_AGENT, { 'a.py': code(9) });
    chmodSync(join(folder, 'a.py'), 0o444);
    expect(await first(check, '--fix')).toMatchObject({ exitCode: 20, not_fixable_code: 'comment.read_only' });
    expect(read('a.py')).toBe(code(9));
  });

  test('is a file that git keeps in another form, except for its line ends', async () => {
    const { commit, check, folder, read, git, write } = scene();
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    write('.gitattributes', 'a.py ident\nb.py text eol=crlf\n');
    commit(BY_AGENT, { 'a.py': `# $Id$\n${code(9)}`, 'b.py': crlf(code(9)) });
    rmSync(join(folder, 'a.py'));
    rmSync(join(folder, 'b.py'));
    git('checkout', '--', '.');
    const before = read('a.py');
    expect([before, read('b.py')]).toEqual([expect.stringMatching(/^# \$Id: .+\$\n/), crlf(code(9))]);
    const { findings } = await check('--fix');
    expect(findings).toMatchObject([{ fixed: false, not_fixable_code: 'comment.file_changed' }, { fixed: true }]);
    expect([read('a.py'), read('b.py')]).toEqual([before, crlf(`# ${WORDS}\n${code(9)}`)]);
  });

  test('is not what else the file needs: of two comments the one that is proved is written', async () => {
    const { commit, check, read } = scene();
    const wrong = 'x = """\n# colophon: agent=b\n';
    commit('base', { 'a.py': `${wrong}"""\n` });
    commit(BY_AGENT, { 'a.py': `${wrong}${'words\n'.repeat(9)}"""\n\ndef f():\n${code(9, '    y')}` });
    const { exitCode, findings } = await check('--fix');
    expect([exitCode, findings.map((one: { fixed: boolean }) => one.fixed)]).toEqual([20, [false, true]]);
    expect(read('a.py')).toBe(`${wrong}${'words\n'.repeat(9)}"""\n\n# ${WORDS}\ndef f():\n${code(9, '    y')}`);
  });
});

test('a byte order mark before a wrong comment stays', async () => {
  const { commit, check, read } = scene();
  commit(BY_AGENT, { 'a.py': `\ufeff# colophon: agent=b\n${code(9)}` });
  expect((await check('--fix')).exitCode).toBe(0);
  expect(Buffer.from(read('a.py'), 'latin1').toString()).toBe(`\ufeff# ${WORDS}\n${code(9)}`);
});

describe('other forms', () => {
  const withFinding = (): GitRepository & ReturnType<typeof scene> => {
    const here = scene();
    here.commit(BY_AGENT, { 'a|b`.py': code(9) });
    return here;
  };

  test('SARIF has the place of the block', async () => {
    const { run } = withFinding();
    const ran = await run('--output', 'sarif');
    expect(ran.exitCode).toBe(20);
    const [result] = documentOf(ran).runs[0].results;
    expect(result).toMatchObject({ ruleId: 'comment.missing', level: 'error' });
    expect(result.locations[0].physicalLocation.region).toEqual({ startLine: 1, endLine: 9 });
  });

  test('Markdown is one table that a file’s name cannot break', async () => {
    const { run } = withFinding();
    const { stdout } = await run('-o', 'markdown');
    expect(stdout).toContain('| a\\|b\\`.py | 1–9 | code-writer |');
  });

  test('for people every finding says what to do next', async () => {
    const { run } = withFinding();
    const { stdout } = await run();
    expect(stdout).toContain('[comment.missing]');
    expect(stdout).toContain('next: colophon sbom comments --fix');
  });
});

test.each<[what: string, flags: string[], exitCode: number, code: string]>([
  ['an unknown commit', ['--range', 'nope'], 11, 'forge.unknown_revision'],
  ['an option for a range', ['--range=--all'], 11, 'forge.unknown_revision'],
  ['no number', ['--longer-than', 'x'], 1, 'cli.usage'],
  ['no pattern', ['--agent-pattern', '('], 1, 'cli.usage'],
  ['a folder that is not there', ['--repository', '/nonexistent'], 1, 'forge.no_repository'],
  ['no trusted root', ['--trusted-root', '/nonexistent'], 1, 'cli.file_unreadable'],
])('%s is refused', async (_, flags, exitCode, expected) => {
  const { commit, check } = scene();
  commit('one');
  expect(await check(...flags)).toMatchObject({ exitCode, ok: false, error: { code: expected } });
});

test('a repository without commits has nothing to check', async () => {
  const { check } = scene();
  expect(await check()).toMatchObject({ exitCode: 10, error: { code: 'forge.no_commits' } });
});
