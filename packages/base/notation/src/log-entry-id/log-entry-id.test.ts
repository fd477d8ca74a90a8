import { expect, test } from 'vitest';
import { parseLogEntryId } from './log-entry-id.ts';

const leafHash = '0123456789abcdef'.repeat(4);
const treeId = '108e9186e8c5677a';

test('an id is the hash of a leaf, with or without the number of its tree', () => {
  expect(parseLogEntryId(leafHash)).toEqual({ leafHash });
  expect(parseLogEntryId(treeId + leafHash)).toEqual({ treeId, leafHash });
});

test.each([
  ['nothing', ''],
  ['a digit too few', leafHash.slice(1)],
  ['a digit too many', `0${leafHash}`],
  ['15 digits before the hash', treeId.slice(1) + leafHash],
  ['17 digits before it', `0${treeId}${leafHash}`],
  ['capitals', treeId + leafHash.toUpperCase()],
  ['capitals before the hash', treeId.toUpperCase() + leafHash],
  ['no hex before it', `${treeId.slice(1)}g${leafHash}`],
  ['an algorithm', `sha256:${leafHash}`],
  ['something behind it', `${leafHash}\n`],
])('%s is none', (_title, text) => {
  expect(parseLogEntryId(text)).toBeUndefined();
});
