import { expect, test } from 'vitest';
import { skippedFiles } from './skipped-tests.ts';

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
