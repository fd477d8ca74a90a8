import { expect, test } from 'vitest';
import { REFERENCE_TREE } from '../../test/vectors.ts';
import { EMPTY_ROOT, equalBytes, HASH_BYTES, hashChildren, hashLeaf, isHash, isHashList } from './hash.ts';

test('leaves and their parents have the published hashes', () => {
  const { leaves, nodes } = REFERENCE_TREE;
  expect(leaves.map(hashLeaf)).toEqual(nodes[0]);
  nodes.slice(1).forEach((level, i) => {
    level.forEach((hash, index) => {
      expect(hashChildren(nodes[i]![2 * index]!, nodes[i]![2 * index + 1]!)).toEqual(hash);
    });
  });
});

test('the empty tree has the published root', () => {
  expect(EMPTY_ROOT).toEqual(REFERENCE_TREE.roots[0]);
});

test('a leaf that spells out an inner node has another hash than that node', () => {
  const [left, right] = REFERENCE_TREE.nodes[0] as [Uint8Array, Uint8Array];
  expect(hashLeaf(Buffer.concat([left, right]))).not.toEqual(hashChildren(left, right));
  expect(hashLeaf(Uint8Array.of(1, ...left, ...right))).not.toEqual(hashChildren(left, right));
});

test('only 32 bytes are a hash', () => {
  expect(HASH_BYTES).toBe(32);
  expect(isHash(new Uint8Array(32))).toBe(true);
  for (const value of [new Uint8Array(31), new Uint8Array(33), new Array(32).fill(0), 'x'.repeat(32), null, undefined])
    expect(isHash(value)).toBe(false);
});

test('a list of hashes has no holes and nothing else in it', () => {
  expect(isHashList([])).toBe(true);
  expect(isHashList([new Uint8Array(32)])).toBe(true);
  expect(isHashList([new Uint8Array(32), new Uint8Array(31)])).toBe(false);
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
  expect(isHashList([new Uint8Array(32), , new Uint8Array(32)])).toBe(false);
  expect(isHashList(new Uint8Array(32))).toBe(false);
  expect(isHashList(null)).toBe(false);
});

test('bytes are equal only in full', () => {
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false);
  expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false);
});
