import { Environment } from '@marcbachmann/cel-js';
import { expect, test } from 'vitest';
import { meterTree, StepMeter } from './metered-tree.ts';

function isOver(text: string, xs: unknown, times: number, most: number): boolean {
  const program = new Environment().registerVariable('xs', 'dyn').parse(text);
  program.check();
  const meter = new StepMeter();
  meterTree(program.ast, meter);
  for (let time = 0; time < times; time += 1) {
    meter.start(most);
    try {
      program({ xs });
    } catch {}
  }
  return meter.isOver;
}

/** The fewest steps with which an expression over a variable `xs` ends by itself, each time that it is evaluated. */
function fewest(text: string, xs: unknown): number[] {
  return [1, 2, 3].map((times) => {
    let [not, enough] = [0, 1_000_000];
    while (enough - not > 1) {
      const most = Math.floor((not + enough) / 2);
      if (isOver(text, xs, times, most)) not = most;
      else enough = most;
    }
    return enough;
  });
}

// `xs` and the loop, or what is said of them, are two parts.
test.each<[string, unknown, number]>([
  ['xs.all(x, x == x)', ['a'], 2 + 5],
  ['xs.all(x, x == x)', new Array(100).fill('a'), 2 + 100 * 5],
  ['xs.all(x, x || true)', [true], 2 + 2],
  ['xs.all(x, x.o || true)', [{}], 2 + 3 + 1_000],
  ['xs.all(x, x.o || x.o || true)', [{}], 2 + 4 + 2 * 1_000],
  ['xs.all(x, x.o || false)', [{}], 1 + 2 + 1_000],
  ['size(xs.filter(x, true)) == 0', [], 5 + 3],
  ['!xs', { a: 1, b: 2 }, 1 + 3 + 2 * 16 + 1_000],
  ['!xs', [[{ a: { c: 1 }, b: 2 }]], 1 + 1_000],
  ['xs == 1', [[{ a: { c: 1 }, b: 2 }]], 3 + 1 + 6 + 3 * 16],
])('%s over %j takes its steps, the first time as later', (text, xs, steps) => {
  expect(fewest(text, xs)).toEqual([steps, steps, steps]);
});
