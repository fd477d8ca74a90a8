import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leafHashes, storedTree, treeHash, uniformTree } from '../../test/reference-tree.ts';
import { REFERENCE_TREE } from '../../test/vectors.ts';
import { nodesOfLeaf, requireSize, splitPoint } from './tree-node.ts';

const LEAF = new Uint8Array(32).fill(7);

test('adding the eight published leaves gives exactly the published subtrees', () => {
  const { read } = storedTree(REFERENCE_TREE.nodes[0]!);
  REFERENCE_TREE.nodes.forEach((level, i) => {
    level.forEach((hash, index) => {
      expect(read(i, index)).toEqual(hash);
    });
    expect(() => read(i, level.length)).toThrow();
  });
});

test('a new leaf gives every subtree that it completes, lowest first, and no other', () => {
  fc.assert(
    fc.property(fc.nat({ max: 200 }), (size) => {
      const leaves = leafHashes(size + 1);
      const nodes = nodesOfLeaf(size, leaves[size]!, storedTree(leaves.slice(0, size)).read);
      const expected = [];
      for (let level = 0; (size + 1) % 2 ** level === 0; level++)
        expected.push({
          level,
          index: (size + 1) / 2 ** level - 1,
          hash: treeHash(leaves.slice(size + 1 - 2 ** level)),
        });
      expect(nodes).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('sizes beyond 32 bits keep their bits', () => {
  const { read, root } = uniformTree(LEAF);
  for (const exponent of [31, 32, 40, 52]) {
    const nodes = nodesOfLeaf(2 ** exponent - 1, LEAF, read);
    expect(nodes).toHaveLength(exponent + 1);
    expect(nodes.at(-1)).toEqual({ level: exponent, index: 0, hash: root(2 ** exponent) });
    expect(nodesOfLeaf(2 ** exponent, LEAF, read)).toHaveLength(1);
    expect(nodesOfLeaf(2 ** exponent + 1, LEAF, read).at(-1)?.index).toBe(2 ** (exponent - 1));
  }
  expect(nodesOfLeaf(2 ** 53 - 2, LEAF, read)).toEqual([{ level: 0, index: 2 ** 53 - 2, hash: LEAF }]);
});

test('a size or a leaf hash that cannot be is the caller’s mistake', () => {
  const { read } = uniformTree(LEAF);
  for (const size of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53 - 1, 2 ** 53])
    expect(() => nodesOfLeaf(size, LEAF, read)).toThrow(TypeError);
  expect(() => nodesOfLeaf(0, new Uint8Array(31), read)).toThrow(TypeError);
  expect(() => requireSize('x', 2 ** 53 - 1)).not.toThrow();
  expect(() => requireSize('x', 0)).not.toThrow();
});

test('a tree is split at the largest power of two below its size', () => {
  expect([2, 3, 4, 5, 8, 9, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1].map(splitPoint)).toEqual([
    1,
    2,
    2,
    4,
    4,
    8,
    2 ** 31,
    2 ** 32,
    2 ** 52,
  ]);
});
