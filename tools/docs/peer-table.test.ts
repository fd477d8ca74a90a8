import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { broughtPrograms, peerTableProblems } from './peer-table.ts';

const SCRIPT = `readonly PROGRAMS='
crane   github.com/x/crane v0.22.1 any
gitsign github.com/x/sign  v0.17.1 any .ci/gitsign
maker   .                  own     any .ci/maker
'

readonly FULL_RUN_PROGRAMS='
helm    helm.sh/helm       v4.3.1  any
'
`;

function problems(page: string, script = SCRIPT): string[] {
  const root = temporaryFolder(onTestFinished);
  for (const folder of ['docs', '.ci', 'interop']) mkdirSync(join(root, folder));
  writeFileSync(join(root, '.ci/tools.sh'), script);
  writeFileSync(join(root, 'interop/here.test.ts'), '');
  writeFileSync(join(root, 'docs/peers.md'), page);
  return peerTableProblems(root);
}

const GOOD = '| a | crane v0.22.1, gitsign v0.17.1; maker; helm v4.3.1 | `interop/here.test.ts` |';

test('a page that names every program and only suites that exist is right', () => {
  expect(broughtPrograms(SCRIPT)).toEqual(['crane v0.22.1', 'gitsign v0.17.1', 'maker', 'helm v4.3.1']);
  expect(problems(GOOD)).toEqual([]);
});

test.each([
  ['a program is missing', GOOD.replace('gitsign v0.17.1', ''), 'gitsign v0.17.1'],
  ['a program of a full run is missing', GOOD.replace('helm v4.3.1', ''), 'helm v4.3.1'],
  ['a version is another', GOOD.replace('v0.22.1', 'v0.22.10'), 'crane v0.22.1'],
  ['a version goes on', GOOD.replace('v0.22.1', 'v0.22.1.2'), 'crane v0.22.1'],
  ['a name only ends like it', GOOD.replace('maker', 'bookmaker'), 'maker'],
  ['a suite is not there', GOOD.replace('here', 'gone'), 'interop/gone.test.ts'],
])('%s: that is said', (_title, page, named) => {
  expect(problems(page)).toEqual([expect.stringContaining(named)]);
});

test('a table that cannot be read is no empty one', () => {
  expect(problems(GOOD, 'PROGRAMS=()')).toHaveLength(1);
});
