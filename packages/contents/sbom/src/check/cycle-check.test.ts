import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bom } from '../document/bom.ts';
import { cycleFindings } from './cycle-check.ts';

function bomOf(edges: readonly (readonly number[])[]): Bom {
  const dependencies = edges.map((to, from) => ({ ref: `r${from}`, dependsOn: to.map((one) => `r${one}`) }));
  return { bomFormat: 'CycloneDX', specVersion: '1.6', dependencies };
}

const circlesOf = (edges: readonly (readonly number[])[]) =>
  [...cycleFindings(bomOf(edges))].map(({ path, message }) => `${path} ${message.split(' ')[0]}`).sort();

test.each([
  [[[1], [0]], ['/dependencies/0 2']],
  [[[1], [2], [0]], ['/dependencies/0 3']],
  [[[0]], ['/dependencies/0 "r0"']],
  [[[1], [2], [1]], ['/dependencies/1 2']],
  [[[1, 2], [2], []], []],
  [
    [[1], [0], [3], [2], [0, 2]],
    ['/dependencies/0 2', '/dependencies/2 2'],
  ],
])('of %j the circles are %j', (edges, circles) => {
  expect(circlesOf(edges)).toEqual(circles);
});

test('a circle is what can reach itself', () => {
  const size = 7;
  const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 14 }), (pairs) => {
      const edges = Array.from({ length: size }, (_, from) =>
        pairs.filter(([one]) => one === from).map(([, to]) => to),
      );
      const reached = edges.map((_, from) => reachable(edges, from));
      const wanted = new Set<string>();
      for (let node = 0; node < size; node += 1) {
        if (!reached[node]!.has(node)) continue;
        const circle = [...Array(size).keys()].filter((one) => reached[node]!.has(one) && reached[one]!.has(node));
        wanted.add(`/dependencies/${circle[0]} ${circle.length === 1 ? `"r${node}"` : circle.length}`);
      }
      expect(circlesOf(edges)).toEqual([...wanted].sort());
    }),
    { numRuns: 500 },
  );
});

/** What a node leads to by at least one edge. */
function reachable(edges: readonly (readonly number[])[], from: number): Set<number> {
  const seen = new Set<number>();
  const open = [...edges[from]!];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...edges[node]!);
  }
  return seen;
}
