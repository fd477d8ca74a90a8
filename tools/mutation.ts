// Runs the mutants of stryker.config.json against the unit tests. Stryker itself fails under the threshold; it does not
// mind if a file that we name has no mutants at all, as after a rename, and so this does.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

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

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const config = JSON.parse(readFileSync(join(root, 'stryker.config.json'), 'utf8'));
  const report = join(root, config.jsonReporter.fileName);
  rmSync(report, { force: true });
  const { status } = spawnSync('stryker', ['run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
  const problems = status === 0 ? untriedFiles(config.mutate, JSON.parse(readFileSync(report, 'utf8'))) : [];
  for (const problem of problems) console.error(problem);
  process.exitCode = status === 0 && problems.length === 0 ? 0 : 1;
}
