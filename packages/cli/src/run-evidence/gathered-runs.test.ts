import { expect, test } from 'vitest';
import { runChoice } from './gathered-runs.ts';

test('what the flags choose is a choice, and what is no commit or digest is not', () => {
  const commit = 'a'.repeat(40);
  expect(runChoice({ commit: [commit], artifact: ['B'.repeat(64)], where: 'agent = x' })).toEqual({
    commits: [commit],
    artifacts: [`sha256:${'b'.repeat(64)}`],
    where: 'agent = x',
  });
  expect(runChoice({})).toBeUndefined();
  const refused = expect.objectContaining({ code: 'cli.usage' });
  expect(() => runChoice({ commit: ['x) or (agent = y'] })).toThrow(refused);
  expect(() => runChoice({ artifact: ['sha512:00'] })).toThrow(refused);
});
