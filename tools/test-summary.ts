// Sums up the reports of several test runs: what failed, with the first words of why, then how many passed and failed.
// A log of many thousand lines is read from its end.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Of vitest's JSON report. */
export type TestReport = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }>;
  }>;
};

const LONGEST_REASON = 600;

/** A paragraph for each test that failed, and for each file that did before it had any. */
export function failuresOf({ testResults }: TestReport, root: string): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}\n${indented(message ?? '')}`] : [];
    return failed.map((test) => `${file} > ${test.fullName}\n${indented((test.failureMessages ?? []).join('\n'))}`);
  });
}

function indented(reason: string): string {
  const plain = stripVTControlCharacters(reason);
  return plain.slice(0, LONGEST_REASON).trimEnd().replace(/^/gm, '    ');
}

if (import.meta.main) {
  const reports = process.argv.slice(2).flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as TestReport];
    } catch {
      console.log(`no report: ${file}`);
      return [];
    }
  });
  for (const failure of reports.flatMap((report) => failuresOf(report, process.cwd())))
    console.log(`FAILED ${failure}`);
  const sum = (count: (report: TestReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  console.log(`${sum((one) => one.numPassedTests)} ${sum((one) => one.numFailedTests)}`);
}
