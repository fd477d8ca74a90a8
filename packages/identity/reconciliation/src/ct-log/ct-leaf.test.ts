import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCtLeaf } from './ct-leaf.ts';

/** MerkleTreeLeaf (RFC 6962 §3.4). */
function leafOf(type: number, der: Uint8Array, extensions = new Uint8Array()): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64BE(1_795_240_800_000n, 2);
  head.writeUInt16BE(type, 10);
  const length = Buffer.alloc(3);
  length.writeUIntBE(der.length, 0, 3);
  const tail = Buffer.alloc(2);
  tail.writeUInt16BE(extensions.length);
  return Buffer.concat([head, type === 1 ? Buffer.alloc(32, 7) : Buffer.alloc(0), length, der, tail, extensions]);
}

test('a leaf gives the certificate, or the body of a precertificate, in its bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000 }), fc.uint8Array({ maxLength: 300 }), (der, extensions) => {
      for (const [type, kind] of [
        [0, 'x509'],
        [1, 'precert'],
      ] as const) {
        const parsed = parseCtLeaf(leafOf(type, der, extensions));
        expect(parsed?.kind).toBe(kind);
        expect(Buffer.compare(parsed!.der, der)).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});

test('a leaf of another version or kind, cut off or with something behind it, is none', () => {
  for (const type of [0, 1]) {
    const leaf = leafOf(type, Buffer.from('certificate'), Buffer.from('ext'));
    for (let end = 0; end < leaf.length; end += 1) expect(parseCtLeaf(leaf.subarray(0, end))).toBeUndefined();
    expect(parseCtLeaf(Buffer.concat([leaf, Buffer.of(0)]))).toBeUndefined();
    expect(parseCtLeaf(leaf.fill(1, 0, 1))).toBeUndefined();
    expect(parseCtLeaf(leaf.fill(0, 0, 1).fill(1, 1, 2))).toBeUndefined();
  }
  expect(parseCtLeaf(leafOf(2, Buffer.from('certificate')))).toBeUndefined();
});

test('no bytes are too strange to be looked at', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void parseCtLeaf(bytes)));
});
