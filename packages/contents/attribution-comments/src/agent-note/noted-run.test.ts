import { describe, expect, test } from 'vitest';
import { notedRun } from './noted-run.ts';

const git = { commit_sha: 'a'.repeat(40), files_changed: ['a'], lines_added: 1, lines_removed: 0 };
const change = { ...git, tree_sha: 'b'.repeat(40), files_changed_count: 1, uncommitted_count: 0 };

describe('the run that a note tells', () => {
  test('has what the note says and what git says, and nothing else', () => {
    expect(notedRun({ agent: 'cursor', version: '2', model: 'gpt', provider: 'openai' }, change)).toEqual({
      predicate: { agent: { name: 'cursor', version: '2' }, model: { id: 'gpt', provider: 'openai' }, git },
      leftOut: [],
    });
    expect(notedRun({}, change)).toEqual({ predicate: { git }, leftOut: [] });
  });

  test('leaves out what no token could have, and says so', () => {
    const { predicate, leftOut } = notedRun({ agent: 'cursor', version: '2 beta', model: 'Sonnet 4' }, change);
    expect(predicate).toEqual({ agent: { name: 'cursor' }, git });
    expect(leftOut.map(({ path, found }) => [path, found])).toEqual([
      ['/agent/version', '2 beta'],
      ['/model/id', 'Sonnet 4'],
    ]);
  });

  test('says where it has not all files', () => {
    const { leftOut } = notedRun({}, { ...change, files_changed_count: 9 });
    expect(leftOut).toMatchObject([{ path: '/git/files_changed', found: '9 paths' }]);
  });
});
