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

if (import.meta.main) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as TestReport;
  for (const file of skippedFiles(report, process.cwd())) console.log(file);
}
