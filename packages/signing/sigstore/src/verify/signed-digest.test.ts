import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { logged, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { signedDigestIn } from './signed-digest.ts';
import { verifyBundleWithKey } from './verify-bundle.ts';

const ARTIFACT = Buffer.from('the artifact');
const NAMES = { sha256: 'SHA2_256', sha384: 'SHA2_384', sha512: 'SHA2_512' } as const;
type Algorithm = keyof typeof NAMES;
type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
const PAIRS: Readonly<Record<string, Pair>> = {
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  Ed25519: generateKeyPairSync('ed25519'),
};
const local = new LocalSigstore();
const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes as Uint8Array).toString('base64');

/** What a client would write that signs by this digest; `loggedBy` another one in the log. */
function draft(kind: string, algorithm: Algorithm, loggedBy = algorithm) {
  const { privateKey, publicKey } = PAIRS[kind]!;
  const signature = sign(kind === 'Ed25519' ? null : algorithm, ARTIFACT, privateKey);
  const digest = (by: Algorithm) => createHash(by).update(ARTIFACT).digest();
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const hash = { algorithm: loggedBy, value: digest(loggedBy).toString('hex') };
  const spec = { data: { hash }, signature: { content: b64(signature), publicKey: { content: b64(pem) } } };
  return toBytes({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      publicKey: { hint: 'any' },
      tlogEntries: [logged(local, { apiVersion: '0.0.1', kind: 'hashedrekord', spec })],
    },
    messageSignature: {
      messageDigest: { algorithm: NAMES[algorithm], digest: b64(digest(algorithm)) },
      signature: b64(signature),
    },
  });
}

function verdict(kind: string, bundle: Uint8Array): string {
  const publicKey = PAIRS[kind]!.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const verify = () => verifyBundleWithKey({ bundle, artifact: ARTIFACT, trust: local.trust, publicKey });
  try {
    return verify().artifact_digest === `sha256:${createHash('sha256').update(ARTIFACT).digest('hex')}`
      ? 'ok'
      : 'other';
  } catch {
    return refusal(verify).code;
  }
}

// Of Ed25519 only the variant over the whole message is made here: by a SHA-512 it is none.
test.each<[kind: string, sha256: string, sha384: string, sha512: string]>([
  ['P-256', 'ok', 'bundle.malformed', 'bundle.malformed'],
  ['P-384', 'ok', 'ok', 'bundle.malformed'],
  ['P-521', 'ok', 'bundle.malformed', 'ok'],
  ['RSA', 'ok', 'bundle.malformed', 'bundle.malformed'],
  ['Ed25519', 'ok', 'bundle.malformed', 'signature.invalid'],
])('a blob by a key on %s counts by the digests that are used with it', (kind, ...expected) => {
  const digests = ['sha256', 'sha384', 'sha512'] as const;
  expect(digests.map((algorithm) => verdict(kind, draft(kind, algorithm)))).toEqual(expected);
});

test.each<[Algorithm, Algorithm]>([
  ['sha384', 'sha256'],
  ['sha256', 'sha384'],
  ['sha384', 'sha512'],
])('a blob that is signed by %s and logged by %s is refused', (algorithm, loggedBy) => {
  expect(verdict('P-384', draft('P-384', algorithm, loggedBy))).toBe('log_entry.mismatch');
});

test.each([
  ['that is shorter', (digest: Buffer) => digest.subarray(1)],
  ['that is another', (digest: Buffer) => Buffer.alloc(digest.length)],
  ['that is none', () => Buffer.alloc(0)],
])('a blob whose bundle has a SHA-384 %s is refused', (_what, change) => {
  const json = JSON.parse(draft('P-384', 'sha384').toString());
  const { messageDigest } = json.messageSignature;
  messageDigest.digest = b64(change(Buffer.from(messageDigest.digest, 'base64')));
  expect(['bundle.malformed', 'artifact.mismatch']).toContain(verdict('P-384', toBytes(json)));
});

test('the digest that a file has to be read by stands in the bundle, and is a SHA-256 where nothing is said', () => {
  expect(signedDigestIn(draft('P-384', 'sha384'))).toBe('sha384');
  expect(signedDigestIn(draft('P-521', 'sha512'))).toBe('sha512');
  expect(signedDigestIn(draft('P-256', 'sha256'))).toBe('sha256');
  for (const text of ['', 'no bundle', '{}']) expect(signedDigestIn(Buffer.from(text))).toBe('sha256');
});
