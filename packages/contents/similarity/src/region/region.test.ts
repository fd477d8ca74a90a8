import { expect, test } from 'vitest';
import { GRAM } from '../fingerprint/fingerprint.ts';
import { regionsOf } from './region.ts';

/** One token a line. */
const file = (lines: number) => ({ lines: Uint32Array.from({ length: lines }, (_, line) => line + 1) });

test('a match is lines of both files, from 1', () => {
  expect(regionsOf([{ placeInA: 0, placeInB: 9, length: 20 }], file(30), file(30))).toEqual([
    { a: { from: 1, to: 20 }, b: { from: 10, to: 29 }, token_count: 20 },
  ]);
});

test('matches that follow each other in both files are one region', () => {
  const matches = [
    { placeInA: 0, placeInB: 0, length: 20 },
    { placeInA: 22, placeInB: 25, length: 20 },
  ];
  expect(regionsOf(matches, file(60), file(60))).toEqual([
    { a: { from: 1, to: 42 }, b: { from: 1, to: 45 }, token_count: 40 },
  ]);
});

test.each([
  ['far apart in A', 20 + GRAM + 1, 20],
  ['far apart in B', 20, 20 + GRAM + 1],
])('matches %s are two regions', (_, placeInA, placeInB) => {
  const matches = [
    { placeInA: 0, placeInB: 0, length: 20 },
    { placeInA, placeInB, length: 20 },
  ];
  expect(regionsOf(matches, file(80), file(80))).toHaveLength(2);
});

test('matches in another order in B are two regions', () => {
  const matches = [
    { placeInA: 0, placeInB: 20, length: 20 },
    { placeInA: 20, placeInB: 0, length: 20 },
  ];
  expect(regionsOf(matches, file(60), file(60)).map(({ b }) => b.from)).toEqual([21, 1]);
});

test('what leans on the match before it is no region of its own', () => {
  const matches = [
    { placeInA: 0, placeInB: 50, length: 20 },
    { placeInA: 20, placeInB: 0, length: GRAM - 1 },
  ];
  expect(regionsOf(matches, file(80), file(80))).toHaveLength(1);
});

test('on one long line everything is line 1', () => {
  const line = { lines: file(30).lines.fill(1) };
  expect(regionsOf([{ placeInA: 0, placeInB: 0, length: 30 }], line, line)).toEqual([
    { a: { from: 1, to: 1 }, b: { from: 1, to: 1 }, token_count: 30 },
  ]);
});
