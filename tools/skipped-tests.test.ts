import { expect, test } from 'vitest';
import { skippedFiles, skippedLine } from './skipped-tests.ts';

test('a file is named where one of its tests neither passed nor failed', () => {
  const testResults = [['passed', 'passed'], ['passed', 'skipped'], ['failed', 'passed'], ['pending']].map(
    (statuses, at) => ({
      name: `/root/${at}.test.ts`,
      status: 'passed',
      assertionResults: statuses.map((status) => ({ fullName: 'x', status })),
    }),
  );
  const report = { numPassedTests: 0, numFailedTests: 0, testResults };
  expect(skippedFiles(report, '/root')).toEqual(['1.test.ts', '3.test.ts']);
});

test('one line says how many tests were skipped, and how to have them', () => {
  const line = skippedLine([
    { file: 'packages/program/cli/test/demo-scratch.test.ts', tests: 2 },
    { file: 'packages/base/store/test/postgresql.test.ts', tests: 83 },
    { file: 'packages/program/server/test/full-disk.test.ts', tests: 2 },
    { file: 'packages/contents/sbom/test/corpus.test.ts', tests: 1 },
    { file: 'interop/libraries.test.ts', tests: 71 },
  ]);
  expect(line).toBe(
    'Tests skipped on this machine: 159. They need: PostgreSQL (apt-get install postgresql) for 83, what is named above (.ci/tools.sh) for 71, root (sudo) for 4, collected real documents (COLOPHON_DATA=FOLDER) for 1',
  );
  expect(skippedLine([])).toBeUndefined();
});
