import { generateKeyPairSync, sign } from 'node:crypto';
import { formatCheckpoint, rootHash, signNote } from '@colophon/merkle';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SignedLog } from '../../test/signed-log.ts';
import { readCheckpointOf, readSignedCheckpoint } from './signed-checkpoint.ts';
import { treeHeadNote } from './tree-head-note.ts';

const log = new SignedLog().add('a', 'b', 'c');
const stranger = new SignedLog().add('a', 'b', 'c');
const INVALID = expect.objectContaining({ code: 'pin.checkpoint_invalid', kind: 'untrusted' });

describe('a checkpoint', () => {
  test('counts with a signature by the key, under whatever name', () => {
    expect(readSignedCheckpoint(log.note(), log.publicKey)).toMatchObject({ origin: 'log.example', size: 3 });
    expect(readSignedCheckpoint(log.note(2, 'log.example - 77'), log.publicKey).origin).toBe('log.example - 77');
  });

  test('of another key, cut, changed or of nothing is none', () => {
    expect(() => readSignedCheckpoint(stranger.note(), log.publicKey)).toThrow(INVALID);
    const note = log.note();
    for (let length = 0; length < note.length; length += 1) {
      expect(() => readSignedCheckpoint(note.slice(0, length), log.publicKey)).toThrow(INVALID);
    }
    expect(() => readSignedCheckpoint(note.replace('\n3\n', '\n2\n'), log.publicKey)).toThrow(INVALID);
    expect(() => readSignedCheckpoint(note.replace('log.example\n3', 'log.exampl\n3'), log.publicKey)).toThrow(INVALID);
  });

  test('no text makes the reader throw anything else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => readSignedCheckpoint(text, log.publicKey)).toThrow(INVALID);
      }),
    );
  });

  test('of another log of the same key is told apart by its name', () => {
    const { origin, publicKey } = log;
    expect(readCheckpointOf(log.note(), { origin, publicKey }).size).toBe(3);
    expect(() => readCheckpointOf(log.note(3, 'other.example'), { origin, publicKey })).toThrow(
      expect.objectContaining({ code: 'pin.other_log', kind: 'mismatch' }),
    );
  });

  test('of an Ed25519 key counts too, as Rekor v2 signs them', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const text = formatCheckpoint({ origin: 'tiles.example', size: 3, root: rootHash(3, log.read) });
    const name = 'tiles.example';
    const note = signNote(text, { name, keyHash: new Uint8Array(4), sign: (bytes) => sign(null, bytes, privateKey) });
    expect(readSignedCheckpoint(note, publicKey).size).toBe(3);
    expect(() => readSignedCheckpoint(note, log.publicKey)).toThrow(INVALID);
  });
});

describe('the tree head of a certificate log', () => {
  const tree = { size: 3, root: rootHash(3, log.read) };
  const head = (size = 3, timestamp = 1_764_000_000_123) => {
    const bytes = Buffer.alloc(18);
    bytes.writeUInt8(1, 1);
    bytes.writeBigUInt64BE(BigInt(timestamp), 2);
    bytes.writeBigUInt64BE(BigInt(size), 10);
    return { timestamp, signature: log.signTreeHead(Buffer.concat([bytes, tree.root])) };
  };
  const identity = { origin: 'ct.example/ct/v1', publicKey: log.publicKey };

  test('is a checkpoint too, with its own signature', () => {
    const note = treeHeadNote(identity, tree, head());
    expect(readCheckpointOf(note, identity)).toMatchObject({ origin: 'ct.example/ct/v1', size: 3, root: tree.root });
  });

  test.each([
    ['of another size', () => treeHeadNote(identity, tree, head(2))],
    ['of another time', () => treeHeadNote(identity, tree, { ...head(), timestamp: 1 })],
    ['under another name', () => treeHeadNote(identity, tree, head()).replace('ct.example/ct/v1\n3', 'other/ct/v1\n3')],
    ['that is no signature', () => treeHeadNote(identity, tree, { timestamp: 1, signature: new Uint8Array(1) })],
  ])('%s is none', (_, made) => {
    expect(() => readSignedCheckpoint(made(), log.publicKey)).toThrow(INVALID);
  });
});
