import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditPath, leafHashes, storedTree, treeHash, uniformTree } from '../../test/reference-tree.ts';
import { INCLUSIONS, REFERENCE_TREE } from '../../test/vectors.ts';
import { type InclusionClaim, inclusionProof, verifyInclusion } from './inclusion-proof.ts';

/** A leaf of a tree with at most `max` leaves. */
const places = (max: number) =>
  fc.integer({ min: 1, max }).chain((size) => fc.record({ size: fc.constant(size), index: fc.nat({ max: size - 1 }) }));

function trueClaim({ index, size }: { index: number; size: number }): InclusionClaim {
  const leaves = leafHashes(size);
  return { index, size, leafHash: leaves[index]!, proof: auditPath(index, leaves), root: treeHash(leaves) };
}

describe('published proofs', () => {
  test.each(INCLUSIONS.valid)('$title is accepted', ({ claim }) => {
    expect(verifyInclusion(claim)).toBe(true);
  });
  test.each(INCLUSIONS.invalid)('$title is refused', ({ claim }) => {
    expect(verifyInclusion(claim)).toBe(false);
  });
  test.each(INCLUSIONS.valid.filter(({ claim }) => claim.size <= 8))('$title is what we make', ({ claim }) => {
    const { read } = storedTree(REFERENCE_TREE.nodes[0]!);
    expect(inclusionProof(claim.index, claim.size, read)).toEqual(claim.proof);
  });
});

test('every proof in every tree of up to 33 leaves is PATH of RFC 6962 §2.1.1, and holds', () => {
  const all = leafHashes(33);
  const { read } = storedTree(all);
  for (let size = 1; size <= 33; size++) {
    const leaves = all.slice(0, size);
    const root = treeHash(leaves);
    for (let index = 0; index < size; index++) {
      const proof = inclusionProof(index, size, read);
      expect(proof).toEqual(auditPath(index, leaves));
      expect(verifyInclusion({ index, size, leafHash: leaves[index]!, proof, root })).toBe(true);
    }
  }
});

test('a proof in a larger tree is made from few nodes and holds', () => {
  fc.assert(
    fc.property(places(600), ({ index, size }) => {
      const leaves = leafHashes(size);
      const tree = storedTree(leaves);
      const proof = inclusionProof(index, size, tree.read);
      expect(tree.reads()).toBeLessThanOrEqual(20);
      expect(proof).toEqual(auditPath(index, leaves));
      expect(verifyInclusion({ index, size, leafHash: leaves[index]!, proof, root: treeHash(leaves) })).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('proofs in trees beyond 32 bits hold and are made from few nodes', () => {
  const leafHash = new Uint8Array(32).fill(7);
  const { read, root } = uniformTree(leafHash);
  for (const size of [2 ** 32 + 3, 2 ** 40, 2 ** 53 - 1]) {
    for (const index of [0, 2 ** 31, 2 ** 32 + 1, size - 1]) {
      let reads = 0;
      const proof = inclusionProof(index, size, (level, i) => {
        reads++;
        return read(level, i);
      });
      expect(reads).toBeLessThanOrEqual(2 * 53);
      expect(verifyInclusion({ index, size, leafHash, proof, root: root(size) })).toBe(true);
      expect(verifyInclusion({ index, size, leafHash, proof: [...proof, leafHash], root: root(size) })).toBe(false);
      expect(verifyInclusion({ index, size, leafHash, proof: proof.slice(1), root: root(size) })).toBe(false);
    }
  }
});

test('a true claim with anything about it changed is refused', () => {
  const change = fc.oneof(
    fc.tuple(fc.constant('bit' as const), fc.nat(), fc.nat({ max: 255 })),
    fc.tuple(fc.constant('index' as const), fc.nat(), fc.nat()),
    fc.tuple(fc.constant('drop' as const), fc.nat(), fc.nat()),
    fc.tuple(fc.constant('insert' as const), fc.nat(), fc.nat()),
  );
  fc.assert(
    fc.property(places(100), change, (place, [kind, at, bit]) => {
      const claim = trueClaim(place);
      const hashes = [claim.leafHash, claim.root, ...claim.proof].map((hash) => hash.slice());
      const [leafHash, root, ...proof] = hashes as [Uint8Array, Uint8Array, ...Uint8Array[]];
      let index = claim.index;
      if (kind === 'bit') hashes[at % hashes.length]![bit >> 3]! ^= 1 << (bit & 7);
      if (kind === 'index') index = at % claim.size;
      if (kind === 'drop') proof.splice(at % Math.max(proof.length, 1), 1);
      if (kind === 'insert') proof.splice(at % (proof.length + 1), 0, leafHashes(1, 'other')[0]!);
      fc.pre(kind !== 'index' || index !== claim.index);
      fc.pre(kind !== 'drop' || claim.proof.length > 0);
      expect(verifyInclusion({ index, size: claim.size, leafHash, proof, root })).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test('a claim of any shape is answered, with no', () => {
  fc.assert(
    fc.property(
      fc.record({
        index: fc.anything(),
        size: fc.anything(),
        leafHash: fc.anything(),
        root: fc.anything(),
        proof: fc.anything(),
      }),
      (claim) => {
        expect(verifyInclusion(claim as InclusionClaim)).toBe(false);
      },
    ),
  );
});

test.each([
  ['negative index', { index: -1 }],
  ['fractional index', { index: 0.5 }],
  ['index at the size', { index: 1 }],
  ['index as text', { index: '0' as unknown as number }],
  ['size 0', { size: 0 }],
  ['fractional size', { size: 1.5 }],
  ['size that is not exact', { size: 2 ** 53 }],
  ['no proof', { proof: undefined as unknown as Uint8Array[] }],
  ['leaf hash of 31 bytes', { leafHash: new Uint8Array(31) }],
  ['root of 33 bytes', { root: new Uint8Array(33) }],
  ['no leaf hash', { leafHash: null as unknown as Uint8Array }],
  ['no root', { root: null as unknown as Uint8Array }],
  ['a hole in the proof', { size: 2, proof: new Array(1) }],
  ['a proof that never ends', { proof: new Array(10_000).fill(new Uint8Array(32)) }],
])('a claim with %s is refused', (_, change) => {
  const claim = trueClaim({ index: 0, size: 1 });
  expect(verifyInclusion(claim)).toBe(true);
  expect(verifyInclusion({ ...claim, ...change })).toBe(false);
});

test('a path beyond the top of the tree is refused though it leads to the root', () => {
  const [left, right] = leafHashes(2) as [Uint8Array, Uint8Array];
  const root = treeHash([left, right]);
  expect(verifyInclusion({ index: 1, size: 2, leafHash: right, proof: [left], root })).toBe(true);
  expect(verifyInclusion({ index: 0, size: 1, leafHash: right, proof: [left], root })).toBe(false);
});

test('asking for a leaf that is not in the tree is the caller’s mistake', () => {
  const { read } = storedTree(leafHashes(4));
  for (const [index, size] of [
    [4, 4],
    [0, 0],
    [-1, 4],
    [0.5, 4],
    [0, 4.5],
    [0, 2 ** 53],
  ] as const)
    expect(() => inclusionProof(index, size, read)).toThrow(TypeError);
});
