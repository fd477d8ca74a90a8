import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actionProblems, workflowProblems } from './check-workflows.ts';

const FOLDER = join(import.meta.dirname, '../.github/workflows');

test.each(readdirSync(FOLDER))('%s holds to our rules', (name) => {
  expect(workflowProblems(readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
});

test.each([
  ['has no permissions line', 'jobs: {}', /permissions/],
  ['uses an action', 'permissions: {}\n    - uses: actions/checkout@v4', /action/],
  ['uses the cache at another version', 'permissions: {}\n    - uses: actions/cache@v5', /action/],
  ['names an action in quotes', "permissions: {}\n    - 'uses': actions/checkout@v4", /action/],
  ['runs for strangers with our secrets', 'permissions: {}\non: [pull_request_target]', /secrets/],
  ['puts a title into a script', 'permissions: {}\nrun: echo $' + '{{ github.event.pull_request.title }}', /script/],
])('a workflow that %s is refused', (_, text, expected) => {
  expect(workflowProblems(text).join()).toMatch(expected);
});

test('the action that we publish holds to our rules', () => {
  const action = join(import.meta.dirname, '../recipes/github/action.yml');
  expect(actionProblems(readFileSync(action, 'utf8'))).toEqual([]);
});

test.each([
  ['is no composite', 'runs: { using: node24, main: index.js }', /composite/],
  ['uses an action', 'runs: { using: composite, steps: [{ uses: actions/checkout@v4 }] }', /action/],
  [
    'puts an input into a script',
    `runs: { using: composite, steps: [{ shell: sh, run: 'echo $${'{'}{ inputs.files }}' }] }`,
    /script/,
  ],
])('an action that %s is refused', (_, text, expected) => {
  expect(actionProblems(text).join()).toMatch(expected);
});
