import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Installation } from './colophon-up.ts';
import { type Outcome, run } from './programs.ts';

/** What a person would have in a git configuration who signs every commit with gitsign. */
const GIT_CONFIG = `[init]
  defaultBranch = main
[user]
  name = Code Writer
  email = code-writer@agents.example
[commit]
  gpgSign = true
[gpg]
  format = x509
[gpg "x509"]
  program = gitsign
`;

/** A repository whose commits gitsign signs. */
export type GitsignRepository = {
  readonly folder: string;
  /** In the repository, with the variables that `colophon env` says and nothing else. */
  call(program: string, args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
  /** The same, which has to succeed. */
  must(program: string, args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
};

/** Makes one for a running `colophon up`. */
export async function makeGitsignRepository(up: Installation): Promise<GitsignRepository> {
  const folder = join(up.folder, 'repository');
  const printed = await up.colophon(['env', '--output', 'json']);
  expect(printed.code, printed.stderr).toBe(0);
  const exported: Record<string, string> = JSON.parse(printed.stdout).variables;
  const call: GitsignRepository['call'] = (program, args, env = {}) =>
    run(program, args, { cwd: folder, env: { ...up.env, ...exported, ...env } });
  const must: GitsignRepository['must'] = async (program, args, env) => {
    const outcome = await call(program, args, env);
    expect(outcome.code, `${program} ${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    return outcome;
  };
  writeFileSync(join(up.folder, '.gitconfig'), GIT_CONFIG);
  mkdirSync(folder);
  await must('git', ['init', '--quiet']);
  return { folder, call, must };
}
