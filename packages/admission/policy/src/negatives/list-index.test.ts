import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesNothing, rejects } from '../about/about.ts';
import { indexOf } from './list-index.ts';
import type { NegativesList } from './negatives-view.ts';

const IMAGES = ['sha256:a', 'sha256:b', 'sha256:c'];
const COMMITS = ['1', '2', '3'];

function listOf(names: ReadonlyArray<readonly [images: readonly string[], commits: readonly string[]]>) {
  return {
    rejections: names.map(([images, commits], place) => ({ images, commits, content: String(place) })),
    withdrawals: [],
  } as unknown as NegativesList;
}

test('of a list counts what rejects the image, and what names nothing, in the order of the list', () => {
  const names = fc.tuple(fc.subarray(IMAGES), fc.subarray(COMMITS));
  const property = fc.property(fc.array(names), names, (rejected, [digests, commits]) => {
    const list = listOf(rejected);
    const image = { digests: new Set(digests), commits: new Set(commits) };
    expect(indexOf(list).rejectionsOf(image)).toEqual(
      list.rejections.filter((one) => namesNothing(one) || rejects(one, image)),
    );
  });
  fc.assert(property);
});

test('a rejection is withdrawn by all who name its id', () => {
  const by = (rejection: string, subject: string) => ({ rejection, certificate_identity: { subject } });
  const withdrawals = [by('x', 'a'), by('y', 'b'), by('x', 'c')];
  const list = { ...listOf([]), withdrawals } as unknown as NegativesList;
  expect(indexOf(list).withdrawalsOf('x')).toEqual([withdrawals[0], withdrawals[2]]);
  expect(indexOf(list).withdrawalsOf('z')).toEqual([]);
});

test('an index is made once', () => {
  const list = listOf([]);
  expect(indexOf(list)).toBe(indexOf(list));
  expect(indexOf(listOf([]))).not.toBe(indexOf(list));
});
