import { expect, test } from 'vitest';
import { runLine } from '../../test/command-line.ts';

test.each([
  [[]],
  [['vex', 'sign']],
  [['vex', 'verify']],
  [['remediation', 'close']],
  [['report', 'quarterly']],
  [['verify-attestation']],
])('the help of %j stays within 80 columns, and its words have room', async (command) => {
  const { stdout } = await runLine([...command, '--help']);
  for (const line of stdout.split('\n')) {
    expect(line.length).toBeLessThanOrEqual(80);
    // Nothing begins so far to the right that only a word or two fit behind it.
    expect(line.search(/\S/)).toBeLessThan(40);
  }
});

test('the flags of the command itself come before those that every signature takes', async () => {
  const { stdout } = await runLine(['report', 'quarterly', '--help']);
  const headings = stdout.match(/^[A-Z].*:$/gm);
  expect(headings).toEqual([
    'Options:',
    'Who signs:',
    'What ran, where an agent signs:',
    'Where it is signed:',
    'Whose signature counts:',
    'Global Options:',
    'For example:',
  ]);
  expect(stdout.indexOf('--period')).toBeLessThan(stdout.indexOf('Who signs:'));
  expect(stdout.indexOf('--trusted-root')).toBeGreaterThan(stdout.indexOf('Where it is signed:'));
});

test('a term that is too long has its words below it', async () => {
  const { stdout } = await runLine(['vex', 'verify', '--help']);
  expect(stdout).toMatch(/^ {2}--certificate-github-workflow-repository <repo>\n {36}the repository/m);
});
