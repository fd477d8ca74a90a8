import { expect, test } from 'vitest';
import { runChoice } from './gathered-runs.ts';

test('what the flags choose is a choice, and what is no commit or digest is not', async () => {
  const commit = 'a'.repeat(40);
  expect(await runChoice({ commit: [commit], artifact: ['B'.repeat(64)], where: 'agent = x' })).toEqual({
    commits: [commit],
    artifacts: [`sha256:${'b'.repeat(64)}`],
    where: 'agent = x',
  });
  expect(await runChoice({})).toBeUndefined();
  const refused = expect.objectContaining({ code: 'cli.usage' });
  await expect(runChoice({ commit: ['x) or (agent = y'] })).rejects.toThrow(refused);
  await expect(runChoice({ artifact: ['sha512:00'] })).rejects.toThrow(refused);
});
