import { generateKeyPairSync, sign } from 'node:crypto';
import { formatCheckpoint, hashLeaf, signNote } from '@colophon/merkle';
import { draftBlob } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { assertIncluded, verifyCheckpoint } from './log-inclusion.ts';

const local = new LocalSigstore();
for (let index = 0; index < 6; index++) draftBlob(local, Buffer.from(`${index}`));
const [log] = local.trust.logs as [(typeof local.trust.logs)[number]];
const ROOT = Buffer.alloc(32, 5);
const { privateKey } = local.log.keys;

/** A checkpoint that may be wrong in any part. */
function checkpoint({
  origin = 'localhost',
  name = 'localhost',
  size = 6,
  key = privateKey,
  keyHash = local.log.logId.subarray(0, 4),
} = {}) {
  const signBytes = (bytes: Uint8Array) => sign('sha256', bytes, key);
  return signNote(formatCheckpoint({ origin, size, root: ROOT }), { name, keyHash, sign: signBytes });
}

describe('a checkpoint', () => {
  it.each([
    ['the log’s host', 'http://localhost:7080', 'localhost', 'localhost'],
    ['its host and tree', 'http://localhost:7080', 'localhost', 'localhost - 1234'],
    ['its host and port', 'http://localhost:7080', 'localhost:7080', 'localhost:7080'],
    ['its host and path', 'https://log.example/2026/', 'log.example/2026', 'log.example/2026'],
    ['its host, whatever its path', 'https://log.example/2026', 'log.example', 'log.example'],
    ['what it is called where it has no URL', 'log.example', 'log.example', 'log.example'],
  ])('counts when it is signed as %s', (_title, baseUrl, name, origin) => {
    expect(verifyCheckpoint(checkpoint({ name, origin }), { ...log, baseUrl })).toEqual({
      size: 6,
      root: new Uint8Array(ROOT),
    });
  });

  it.each([
    ['it is signed by a stranger', checkpoint({ key: newKeys().privateKey }), 'no signature on it is by the log'],
    ['it is signed by a stranger’s name', checkpoint({ name: 'evil' }), 'no signature on it is by the log'],
    [
      'it is signed by a part of the name',
      checkpoint({ name: 'local', origin: 'local' }),
      'no signature on it is by the log',
    ],
    [
      'it is signed with another key hint',
      checkpoint({ keyHash: Buffer.of(1, 2, 3, 4) }),
      'no signature on it is by the log',
    ],
    ['it is of another log', checkpoint({ origin: 'other' }), 'it is of another log'],
    ['it is of a log with a longer name', checkpoint({ origin: 'localhost.evil' }), 'it is of another log'],
    [
      'it is of a log with something after its number',
      checkpoint({ origin: 'localhost - 12x' }),
      'it is of another log',
    ],
    [
      'it is of a log with something before its number',
      checkpoint({ origin: 'localhost x - 12' }),
      'it is of another log',
    ],
    ['it is of a log without number', checkpoint({ origin: 'localhost - ' }), 'it is of another log'],
    ['it is no note', 'x', 'it cannot be read'],
    [
      'it is a note about something else',
      signNote('hello\n', {
        name: 'localhost',
        keyHash: local.log.logId.subarray(0, 4),
        sign: (bytes) => sign('sha256', bytes, privateKey),
      }),
      'it cannot be read',
    ],
  ])('does not count when %s', (_title, envelope, reason) => {
    const error = refusal(() => verifyCheckpoint(envelope, log));
    expect([error.code, error.message]).toEqual([
      'log_entry.checkpoint_invalid',
      `the checkpoint of the log does not count: ${reason}`,
    ]);
  });

  it('counts when one of several signatures is by the log', () => {
    const stranger = checkpoint({ name: 'witness', key: newKeys().privateKey }).split('\n\n')[1];
    const broken = checkpoint({ key: newKeys().privateKey }).split('\n\n')[1];
    const [text, own] = checkpoint().split('\n\n');
    expect(verifyCheckpoint(`${text}\n\n${stranger}${broken}${own}`, log).size).toBe(6);
  });

  it('is looked through for a few signatures of the log, which makes one', () => {
    const broken = checkpoint({ key: newKeys().privateKey }).split('\n\n')[1] as string;
    const [text, own] = checkpoint().split('\n\n');
    expect(verifyCheckpoint(`${text}\n\n${broken.repeat(3)}${own}`, log).size).toBe(6);
    const error = refusal(() => verifyCheckpoint(`${text}\n\n${broken.repeat(4)}${own}`, log));
    expect(error.code).toBe('log_entry.checkpoint_invalid');
  });

  it('may be signed with Ed25519', () => {
    const keys = generateKeyPairSync('ed25519');
    const note = signNote(formatCheckpoint({ origin: 'localhost', size: 6, root: ROOT }), {
      name: 'localhost',
      keyHash: log.logId.subarray(0, 4),
      sign: (bytes) => sign(null, bytes, keys.privateKey),
    });
    expect(verifyCheckpoint(note, { ...log, publicKey: keys.publicKey }).size).toBe(6);
  });
});

describe('an inclusion proof', () => {
  const answer = Object.values(local.log.entryAt(2))[0]!.verification.inclusionProof;
  const body = local.log.bodyAt(2);
  const proof = {
    logIndex: '2',
    treeSize: '6',
    rootHash: Buffer.from(answer.rootHash, 'hex'),
    hashes: answer.hashes.map((hash) => Buffer.from(hash, 'hex')),
    checkpoint: { envelope: answer.checkpoint },
  };

  it('shows that the body is in the tree', () => {
    expect(() => assertIncluded(body, proof, log)).not.toThrow();
    expect(hashLeaf(body)).toHaveLength(32);
  });

  it.each([
    ['another body', Buffer.from('x'), proof, 'does not lead'],
    ['another index', body, { ...proof, logIndex: '3' }, 'does not lead'],
    ['a hash too few', body, { ...proof, hashes: proof.hashes.slice(1) }, 'does not lead'],
    ['another size', body, { ...proof, treeSize: '7' }, 'another tree'],
    ['another root', body, { ...proof, rootHash: Buffer.alloc(32) }, 'another tree'],
    ['an older checkpoint', body, { ...proof, checkpoint: { envelope: local.log.checkpoint(5) } }, 'another tree'],
  ])('does not hold for %s', (_title, bytes, changed, reason) => {
    const error = refusal(() => assertIncluded(bytes, changed, log));
    expect([error.code, error.message]).toEqual(['log_entry.inclusion_proof_invalid', expect.stringContaining(reason)]);
  });

  it('does not hold without checkpoint', () => {
    expect(refusal(() => assertIncluded(body, { ...proof, checkpoint: undefined }, log)).code).toBe(
      'log_entry.checkpoint_invalid',
    );
  });
});
