import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leafHashes, storedTree, treeHash, uniformTree } from '../../test/reference-tree.ts';
import { REFERENCE_TREE } from '../../test/vectors.ts';
import { rootFromLeafHashes, rootHash } from './root.ts';

test('every size of the reference tree has its published root', () => {
  const leaves = REFERENCE_TREE.nodes[0]!;
  const { read } = storedTree(leaves);
  REFERENCE_TREE.roots.forEach((root, size) => {
    expect(rootHash(size, read)).toEqual(root);
    expect(rootFromLeafHashes(leaves.slice(0, size))).toEqual(root);
  });
});

test('the root of any prefix is the one that RFC 6962 §2.1 defines', () => {
  fc.assert(
    fc.property(fc.nat({ max: 300 }), fc.nat({ max: 300 }), (a, b) => {
      const [size, stored] = a < b ? [a, b] : [b, a];
      const leaves = leafHashes(stored);
      const expected = treeHash(leaves.slice(0, size));
      const tree = storedTree(leaves);
      expect(rootHash(size, tree.read)).toEqual(expected);
      expect(tree.reads()).toBeLessThanOrEqual(9);
      expect(rootFromLeafHashes(leaves.slice(0, size))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('roots of trees beyond 32 bits are right', () => {
  const { read, root } = uniformTree(new Uint8Array(32).fill(7));
  for (const size of [2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 40 + 2 ** 33 + 5, 2 ** 53 - 1])
    expect(rootHash(size, read)).toEqual(root(size));
});

test('a size that cannot be is the caller’s mistake', () => {
  const { read } = storedTree(leafHashes(4));
  for (const size of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => rootHash(size, read)).toThrow(TypeError);
});
