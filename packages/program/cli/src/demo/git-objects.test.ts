import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { commitId } from './git-objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'colophon-objects-'));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a commit has the id that git gives it, also after another and with folders that sort as git sorts them', () => {
  const who = { name: 'code-writer', email: 'code-writer@agents.example.com', seconds: 1_750_000_000 };
  const files = { 'src/a.js': 'a\n', 'src-x': 'x', 'src.js': '', 'src/deep/ä.txt': 'é\n', z: 'z' };
  const at = `${who.seconds} +0000`;
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
    GIT_COMMITTER_DATE: at,
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  const commit = (message: string) => {
    git('add', '.');
    git('commit', '--quiet', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const first = commit('One');
  expect(commitId(files, 'One', who)).toBe(first);
  writeFileSync(join(folder, 'z'), 'zz');
  expect(commitId({ ...files, z: 'zz' }, 'Two', who, first)).toBe(commit('Two'));
});
