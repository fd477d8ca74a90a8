import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eachAtOnce } from './each-at-once.ts';

test('answers come in the order of the questions, whichever is last', async () => {
  const work = async (ms: number) => {
    await setTimeout(ms);
    return ms * 2;
  };
  expect(await eachAtOnce([30, 1, 20, 2], work)).toEqual([60, 2, 40, 4]);
  expect(await eachAtOnce([], work)).toEqual([]);
});

test('no more than eight are open at once, and all are asked', async () => {
  let open = 0;
  let most = 0;
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const answers = await eachAtOnce(numbers, async (number) => {
    open += 1;
    most = Math.max(most, open);
    await setTimeout(1);
    open -= 1;
    return number;
  });
  expect(answers).toEqual(numbers);
  expect(most).toBe(8);
});

test('a failure is the answer, and nothing more is begun after it', async () => {
  let begun = 0;
  const asking = eachAtOnce(
    Array.from({ length: 100 }, (_, index) => index),
    async (number) => {
      begun += 1;
      await setTimeout(1);
      if (number === 3) throw new RangeError('three');
    },
  );
  await expect(asking).rejects.toThrow('three');
  await setTimeout(50);
  expect(begun).toBeLessThan(20);
});
