import { expect, test } from 'vitest';
import { failuresOf } from './test-summary.ts';

const passing = { fullName: 'a passes', status: 'passed', failureMessages: [] };
const report = (...testResults: Array<{ status: string; message?: string; assertionResults: object[] }>) =>
  ({
    numPassedTests: 1,
    numFailedTests: 1,
    testResults: testResults.map((one) => ({ name: '/root/x.test.ts', ...one })),
  }) as Parameters<typeof failuresOf>[0];

test('what failed is named with the first words of why', () => {
  const failing = {
    fullName: 'b fails',
    status: 'failed',
    failureMessages: [`\u001b[31mNo\u001b[0m\nat line 3${'.'.repeat(999)}`],
  };
  const [failure, ...others] = failuresOf(report({ status: 'failed', assertionResults: [passing, failing] }), '/root');
  expect(others).toEqual([]);
  expect(failure).toMatch(/^x\.test\.ts > b fails\n {4}No\n {4}at line 3\.+$/);
  expect(failure?.length).toBeLessThan(700);
});

test('a file that broke before its first test is a failure', () => {
  const broken = report({ status: 'failed', message: 'cannot import', assertionResults: [] });
  expect(failuresOf(broken, '/root')).toEqual(['x.test.ts\n    cannot import']);
});

test('what passed is not named', () => {
  expect(failuresOf(report({ status: 'passed', assertionResults: [passing] }), '/root')).toEqual([]);
});
