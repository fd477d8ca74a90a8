import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { STATEMENT } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { type Artifact, hashFile } from '../verify/artifact.ts';
import { signedDigestIn } from '../verify/signed-digest.ts';
import { verifyBundleWithKey } from '../verify/verify-bundle.ts';
import { signBlobWithKey, signStatementWithKey } from './sign-with-key.ts';
import { SigningError } from './signing-error.ts';

const ARTIFACT = Buffer.from('blob');
const local = new LocalSigstore();
const common = { rekorUrl: REKOR_URL, fetch: local.fetch, retries: 0, trust: local.trust };
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;
const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'signed',
    (error) => (error instanceof SigningError ? error.code : error),
  );

describe('a key of one’s own', () => {
  it.each([
    ['P-256', p256],
    ['RSA', rsa],
    ['Ed25519', ed25519],
  ])('on %s signs an artifact; the bundle has a hint at the key and the log entry', async (_name, keys) => {
    const { bundle } = await signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey: pem(keys.privateKey) });
    const json = JSON.parse(Buffer.from(bundle).toString());
    expect(json.verificationMaterial.publicKey.hint).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(json.verificationMaterial.tlogEntries).toHaveLength(1);
    const found = verifyBundleWithKey({
      bundle,
      artifact: ARTIFACT,
      trust: local.trust,
      publicKey: publicPem(keys.publicKey),
    });
    expect(found.log_entry.log_index).toBe(Number(json.verificationMaterial.tlogEntries[0].logIndex));
  });

  it.each([
    ['P-256', p256],
    ['RSA', rsa],
    ['Ed25519', ed25519],
  ])('on %s signs a statement', async (_name, keys) => {
    const { bundle } = await signStatementWithKey({
      ...common,
      statement: STATEMENT,
      privateKey: pem(keys.privateKey),
    });
    const publicKey = publicPem(keys.publicKey);
    expect(verifyBundleWithKey({ bundle, trust: local.trust, publicKey }).statement).toEqual(STATEMENT);
  });

  it('may be logged in version 2 without a timestamp', async () => {
    const options = { ...common, rekorMajorVersion: 2 as const, artifact: ARTIFACT, privateKey: pem(p256.privateKey) };
    const { bundle } = await signBlobWithKey(options);
    verifyBundleWithKey({ bundle, artifact: ARTIFACT, trust: local.trust, publicKey: publicPem(p256.publicKey) });
  });

  it('may be encrypted', async () => {
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' } as const;
    const privateKey = p256.privateKey.export(options) as string;
    await signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey, passphrase: 'open sesame' });
    expect(await codeOf(signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey, passphrase: 'x' }))).toBe(
      'signing.key_invalid',
    );
    expect(await codeOf(signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey }))).toBe('signing.key_invalid');
  });

  it.each([
    ['that is none', 'hello'],
    [
      'in cosign’s own encryption',
      '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----',
    ],
    ['of OpenPGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n-----END PGP PRIVATE KEY BLOCK-----'],
    ['on another curve', pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey)],
    ['of RSA that is too short', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
  ])('%s is refused', async (_title, privateKey) => {
    expect(await codeOf(signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey }))).toBe('signing.key_invalid');
  });

  it('of Ed25519 signs an artifact as cosign does: by its SHA-512, which the log has too', async () => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, 'blob');
    writeFileSync(path, ARTIFACT);
    const publicKey = publicPem(ed25519.publicKey);
    const sha512 = createHash('sha512').update(ARTIFACT).digest();
    for (const artifact of [ARTIFACT, { path }]) {
      const made = await signBlobWithKey({ ...common, artifact, privateKey: pem(ed25519.privateKey) });
      expect(made.sha256).toBe(createHash('sha256').update(ARTIFACT).digest('hex'));
      const { messageSignature, verificationMaterial } = JSON.parse(Buffer.from(made.bundle).toString());
      expect(messageSignature.messageDigest).toEqual({ algorithm: 'SHA2_512', digest: sha512.toString('base64') });
      const body = JSON.parse(Buffer.from(verificationMaterial.tlogEntries[0].canonicalizedBody, 'base64').toString());
      expect(body.spec.data.hash).toEqual({ algorithm: 'sha512', value: sha512.toString('hex') });
      const verify = (artifact: Artifact) =>
        verifyBundleWithKey({ bundle: made.bundle, artifact, trust: local.trust, publicKey });
      expect(verify(ARTIFACT).artifact_digest).toBe(`sha256:${made.sha256}`);
      expect(verify(await hashFile(path, signedDigestIn(made.bundle))).artifact_digest).toBe(`sha256:${made.sha256}`);
      expect(refusal(() => verify({ sha256: made.sha256 as string })).code).toBe('artifact.bytes_required');
      expect(refusal(() => verify(Buffer.from('another'))).code).toBe('artifact.mismatch');
    }
  });

  it('of Ed25519 may be logged in version 2, and signs no statement for it', async () => {
    const options = {
      ...common,
      rekorMajorVersion: 2 as const,
      artifact: ARTIFACT,
      privateKey: pem(ed25519.privateKey),
    };
    const { bundle } = await signBlobWithKey(options);
    const publicKey = publicPem(ed25519.publicKey);
    verifyBundleWithKey({ bundle, artifact: ARTIFACT, trust: local.trust, publicKey });
    // Its digest is a SHA-512 there, which Ed25519 over the whole envelope cannot be verified by.
    const size = local.log.size;
    const statement = signStatementWithKey({ ...options, statement: STATEMENT });
    expect(await codeOf(statement)).toBe('signing.key_invalid');
    expect(local.log.size).toBe(size);
  });

  it.each(['P-384', 'P-521'])('on %s is refused by the name of its curve', async (namedCurve) => {
    const privateKey = pem(generateKeyPairSync('ec', { namedCurve }).privateKey);
    const error = await signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey }).catch((caught) => caught);
    expect([error.code, error.found]).toEqual(['signing.key_invalid', namedCurve]);
  });

  it('signs no bare digest', async () => {
    const artifact = { sha256: 'a'.repeat(64) } as never;
    expect(await codeOf(signBlobWithKey({ ...common, artifact, privateKey: pem(p256.privateKey) }))).toBeInstanceOf(
      TypeError,
    );
  });

  it('is checked against the trusted root like a certificate', async () => {
    const options = {
      ...common,
      trust: new LocalSigstore().trust,
      artifact: ARTIFACT,
      privateKey: pem(p256.privateKey),
    };
    expect(await codeOf(signBlobWithKey(options))).toBe('signing.verification_failed');
  });
});
