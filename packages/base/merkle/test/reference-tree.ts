// RFC 6962 §2.1 written down as it stands there, slow and recursive, to hold the real code against.
import { createHash } from 'node:crypto';
import { type NodeReader, nodesOfLeaf } from '../src/index.ts';

/** SHA-256 of all `parts` in a row, by Node and not by the library under test. */
export function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Leaf hashes that differ from each other. */
export function leafHashes(count: number, salt = 'leaf'): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => sha256(Uint8Array.of(0), Buffer.from(`${salt} ${i}`)));
}

function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** MTH(D[n]), over leaf hashes. */
export function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return sha256(Uint8Array.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

/** PATH(m, D[n]). */
export function auditPath(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  return m < k
    ? [...auditPath(m, leaves.slice(0, k)), treeHash(leaves.slice(k))]
    : [...auditPath(m - k, leaves.slice(k)), treeHash(leaves.slice(0, k))];
}

/** PROOF(m, D[n]), which is SUBPROOF(m, D[n], true). */
export function consistencyPath(m: number, leaves: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  const k = split(leaves.length);
  return m <= k
    ? [...consistencyPath(m, leaves.slice(0, k), isWhole), treeHash(leaves.slice(k))]
    : [...consistencyPath(m - k, leaves.slice(k), false), treeHash(leaves.slice(0, k))];
}

/** A reader over the nodes that appending `leaves` one after the other gives; counts what is asked of it. */
export function storedTree(leaves: readonly Uint8Array[]): { read: NodeReader; reads: () => number } {
  const nodes = new Map<string, Uint8Array>();
  let reads = 0;
  const read: NodeReader = (level, index) => {
    reads++;
    const hash = nodes.get(`${level}/${index}`);
    if (!hash) throw new Error(`no node ${level}/${index}`);
    return hash;
  };
  leaves.forEach((leaf, i) => {
    for (const { level, index, hash } of nodesOfLeaf(i, leaf, read)) nodes.set(`${level}/${index}`, hash);
  });
  reads = 0;
  return { read, reads: () => reads };
}

/** A tree of any size, too: all leaves are `leaf`, so every subtree of one level has one hash. */
export function uniformTree(leaf: Uint8Array): { read: NodeReader; root: (size: number) => Uint8Array } {
  const levels = [leaf];
  for (let i = 0; i < 54; i++) levels.push(sha256(Uint8Array.of(1), levels[i]!, levels[i]!));
  const root = (size: number): Uint8Array => {
    const level = Math.log2(size);
    if (Number.isInteger(level) && 2 ** level === size) return levels[level]!;
    const k = split(size);
    return sha256(Uint8Array.of(1), root(k), root(size - k));
  };
  return { read: (level) => levels[level]!, root };
}
