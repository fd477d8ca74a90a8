import { expect, test } from 'vitest';
import { conditionsOf } from './stored-runs.ts';

test('what is chosen becomes conditions, and what is no commit or digest does not', () => {
  const commit = 'a'.repeat(40);
  const artifact = 'B'.repeat(64);
  expect(conditionsOf({ commit: [commit, commit], artifact: [artifact], where: 'agent = x' })).toEqual([
    `commit in (${commit}, ${commit})`,
    `artifact in (sha256:${'b'.repeat(64)})`,
    'agent = x',
  ]);
  expect(conditionsOf({})).toEqual([]);
  expect(() => conditionsOf({ commit: ['x) or (agent = y'] })).toThrow(expect.objectContaining({ code: 'cli.usage' }));
  expect(() => conditionsOf({ artifact: ['sha512:00'] })).toThrow(expect.objectContaining({ code: 'cli.usage' }));
});
