import { expect, test } from 'vitest';
import { forbiddenTextProblems } from './forbidden-text.ts';

// In pieces here too: this file is checked like every other.
test.each([
  ['a path', `see /wo${'rk'}/main/x`],
  ['a scratch folder', `/tmp/bash${'_jobs'}.0/1`],
  ['somebody’s folder', `/ho${'me'}/alice/x`],
  ['a registry', `https://regi${'stry.npm'}js.org/x`],
  ['a page of ours that is not here', `as SP${'EC'}.md says`],
  ['a number', `fixes iss${'ue'} 12`],
  ['a private key', `-----BEGIN PRI${'VATE'} KEY-----\n${'MC4CAQAw'.repeat(8)}\n`],
  ['a private key in a string', `'-----BEGIN EC PRI${'VATE'} KEY-----\\n${'MC4CAQAw'.repeat(8)}'`],
])('%s is noticed with its line', (_, text) => {
  expect(forbiddenTextProblems('a.md', `first line\n${text}`)[0]).toMatch(/^a\.md:2: names /);
});

test.each([
  'the path .github/workflows/ci.yml, frame/worker/shop and /home/user/.config',
  'docs/contract.md, OPENSPEC.md and an issue of taste',
  'an issuer 600 seconds, proxy',
  '-----BEGIN PRIVATE KEY-----\nnothing that is one\n',
])('%s: nothing to say', (text) => {
  expect(forbiddenTextProblems('a.md', text)).toEqual([]);
});

test('a key of the tests’ data folder may be there, and beside it none', () => {
  const key = `-----BEGIN PRI${'VATE'} KEY-----\n${'MC4CAQAw'.repeat(8)}\n`;
  const folder = 'packages/program/cli/test/frozen/releases/0.1.0/data/keys';
  expect(forbiddenTextProblems(`${folder}/ledger.pem`, key)).toEqual([]);
  expect(forbiddenTextProblems(`${folder}/ledger.pem`, `/wo${'rk'}/main`)).toHaveLength(1);
  expect(forbiddenTextProblems(`${folder}/another.pem`, key)).toHaveLength(1);
  expect(forbiddenTextProblems('ledger.pem', key)).toHaveLength(1);
});

test('a lockfile names no host', () => {
  expect(forbiddenTextProblems('package-lock.json', '{ "resolved": "https://npm.example/x.tgz" }')).toHaveLength(1);
  expect(forbiddenTextProblems('package-lock.json', '{ "resolved": "packages/program/cli", "link": true }')).toEqual(
    [],
  );
});
