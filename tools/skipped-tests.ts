// Names the test files of a report in which something was skipped: on another machine there may be what they need.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestReport } from './test-summary.ts';

/** The files, relative to `root`, of which at least one test neither passed nor failed. */
export function skippedFiles({ testResults }: TestReport, root: string): string[] {
  return testResults
    .filter(({ assertionResults }) => assertionResults.some(({ status }) => status !== 'passed' && status !== 'failed'))
    .map(({ name }) => relative(root, name));
}

/** A file in which tests were skipped, relative to the repository. */
export type Skipped = { readonly file: string; readonly tests: number };

/** What the tests of a file need beside npm, and how to have it; real documents are what most need. */
const NEEDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/postgresql\.test/, 'PostgreSQL (apt-get install postgresql)'],
  [/(full-disk|demo-scratch|home-folder|unusable-folders)\.test/, 'root (sudo)'],
  [/(cli\/test\/program|requirements)\.test/, 'an older Node.js as /usr/bin/node'],
  [/loopback-listener\.test/, 'IPv6 on loopback'],
  // Each of these says itself what it lacks.
  [/^interop\//, 'what is named above (.ci/tools.sh)'],
  [/./, 'collected real documents (COLOPHON_DATA=FOLDER)'],
];

/** `Tests skipped on this machine: 140. They need: PostgreSQL (…) for 83, …`; undefined where none was. */
export function skippedLine(skipped: readonly Skipped[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { file, tests } of skipped.filter((one) => one.tests > 0)) {
    const need = NEEDS.find(([pattern]) => pattern.test(file))![1];
    counts.set(need, (counts.get(need) ?? 0) + tests);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const needs = [...counts].sort(([, a], [, b]) => b - a).map(([need, count]) => `${need} for ${count}`);
  return `Tests skipped on this machine: ${total}. They need: ${needs.join(', ')}`;
}

if (import.meta.main) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as TestReport;
  for (const file of skippedFiles(report, process.cwd())) console.log(file);
}
