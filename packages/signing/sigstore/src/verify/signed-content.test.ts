import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import {
  ARTIFACT,
  ARTIFACT_SHA256,
  draftBlob,
  draftStatement,
  STATEMENT,
  toBytes,
} from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { parseBundle } from '../bundle/parse-bundle.ts';
import { artifactDigest, hashFile } from './artifact.ts';
import { signedContentOf } from './signed-content.ts';

const local = new LocalSigstore();
const keys = newKeys();
const blob = parseBundle(toBytes(draftBlob(local, ARTIFACT, { keys }))).content;
const statement = parseBundle(toBytes(draftStatement(local, STATEMENT, { keys }))).content;

describe('what was signed', () => {
  it('is the artifact, by itself or by its digest', () => {
    for (const artifact of [ARTIFACT, { sha256: ARTIFACT_SHA256 }]) {
      const content = signedContentOf(blob, artifact);
      expect(content.signedDigest.toString('hex')).toBe(ARTIFACT_SHA256);
      expect(content).not.toHaveProperty('envelope');
      expect(content.isSignedBy(keys.publicKey)).toBe(true);
      expect(content.isSignedBy(newKeys().publicKey)).toBe(false);
      expect(content.isSignedBy(keys.publicKey)).toBe(true);
    }
  });

  it('may be said without a digest in the bundle', () => {
    const { messageSignature } = blob as Extract<typeof blob, { $case: 'messageSignature' }>;
    const bare = {
      $case: 'messageSignature',
      messageSignature: { ...messageSignature, messageDigest: undefined },
    } as const;
    expect(signedContentOf(bare, ARTIFACT).isSignedBy(keys.publicKey)).toBe(true);
    expect(signedContentOf(bare, Buffer.from('x')).isSignedBy(keys.publicKey)).toBe(false);
  });

  it('is not another artifact, and not nothing', () => {
    const other = refusal(() => signedContentOf(blob, Buffer.from('x')));
    const given = createHash('sha256').update('x').digest('hex');
    expect([other.code, other.expected]).toEqual(['artifact.mismatch', `sha256:${given}`]);
    expect(other.found).toBe(`sha256:${ARTIFACT_SHA256}`);
    expect(refusal(() => signedContentOf(blob, undefined)).code).toBe('artifact.missing');
  });

  it('is the encoding of an envelope, not its payload', () => {
    const content = signedContentOf(statement, undefined);
    expect(content.envelope?.payloadDigest).toEqual(createHash('sha256').update(JSON.stringify(STATEMENT)).digest());
    expect(content.signedDigest).not.toEqual(content.envelope?.payloadDigest);
    expect(content.isSignedBy(keys.publicKey)).toBe(true);
    expect(content.isSignedBy(newKeys().publicKey)).toBe(false);
  });

  it('is not verified by a key that does not fit', () => {
    const x25519 = generateKeyPairSync('x25519');
    expect(signedContentOf(blob, ARTIFACT).isSignedBy(x25519.publicKey)).toBe(false);
    const ed25519 = generateKeyPairSync('ed25519');
    const signature = sign(null, ARTIFACT, ed25519.privateKey);
    const pure = { $case: 'messageSignature', messageSignature: { messageDigest: undefined, signature } } as const;
    expect(signedContentOf(pure, ARTIFACT).isSignedBy(ed25519.publicKey)).toBe(true);
    expect(refusal(() => signedContentOf(pure, { sha256: ARTIFACT_SHA256 }).isSignedBy(ed25519.publicKey)).code).toBe(
      'artifact.bytes_required',
    );
  });
});

describe('an artifact', () => {
  it('is hashed, or known by 64 hex digits', () => {
    expect(Buffer.from(artifactDigest(ARTIFACT)).toString('hex')).toBe(ARTIFACT_SHA256);
    expect(Buffer.from(artifactDigest({ sha256: ARTIFACT_SHA256.toUpperCase() })).toString('hex')).toBe(
      ARTIFACT_SHA256,
    );
    for (const sha256 of ['', 'a'.repeat(63), 'a'.repeat(65), `${'a'.repeat(63)}g`, ` ${'a'.repeat(64)}`]) {
      expect(() => artifactDigest({ sha256 })).toThrow(/64 hex digits/);
    }
  });

  it('in a file is hashed little by little', async () => {
    const path = join(temporaryFolder(onTestFinished), 'file');
    const long = Buffer.alloc(2_500_000, 'long');
    writeFileSync(path, long);
    expect(await hashFile(path)).toEqual({
      sha256: createHash('sha256').update(long).digest('hex'),
      kind: 'file',
    });
  });
});
