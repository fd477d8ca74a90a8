import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grownTree } from '../grown-tree/grown-tree.ts';
import { hashLeaf } from '../hash/hash.ts';
import { inclusionProof } from '../inclusion-proof/inclusion-proof.ts';
import { rootFromLeafHashes } from '../root/root.ts';
import type { NodeReader } from '../tree-node/tree-node.ts';
import { edgeFromProof } from './edge.ts';

const leaf = (n: number) => hashLeaf(Uint8Array.of(n >> 8, n & 0xff));
const leaves = (count: number, from = 0) => Array.from({ length: count }, (_, i) => leaf(from + i));

function proofOfLast(size: number): Uint8Array[] {
  const nodes = new Map(grownTree(0, [], leaves(size)).nodes.map((node) => [`${node.level}/${node.index}`, node.hash]));
  const read: NodeReader = (level, index) => nodes.get(`${level}/${index}`)!;
  return inclusionProof(size - 1, size, read);
}

test('from the proof of its last leaf every tree grows to the root that it has', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 70 }), (size, added) => {
      const edge = edgeFromProof(size, leaf(size - 1), proofOfLast(size))!;
      expect(grownTree(size, edge, leaves(added, size)).root).toEqual(rootFromLeafHashes(leaves(size + added)));
    }),
  );
});

test('a path of another length, and what is no hash, gives no edge', () => {
  const path = proofOfLast(7);
  const last = leaf(6);
  expect(edgeFromProof(7, last, path)).toBeDefined();
  expect(edgeFromProof(7, last, path.slice(1))).toBeUndefined();
  expect(edgeFromProof(7, last, [...path, last])).toBeUndefined();
  expect(edgeFromProof(8, last, path)).toBeUndefined();
  expect(edgeFromProof(0, last, [])).toBeUndefined();
  expect(edgeFromProof(1, last, [last])).toBeUndefined();
  expect(edgeFromProof(7, last.subarray(1), path)).toBeUndefined();
  expect(edgeFromProof(7, last, [path[0]!.subarray(1), ...path.slice(1)])).toBeUndefined();
});

test('another last leaf, or another path, leads to another root', () => {
  const path = proofOfLast(6);
  const rootOf = (edge: (Uint8Array | undefined)[]) => grownTree(6, edge, []).root;
  const root = rootOf(edgeFromProof(6, leaf(5), path)!);
  expect(rootOf(edgeFromProof(6, leaf(4), path)!)).not.toEqual(root);
  expect(rootOf(edgeFromProof(6, leaf(5), path.with(-1, leaf(0)))!)).not.toEqual(root);
});
