// Runs the mutants of stryker.config.json against the unit tests. Stryker itself fails under the threshold; it does not
// mind if a file that we name has no mutants at all, as after a rename, and so this does.
//   node tools/mutation.ts                       all of them
//   node tools/mutation.ts --changed [COMMIT]    of the files that changed since they left COMMIT's history, or main's;
//                                                where this is main itself, within its last six hours of commits
//   node tools/mutation.ts --mutate FILE,...     of these
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of Stryker's report (mutation-testing-report-schema): which mutants of each file lived and died. */
export type MutationReport = {
  readonly files: Readonly<Record<string, { readonly mutants: ReadonlyArray<{ readonly status: string }> }>>;
};

/** A sentence for each named file whose mutants were not tried. */
export function untriedFiles(named: readonly string[], { files }: MutationReport): string[] {
  return named
    .filter((path) => !(files[path]?.mutants ?? []).some(({ status }) => status === 'Killed' || status === 'Timeout'))
    .map((path) => `${path}: no mutant of it was killed, so nothing was tried`);
}

const CONFIG = 'stryker.config.json';
const SUITE = 'vitest.mutation.config.ts';

/** What this reads of stryker.config.json, and whatever else stands there. */
export type MutationConfig = { readonly mutate: readonly string[]; readonly [setting: string]: unknown };

/**
 * Of the files that the configuration names those that changed, that have a changed test beside them, or that the
 * configuration did not name `before`; all where it changed how mutants are tried.
 */
export function filesToTry(config: MutationConfig, changed: readonly string[], before?: MutationConfig): string[] {
  const { mutate: named, ...settings } = config;
  const { mutate: namedBefore, ...settingsBefore } = before ?? { mutate: [] };
  if (changed.includes(SUITE) || JSON.stringify(settings) !== JSON.stringify(settingsBefore)) return [...named];
  const tested = new Set(changed.filter((path) => path.endsWith('.test.ts')).map((path) => dirname(path)));
  return named.filter((path) => changed.includes(path) || tested.has(dirname(path)) || !namedBefore.includes(path));
}

const RECENT_SECONDS = 6 * 60 * 60;

/** What differs between the files as they are and the commit from which they are counted as changed. */
function changedSince(root: string, commit: string | undefined): { files: string[]; before?: MutationConfig } {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const lines = (text: string | undefined) => (text ?? '').split('\n').filter(Boolean);
  let base = git('merge-base', 'HEAD', commit ?? 'origin/main');
  if (commit !== undefined && base === undefined) throw new Error(`no common history with ${commit}`);
  if (commit === undefined && (base === undefined || base === git('rev-parse', 'HEAD'))) {
    base = git('rev-list', '-1', `--before=@${Number(git('log', '-1', '--format=%ct')) - RECENT_SECONDS}`, 'HEAD');
  }
  // Of a shallow clone, or a young one, every file is new.
  if (!base) return { files: lines(git('ls-files')) };
  console.log(`mutants of the files that changed since ${git('log', '-1', '--format=%h %cI %s', base)}`);
  const before = git('show', `${base}:${CONFIG}`);
  const files = lines(git('diff', '--name-only', base)).filter(
    (path) => path !== SUITE || !hasOnlyGrown(git('diff', '--numstat', base, '--', SUITE) ?? ''),
  );
  return { files, ...(before && { before: JSON.parse(before) }) };
}

/** Whether lines were only added, by `git diff --numstat`: more tests let no mutant live that died before. */
export function hasOnlyGrown(numstat: string): boolean {
  return numstat.split('\t')[1] === '0';
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const config = JSON.parse(readFileSync(join(root, CONFIG), 'utf8'));
  const [flag, value, ...others] = process.argv.slice(2);
  const since = flag === '--changed' ? changedSince(root, value || undefined) : undefined;
  const named = flag === '--mutate' ? (value ?? '').split(',') : config.mutate;
  const files = since === undefined ? named : filesToTry(config, since.files, since.before);
  if (files.length === 0) {
    console.log('no file whose mutants are tried has changed');
  } else {
    const args = since === undefined ? process.argv.slice(2) : ['--mutate', files.join(','), ...others];
    const report = join(root, config.jsonReporter.fileName);
    rmSync(report, { force: true });
    const { status } = spawnSync('stryker', ['run', ...args], { cwd: root, stdio: 'inherit' });
    const problems = status === 0 ? untriedFiles(files, JSON.parse(readFileSync(report, 'utf8'))) : [];
    for (const problem of problems) console.error(problem);
    process.exitCode = status === 0 && problems.length === 0 ? 0 : 1;
  }
}
