import { expect, test } from 'vitest';
import { cleanupAt } from './cleanup.ts';

test('what was done last is undone first, each after the one before it has ended', async () => {
  let end: (() => Promise<void>) | undefined;
  const cleanup = cleanupAt((undo) => {
    end = undo;
  });
  const done: string[] = [];
  cleanup(() => done.push('first'));
  cleanup(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push('second');
  });
  await end!();
  expect(done).toEqual(['second', 'first']);
});
