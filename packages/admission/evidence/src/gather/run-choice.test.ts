import { expect, test } from 'vitest';
import { conditionsOf } from './run-choice.ts';

test('what is chosen becomes conditions, and what is no commit or digest does not', () => {
  const commit = 'a'.repeat(40);
  const artifact = 'B'.repeat(64);
  expect(conditionsOf({ commits: [commit, commit], artifacts: [artifact], where: 'agent = x' })).toEqual([
    `commit in (${commit}, ${commit})`,
    `artifact in (sha256:${'b'.repeat(64)})`,
    'agent = x',
  ]);
  expect(conditionsOf({})).toEqual([]);
  expect(() => conditionsOf({ commits: ['x) or (agent = y'] })).toThrow(TypeError);
  expect(() => conditionsOf({ artifacts: ['sha512:00'] })).toThrow(TypeError);
});
