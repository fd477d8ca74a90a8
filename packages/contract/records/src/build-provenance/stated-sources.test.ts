import { expect, test } from 'vitest';
import { statedSources } from './stated-sources.ts';

const COMMIT = 'c'.repeat(40);

test.each<[title: string, predicate: unknown, commits: string[]]>([
  ['v1', { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: COMMIT } }] } }, [COMMIT]],
  ['v0.2', { materials: [{ digest: { sha1: COMMIT.toUpperCase() } }, { digest: { sha256: 'x' } }] }, [COMMIT]],
  ['both names of one source', { materials: [{ digest: { sha1: 'a', gitCommit: 'B' } }] }, ['b', 'a']],
  ['nothing of their form', { buildDefinition: { resolvedDependencies: [null, 7, { digest: 1 }] }, materials: {} }, []],
  ['no definition', { buildDefinition: null }, []],
  ['no predicate', null, []],
  ['no object', 'x', []],
])('of %s are what it names', (_title, predicate, commits) => {
  expect(statedSources(predicate)).toEqual(commits);
});
