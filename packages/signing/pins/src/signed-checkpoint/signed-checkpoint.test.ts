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

  test('is kept with the line of the log alone, whatever others add', () => {
    const others = stranger.note().split('\n').at(-2);
    const note = log.note();
    for (const padded of [`${note}${others}\n`, note.replace('\n\n', `\n\n${others}\n`)]) {
      expect(padded).not.toBe(note);
      expect(readSignedCheckpoint(padded, log.publicKey)).toMatchObject({ size: 3, note });
    }
  });

  test('is signed under its name, or under that without the number of the tree', () => {
    const signedAs = (origin: string, name: string) => log.note(3, origin).replace(/\n\u2014 \S+/, `\n\u2014 ${name}`);
    const numbered = 'log.example - 77';
    expect(readSignedCheckpoint(signedAs(numbered, 'log.example'), log.publicKey).origin).toBe(numbered);
    for (const name of ['log', 'log.exampl', 'log.example.org', 'other.example']) {
      expect(() => readSignedCheckpoint(signedAs(numbered, name), log.publicKey)).toThrow(INVALID);
      expect(() => readSignedCheckpoint(signedAs('log.example', name), log.publicKey)).toThrow(INVALID);
    }
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
  /** The same note with another byte at one place of its signature line. */
  const withByte = (note: string, at: number) => {
    const words = note.split(' ');
    const bytes = Buffer.from(words.pop()!, 'base64');
    bytes[at]! ^= 1;
    return `${words.join(' ')} ${bytes.toString('base64')}\n`;
  };

  test('is a checkpoint too, with its own signature', () => {
    const note = treeHeadNote(identity, tree, head());
    expect(readCheckpointOf(note, identity)).toMatchObject({ origin: 'ct.example/ct/v1', size: 3, root: tree.root });
  });

  test.each([
    ['of another size', () => treeHeadNote(identity, tree, head(2))],
    ['of another time', () => treeHeadNote(identity, tree, { ...head(), timestamp: 1 })],
    ['under another name', () => treeHeadNote(identity, tree, head()).replace('ct.example/ct/v1\n3', 'other/ct/v1\n3')],
    [
      'by another name than it has',
      () => treeHeadNote({ ...identity, origin: 'other' }, tree, head()).replace('other\n3', 'ct.example/ct/v1\n3'),
    ],
    ['that is signed by another algorithm', () => withByte(treeHeadNote(identity, tree, head()), 4 + 8)],
    ['whose length is another', () => withByte(treeHeadNote(identity, tree, head()), 4 + 8 + 3)],
    ['that is no signature', () => treeHeadNote(identity, tree, { timestamp: 1, signature: new Uint8Array(1) })],
  ])('%s is none', (_, made) => {
    expect(() => readSignedCheckpoint(made(), log.publicKey)).toThrow(INVALID);
  });
});
