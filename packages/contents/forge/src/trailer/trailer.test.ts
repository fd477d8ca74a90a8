import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTrailers } from './trailer.ts';

const values = (message: string) => parseTrailers(message).map(({ key, value }) => `${key}=${value}`);

test('trailers are the lines of the last paragraph', () => {
  const message =
    'subject\n\nbody: not one\nmore\n\nReviewed-by: Ann <ann@example.com>\nCo-Authored-By:Bot\n  <bot@example.com>\n';
  expect(values(message)).toEqual(['Reviewed-by=Ann <ann@example.com>', 'Co-Authored-By=Bot <bot@example.com>']);
});

test.each([
  ['a subject alone', 'Fix: this'],
  ['a last paragraph of prose', 'subject\n\nNote: one\ntwo\nthree\nfour\nfive\n'],
  ['nothing', ''],
])('%s has none', (_, message) => {
  expect(values(message)).toEqual([]);
});

test('every fourth line is enough, and Windows line ends do not matter', () => {
  expect(values('s\r\n\r\nprose\r\nprose\r\nprose\r\nAI-Agent: x\r\n')).toEqual(['AI-Agent=x']);
});

test('no message makes it throw', () => {
  fc.assert(fc.property(fc.string(), (message) => void parseTrailers(message)));
});
