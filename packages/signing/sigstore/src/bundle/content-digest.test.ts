import { type BundleJson, draftBlob, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { contentDigest } from './content-digest.ts';
import { parseBundle } from './parse-bundle.ts';

const local = new LocalSigstore();
const blob = draftBlob(local);
const statement = draftStatement(local);
const digestOf = (bytes: Uint8Array) => contentDigest(parseBundle(bytes));
const edited = (json: BundleJson, edit: (copy: BundleJson) => void) => {
  const copy = structuredClone(json);
  edit(copy);
  return digestOf(toBytes(copy));
};

test('every spelling of a bundle has one', () => {
  for (const json of [blob, statement]) {
    const reversed = Object.fromEntries(Object.entries(json).reverse());
    for (const spelling of [
      `${JSON.stringify(json)} `,
      JSON.stringify(json, null, 2),
      JSON.stringify({ ...reversed, [json === blob ? 'dsseEnvelope' : 'messageSignature']: null }),
    ]) {
      expect(digestOf(Buffer.from(spelling))).toBe(digestOf(toBytes(json)));
    }
  }
  expect(digestOf(toBytes(blob))).not.toBe(digestOf(toBytes(statement)));
});

test.each<[string, BundleJson, (copy: BundleJson) => void]>([
  ['signature', blob, (b) => Object.assign(b.messageSignature, { signature: 'AAAA' })],
  ['digest', blob, (b) => Object.assign(b.messageSignature.messageDigest, { digest: 'AAAA' })],
  ['payload', statement, (b) => Object.assign(b.dsseEnvelope, { payload: 'AAAA' })],
  ['payload type', statement, (b) => Object.assign(b.dsseEnvelope, { payloadType: 'x' })],
  ['signature of the envelope', statement, (b) => Object.assign(b.dsseEnvelope.signatures[0], { sig: 'AAAA' })],
  ['certificate', blob, (b) => Object.assign(b.verificationMaterial.certificate, { rawBytes: 'AAAA' })],
  ['version', blob, (b) => Object.assign(b, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.2' })],
  ['log entry', blob, (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { integratedTime: '7' })],
  ['number of log entries', blob, (b) => b.verificationMaterial.tlogEntries.pop()],
  [
    'timestamp',
    blob,
    (b) =>
      Object.assign(b.verificationMaterial, {
        timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: 'AAAA' }] },
      }),
  ],
])('another %s makes another', (_what, json, edit) => {
  expect(edited(json, edit)).not.toBe(digestOf(toBytes(json)));
});

test('a hint at a key is no certificate of the same bytes', () => {
  const hinted = (material: object) =>
    edited(blob, (b) => {
      delete (b.verificationMaterial as { certificate?: unknown }).certificate;
      Object.assign(b.verificationMaterial, material);
    });
  expect(hinted({ publicKey: { hint: 'abc' } })).not.toBe(
    hinted({ certificate: { rawBytes: Buffer.from('abc').toString('base64') } }),
  );
});
