import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consistencyPath, leafHashes, storedTree, treeHash, uniformTree } from '../../test/reference-tree.ts';
import { CONSISTENCIES, REFERENCE_TREE } from '../../test/vectors.ts';
import { EMPTY_ROOT, hashChildren } from '../hash/hash.ts';
import { type ConsistencyClaim, consistencyProof, verifyConsistency } from './consistency-proof.ts';

/** An old and a new size, the new one at most `max`. */
const sizes = (max: number) =>
  fc
    .integer({ min: 1, max })
    .chain((second) => fc.record({ second: fc.constant(second), first: fc.integer({ min: 1, max: second }) }));

function trueClaim({ first, second }: { first: number; second: number }): ConsistencyClaim {
  const leaves = leafHashes(second);
  return {
    first,
    second,
    firstRoot: treeHash(leaves.slice(0, first)),
    secondRoot: treeHash(leaves),
    proof: consistencyPath(first, leaves),
  };
}

describe('published proofs', () => {
  test.each(CONSISTENCIES.valid)('$title is accepted', ({ claim }) => {
    expect(verifyConsistency(claim)).toBe(true);
  });
  test.each(CONSISTENCIES.invalid)('$title is refused', ({ claim }) => {
    expect(verifyConsistency(claim)).toBe(false);
  });
  test.each(CONSISTENCIES.valid)('$title is what we make', ({ claim }) => {
    const { read } = storedTree(REFERENCE_TREE.nodes[0]!);
    expect(consistencyProof(claim.first, claim.second, read)).toEqual(claim.proof);
  });
});

test('every proof between trees of up to 33 leaves is PROOF of RFC 6962 §2.1.2, and holds', () => {
  const all = leafHashes(33);
  const { read } = storedTree(all);
  const roots = Array.from({ length: 34 }, (_, size) => treeHash(all.slice(0, size)));
  for (let second = 0; second <= 33; second++) {
    for (let first = 0; first <= second; first++) {
      const proof = consistencyProof(first, second, read);
      if (first > 0) expect(proof).toEqual(consistencyPath(first, all.slice(0, second)));
      else expect(proof).toEqual([]);
      const claim = { first, second, firstRoot: roots[first]!, secondRoot: roots[second]!, proof };
      expect(verifyConsistency(claim)).toBe(true);
    }
  }
});

test('a proof between larger trees is made from few nodes and holds', () => {
  fc.assert(
    fc.property(sizes(600), ({ first, second }) => {
      const claim = trueClaim({ first, second });
      const tree = storedTree(leafHashes(second));
      expect(consistencyProof(first, second, tree.read)).toEqual(claim.proof);
      expect(tree.reads()).toBeLessThanOrEqual(21);
      expect(verifyConsistency(claim)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('proofs between trees beyond 32 bits hold', () => {
  const leaf = new Uint8Array(32).fill(7);
  const { read, root } = uniformTree(leaf);
  for (const second of [2 ** 32 + 3, 2 ** 40, 2 ** 53 - 1]) {
    for (const first of [1, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 2 ** 32 + 2, second - 1]) {
      const proof = consistencyProof(first, second, read);
      const claim = { first, second, firstRoot: root(first), secondRoot: root(second), proof };
      expect(verifyConsistency(claim)).toBe(true);
      expect(verifyConsistency({ ...claim, proof: [...proof, leaf] })).toBe(false);
      expect(verifyConsistency({ ...claim, proof: proof.slice(0, -1) })).toBe(false);
    }
  }
});

test('a tree that changed an old leaf cannot show that it extends the old one', () => {
  fc.assert(
    fc.property(sizes(100), fc.nat(), ({ first, second }, at) => {
      const old = leafHashes(second);
      const forked = old.with(at % first, leafHashes(1, 'other')[0]!);
      const claim = {
        first,
        second,
        firstRoot: treeHash(old.slice(0, first)),
        secondRoot: treeHash(forked),
      };
      for (const leaves of [old, forked])
        expect(verifyConsistency({ ...claim, proof: consistencyPath(first, leaves) })).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test('a true claim with a bit, a hash more or a hash less is refused', () => {
  const change = fc.tuple(fc.constantFrom('bit', 'drop', 'insert'), fc.nat(), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(sizes(100), change, ({ first, second }, [kind, at, bit]) => {
      const claim = trueClaim({ first, second });
      const hashes = [claim.firstRoot, claim.secondRoot, ...claim.proof].map((hash) => hash.slice());
      const [firstRoot, secondRoot, ...proof] = hashes as [Uint8Array, Uint8Array, ...Uint8Array[]];
      if (kind === 'bit') hashes[at % hashes.length]![bit >> 3]! ^= 1 << (bit & 7);
      if (kind === 'drop') proof.splice(at % Math.max(proof.length, 1), 1);
      if (kind === 'insert') proof.splice(at % (proof.length + 1), 0, leafHashes(1, 'other')[0]!);
      fc.pre(kind !== 'drop' || claim.proof.length > 0);
      expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test('a claim of any shape is answered, with no', () => {
  fc.assert(
    fc.property(
      fc.record({
        first: fc.anything(),
        second: fc.anything(),
        firstRoot: fc.anything(),
        secondRoot: fc.anything(),
        proof: fc.anything(),
      }),
      (claim) => {
        expect(verifyConsistency(claim as ConsistencyClaim)).toBe(false);
      },
    ),
  );
});

test('every tree extends the empty one, whose root is known', () => {
  const [one] = leafHashes(1) as [Uint8Array];
  const claim = { first: 0, second: 1, firstRoot: EMPTY_ROOT, secondRoot: one, proof: [] };
  expect(verifyConsistency(claim)).toBe(true);
  expect(verifyConsistency({ ...claim, firstRoot: one })).toBe(false);
  expect(verifyConsistency({ ...claim, proof: [one] })).toBe(false);
  expect(verifyConsistency({ ...claim, second: 0, secondRoot: EMPTY_ROOT })).toBe(true);
  expect(verifyConsistency({ ...claim, second: 0 })).toBe(false);
});

test.each([
  ['negative first size', { first: -1 }],
  ['fractional first size', { first: 1.5 }],
  ['fractional second size', { second: 2.5 }],
  ['first size above the second', { first: 3 }],
  ['second size that is not exact', { second: 2 ** 53 }],
  ['first size as text', { first: '1' as unknown as number }],
  ['no proof', { proof: null as unknown as Uint8Array[] }],
  ['empty proof', { proof: [] }],
  ['a hole in the proof', { proof: new Array(1) }],
  ['first root of 31 bytes', { firstRoot: new Uint8Array(31) }],
  ['no first root', { firstRoot: null as unknown as Uint8Array }],
  ['no second root', { secondRoot: null as unknown as Uint8Array }],
  ['second root of 33 bytes', { secondRoot: new Uint8Array(33) }],
  ['a proof that never ends', { proof: new Array(10_000).fill(new Uint8Array(32)) }],
])('a claim with %s is refused', (_, change) => {
  const claim = trueClaim({ first: 1, second: 2 });
  expect(verifyConsistency(claim)).toBe(true);
  expect(verifyConsistency({ ...claim, ...change })).toBe(false);
});

test('an equal size needs an equal root and no proof', () => {
  const claim = trueClaim({ first: 3, second: 3 });
  expect(verifyConsistency(claim)).toBe(true);
  expect(verifyConsistency({ ...claim, secondRoot: EMPTY_ROOT })).toBe(false);
  expect(verifyConsistency({ ...claim, proof: [claim.firstRoot] })).toBe(false);
});

test('sizes that cannot be are refused though the hashes fit together', () => {
  const [left, right] = leafHashes(2) as [Uint8Array, Uint8Array];
  const claim = { second: 2, firstRoot: left, secondRoot: treeHash([left, right]) };
  expect(verifyConsistency({ ...claim, first: 1, proof: [right] })).toBe(true);
  for (const first of [-1, 3]) expect(verifyConsistency({ ...claim, first, proof: [left, right] })).toBe(false);
});

test('a proof beyond the top of the tree is refused though it leads to both roots', () => {
  const { proof, firstRoot, secondRoot } = trueClaim({ first: 3, second: 4 });
  const [more] = leafHashes(1, 'other') as [Uint8Array];
  const claim = {
    first: 3,
    second: 4,
    firstRoot: hashChildren(more, firstRoot),
    secondRoot: hashChildren(more, secondRoot),
  };
  expect(verifyConsistency({ ...claim, proof: [...proof, more] })).toBe(false);
});

test('asking for a tree that has not been is the caller’s mistake', () => {
  const { read } = storedTree(leafHashes(4));
  for (const [first, second] of [
    [3, 2],
    [-1, 2],
    [0.5, 2],
    [1, 2.5],
    [1, 2 ** 53],
  ] as const)
    expect(() => consistencyProof(first, second, read)).toThrow(TypeError);
});
