import { expect, test } from 'vitest';
import { statedScore } from './stated-score.ts';

const V3 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H';
const HARMLESS = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N';

test.each([
  [V3, 7.5, { vector: V3, score: 7.5 }],
  [V3, undefined, { vector: V3 }],
  [V3, '7.5', { vector: V3, score: 7.5 }],
  [V3, Number.NaN, { vector: V3 }],
  [undefined, 7.5, { score: 7.5 }],
  ['None', 7.5, { score: 7.5 }],
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', 7.5, { vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', score: 7.5 }],
  // Somebody did score this one.
  [HARMLESS, 0, { vector: HARMLESS, score: 0 }],
])('%s with %s is a score', (vector, score, stated) => {
  expect(statedScore(vector, score, 'nvd')).toEqual([{ ...stated, source: 'nvd' }]);
});

test.each([
  [null, 0],
  ['', '0'],
  ['None', null],
  [undefined, undefined],
  [7, 'high'],
])('%s with %s is none', (vector, score) => {
  expect(statedScore(vector, score, 'nvd')).toEqual([]);
});

test('the version of a number is kept, and a vector says its own', () => {
  expect(statedScore(undefined, 7.5, undefined, '2.0')).toEqual([{ score: 7.5, version: '2.0' }]);
  expect(statedScore(V3, 7.5, undefined, '2.0')).toEqual([{ vector: V3, score: 7.5 }]);
});

test('a score whose author is unknown has none', () => {
  expect(statedScore(V3, 7.5, null)).toEqual([{ vector: V3, score: 7.5 }]);
});
