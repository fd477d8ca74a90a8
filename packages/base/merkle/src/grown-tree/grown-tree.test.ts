import { seededBytes } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashLeaf } from '../hash/hash.ts';
import { inclusionProof, verifyInclusion } from '../inclusion-proof/inclusion-proof.ts';
import { rootFromLeafHashes } from '../root/root.ts';
import { grownTree } from './grown-tree.ts';

const leaves = (count: number) => Array.from({ length: count }, (_, i) => hashLeaf(seededBytes(`leaf ${i}`, 8)));

test('wherever the cuts are, the root and the nodes are those of all leaves', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 8 }), (batches) => {
      const all = leaves(batches.reduce((sum, count) => sum + count, 0));
      const nodes = new Map<string, Uint8Array>();
      const read = (level: number, index: number) => nodes.get(`${level}/${index}`)!;
      let size = 0;
      for (const count of batches) {
        // Halves and not shifts, as in the code: the newest complete subtree of each level that `size` ends in.
        const edge: (Uint8Array | undefined)[] = [];
        for (let level = 0, rest = size; rest > 0; level += 1, rest = Math.floor(rest / 2)) {
          edge.push(rest % 2 === 1 ? read(level, rest - 1) : undefined);
        }
        const grown = grownTree(size, edge, all.slice(size, size + count));
        size += count;
        expect(grown.size).toBe(size);
        expect(grown.root).toEqual(rootFromLeafHashes(all.slice(0, size)));
        for (const { level, index, hash } of grown.nodes) {
          expect(nodes.has(`${level}/${index}`)).toBe(false);
          nodes.set(`${level}/${index}`, hash);
        }
      }
      for (const [index, leafHash] of all.entries()) {
        const proof = inclusionProof(index, size, read);
        expect(verifyInclusion({ index, size, leafHash, proof, root: rootFromLeafHashes(all) })).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test("another tree's edge is the caller's mistake", () => {
  expect(() => grownTree(1, [], leaves(1))).toThrow(TypeError);
  expect(() => grownTree(2, [leaves(1)[0]], [])).toThrow(TypeError);
  expect(() => grownTree(0, [], [new Uint8Array(31)])).toThrow(TypeError);
});
