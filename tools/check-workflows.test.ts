import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workflowProblems } from './check-workflows.ts';

const FOLDER = join(import.meta.dirname, '../.github/workflows');

test.each(readdirSync(FOLDER))('%s holds to our rules', (name) => {
  expect(workflowProblems(readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
});

test.each([
  ['has no permissions line', 'jobs: {}', /permissions/],
  ['uses an action', 'permissions: {}\n    - uses: actions/checkout@v4', /action/],
  ['runs for strangers with our secrets', 'permissions: {}\non: [pull_request_target]', /secrets/],
  ['puts a title into a script', 'permissions: {}\nrun: echo $' + '{{ github.event.pull_request.title }}', /script/],
])('a workflow that %s is refused', (_, text, expected) => {
  expect(workflowProblems(text).join()).toMatch(expected);
});
