import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { STATEMENT } from '../../test/local-sigstore/draft-bundle.ts';
import { LocalSigstore, REKOR_URL } from '../../test/local-sigstore/local-sigstore.ts';
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
    ['of Ed25519, for an artifact', pem(ed25519.privateKey)],
  ])('%s is refused', async (_title, privateKey) => {
    expect(await codeOf(signBlobWithKey({ ...common, artifact: ARTIFACT, privateKey }))).toBe('signing.key_invalid');
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
