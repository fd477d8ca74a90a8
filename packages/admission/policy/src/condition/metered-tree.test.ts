import { Environment } from '@marcbachmann/cel-js';
import { expect, test } from 'vitest';
import { meterTree, StepMeter } from './metered-tree.ts';

function isOver(text: string, xs: unknown, times: number, most: number): boolean {
  const program = new Environment()
    .registerVariable('xs', 'dyn')
    .registerFunction('string.fullMatch(string): bool', (one: string, other: string) => one === other)
    .parse(text);
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
    let [not, enough] = [0, 10_000];
    while (enough - not > 1) {
      const most = Math.floor((not + enough) / 2);
      if (isOver(text, xs, times, most)) not = most;
      else enough = most;
    }
    return enough;
  });
}

const LONG = 'a'.repeat(1_600);
const MAP = { a: 1, b: 2, c: 3 };

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
  ['xs == 1', null, 3 + 2],
  ['xs < "b"', LONG, 3 + 101 + 1],
  ['xs.startsWith("b")', LONG, 3 + 101 + 1],
  ['xs.contains("b")', LONG, 3 + 101 + 1 + 100 + 7],
  [`xs.contains("${'b'.repeat(64)}")`, LONG, 3 + 101 + 5 + 100 * 5],
  [`xs.fullMatch("${'b'.repeat(64)}")`, LONG, 3 + 101 + 5 + 1600 * 5],
  [`"${'b'.repeat(64)}".contains(xs)`, LONG, 3 + 101 + 5 + 4 * 101],
  // Code points are told apart; a list knows its own length.
  ['size(xs) == 3', LONG, 4 + 400 + 2],
  ['size(xs) == 3', [LONG, 'b'], 4 + 1 + 2],
  ['size(xs) == 3', MAP, 4 + (4 + 3 * 16) + 2],
  ['1 in xs', [1, 2, 3], 3 + 3],
  [`"${'b'.repeat(31 * 16)}" in xs`, ['a', 'b', 'c'], 3 + 3 * 3],
  [`"${'b'.repeat(30 * 16)}" in xs`, ['a', 'b', 'c'], 3 + 3 * 2],
  ['[1] in xs', [1, 2, 3], 4 + 2 + 4],
  ['"a" in xs', MAP, 3 + (4 + 3 * 16)],
  ['xs in [1, 2]', MAP, 5 + (4 + 3 * 16) + 3],
  ['has(xs.a)', { a: LONG }, 2],
  ['xs.all(k, true)', MAP, 2 + 3 + (4 + 3 * 16)],
  ['xs.exists(k, true)', MAP, 2 + 1 + (4 + 3 * 16)],
  ['xs ? true : false', MAP, 1 + (4 + 3 * 16) + 1_000],
  ['true ? xs : false', MAP, 3],
  ['xs || true', MAP, 3 + (4 + 3 * 16)],
  ['-xs == 1', MAP, 1 + (4 + 3 * 16) + 1_000],
  ['xs - 1 == 1', MAP, 2 + (4 + 3 * 16) + 1_000],
  ['xs - 1 == 1', [1], 2 + 1_000],
  ['true && xs', MAP, 2 + (4 + 3 * 16) + 1_000],
  ['xs == 1', [null], 3 + 2 + 1],
  // Nothing is searched in what is no text.
  ['xs.contains("b")', new Array(1_600).fill(1), 2 + 1_601 + 1 + 1_000],
])('%s over %j takes its steps, the first time as later', (text, xs, steps) => {
  expect(fewest(text, xs)).toEqual([steps, steps, steps]);
});

test.each(['all', 'exists', 'exists_one', 'filter', 'map'])('%s ends soon after the steps are used up', (loop) => {
  let looks = 0;
  const xs = new Array(1_000).fill(1).map(() => 1);
  for (const at of xs.keys()) {
    Object.defineProperty(xs, at, {
      get: () => {
        looks += 1;
        return at;
      },
    });
  }
  const program = new Environment().registerVariable('xs', 'dyn').parse(`xs.${loop}(x, ${loop === 'all'} == (x >= 0))`);
  program.check();
  const meter = new StepMeter();
  meterTree(program.ast, meter);
  meter.start(100);
  try {
    program({ xs });
  } catch {}
  expect(meter.isOver).toBe(true);
  expect(looks).toBeLessThan(200);
});
