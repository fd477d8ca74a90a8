import { type BundleJson, draftBlob, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { VerificationError } from '../verify/verification-error.ts';
import { BUNDLE_LIMITS } from './bundle-json.ts';
import { BUNDLE_MEDIA_TYPES, parseBundle } from './parse-bundle.ts';

const local = new LocalSigstore();
const blob = draftBlob(local);
const statement = draftStatement(local);

function refusal(bytes: Uint8Array): VerificationError {
  try {
    parseBundle(bytes);
  } catch (error) {
    if (error instanceof VerificationError) return error;
    throw error;
  }
  throw new Error('it was read');
}
const edited = (json: BundleJson, edit: (copy: BundleJson) => void) => {
  const copy = structuredClone(json);
  edit(copy);
  return toBytes(copy);
};
const codeOf = (json: BundleJson, edit: (copy: BundleJson) => void) => refusal(edited(json, edit)).code;

describe('a bundle', () => {
  it('is read into its parts', () => {
    const parsed = parseBundle(toBytes(blob));
    expect(parsed.version).toBe('0.3');
    expect(parsed.signer).toEqual({
      certificate: Buffer.from(blob.verificationMaterial.certificate.rawBytes, 'base64'),
    });
    expect(parsed.content.$case).toBe('messageSignature');
    expect(parsed.logEntries).toHaveLength(1);
    expect([parsed.furtherCertificates, parsed.timestamps]).toEqual([[], []]);
    expect(parseBundle(toBytes(statement)).content.$case).toBe('dsseEnvelope');
  });

  it.each(Object.entries(BUNDLE_MEDIA_TYPES))('of media type %s has version %s', (mediaType, version) => {
    expect(parseBundle(edited(blob, (b) => Object.assign(b, { mediaType }))).version).toBe(version);
  });

  it('may have null where it might have nothing, and numbers for counts', () => {
    const bytes = edited(blob, (b) => {
      b.dsseEnvelope = null;
      b.verificationMaterial.publicKey = null;
      b.verificationMaterial.timestampVerificationData = null;
      const [entry] = b.verificationMaterial.tlogEntries;
      entry.logIndex = Number(entry.logIndex);
    });
    expect(parseBundle(bytes).logEntries[0]?.logIndex).toBe(blob.verificationMaterial.tlogEntries[0].logIndex);
  });

  it('may be signed by a key', () => {
    const bytes = toBytes(draftBlob(local, Buffer.from('x'), { keyed: true }));
    expect(parseBundle(bytes).signer).toEqual({ keyHint: expect.stringMatching(/=$/) });
  });

  it('may carry a chain in the older versions', () => {
    const chained = (mediaType: string, certificates: object[]) =>
      edited(blob, (b) => {
        b.mediaType = mediaType;
        delete b.verificationMaterial.certificate;
        b.verificationMaterial.x509CertificateChain = { certificates };
      });
    const older = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
    const parsed = parseBundle(chained(older, [{ rawBytes: 'AQ==' }, { rawBytes: 'Ag==' }]));
    expect(parsed.signer).toEqual({ certificate: Buffer.of(1) });
    expect(parsed.furtherCertificates).toEqual([Buffer.of(2)]);
    expect(refusal(chained(older, [])).code).toBe('bundle.certificate_missing');
    expect(refusal(chained(older, [{}])).code).toBe('bundle.certificate_missing');
    expect(refusal(chained(blob.mediaType, [{ rawBytes: 'AQ==' }])).code).toBe('bundle.certificate_chain');
  });

  const certificate = { rawBytes: 'AQ==' };
  it.each<[title: string, code: string, edit: (copy: BundleJson) => void]>([
    ['no media type', 'bundle.malformed', (b) => delete b.mediaType],
    ['a media type that is no text', 'bundle.malformed', (b) => Object.assign(b, { mediaType: 3 })],
    ['another media type', 'bundle.unsupported_media_type', (b) => Object.assign(b, { mediaType: 'application/json' })],
    [
      'the name of a property of every object',
      'bundle.unsupported_media_type',
      (b) => Object.assign(b, { mediaType: 'toString' }),
    ],
    ['an unknown field', 'bundle.malformed', (b) => Object.assign(b, { extra: 1 })],
    ['an unknown field further in', 'bundle.malformed', (b) => Object.assign(b.messageSignature, { extra: 1 })],
    ['a field that every object has', 'bundle.malformed', (b) => Object.assign(b, { toString: 'x' })],
    ['no verification material', 'bundle.malformed', (b) => delete b.verificationMaterial],
    ['verification material that is a list', 'bundle.malformed', (b) => Object.assign(b, { verificationMaterial: [] })],
    ['no signature', 'bundle.malformed', (b) => delete b.messageSignature],
    ['an empty signature', 'bundle.malformed', (b) => Object.assign(b.messageSignature, { signature: '' })],
    [
      'a digest of a kind that nobody knows',
      'bundle.malformed',
      (b) => Object.assign(b.messageSignature.messageDigest, { algorithm: 'RHA2_256' }),
    ],
    [
      'a digest of a kind that is a number',
      'bundle.malformed',
      (b) => Object.assign(b.messageSignature.messageDigest, { algorithm: 1 }),
    ],
    ['both kinds of signature', 'bundle.malformed', (b) => Object.assign(b, { dsseEnvelope: statement.dsseEnvelope })],
    [
      'a signature with spaces',
      'bundle.malformed',
      (b) => Object.assign(b.messageSignature, { signature: ` ${b.messageSignature.signature}` }),
    ],
    ['a signature in base64url', 'bundle.malformed', (b) => Object.assign(b.messageSignature, { signature: '-_-_' })],
    ['a signature without padding', 'bundle.malformed', (b) => Object.assign(b.messageSignature, { signature: 'AAA' })],
    ['neither certificate nor key', 'bundle.certificate_missing', (b) => delete b.verificationMaterial.certificate],
    [
      'an empty certificate',
      'bundle.certificate_missing',
      (b) => Object.assign(b.verificationMaterial, { certificate: { rawBytes: '' } }),
    ],
    [
      'certificate and key',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial, { publicKey: { hint: 'x' } }),
    ],
    [
      'certificate and chain',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial, { x509CertificateChain: { certificates: [certificate] } }),
    ],
    [
      'an index below zero',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: '-1' }),
    ],
    [
      'an index with a zero before it',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: '01' }),
    ],
    [
      'an index that is a fraction',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: 1.5 }),
    ],
    [
      'an index beyond what can be counted',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: '9'.repeat(16) }),
    ],
    [
      'an index that is a number below zero',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: -1 }),
    ],
    [
      'an index that is true',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0], { logIndex: true }),
    ],
    ['entries that are no list', 'bundle.malformed', (b) => Object.assign(b.verificationMaterial, { tlogEntries: {} })],
    [
      'a kind that is no text',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0].kindVersion, { kind: 1 }),
    ],
    [
      '33 entries',
      'bundle.malformed',
      (b) =>
        Object.assign(b.verificationMaterial, { tlogEntries: Array(33).fill(b.verificationMaterial.tlogEntries[0]) }),
    ],
    [
      '33 timestamps',
      'bundle.malformed',
      (b) =>
        Object.assign(b.verificationMaterial, {
          timestampVerificationData: { rfc3161Timestamps: Array(33).fill({ signedTimestamp: 'AAAA' }) },
        }),
    ],
    [
      'a proof longer than any tree',
      'bundle.malformed',
      (b) => Object.assign(b.verificationMaterial.tlogEntries[0].inclusionProof, { hashes: Array(65).fill('AAAA') }),
    ],
  ])('with %s is refused: %s', (_title, code, edit) => {
    expect(codeOf(blob, edit)).toBe(code);
  });

  it.each<[title: string, code: string, edit: (copy: BundleJson) => void]>([
    [
      'two signatures',
      'bundle.several_signatures',
      (b) => b.dsseEnvelope.signatures.push(b.dsseEnvelope.signatures[0]),
    ],
    [
      'a thousand signatures',
      'bundle.several_signatures',
      (b) => Object.assign(b.dsseEnvelope, { signatures: Array(1000).fill({ sig: 'AAAA' }) }),
    ],
    ['no signature', 'bundle.malformed', (b) => Object.assign(b.dsseEnvelope, { signatures: [] })],
    ['an empty signature', 'bundle.malformed', (b) => Object.assign(b.dsseEnvelope, { signatures: [{ sig: '' }] })],
    ['no payload', 'bundle.malformed', (b) => Object.assign(b.dsseEnvelope, { payload: '' })],
  ])('whose envelope has %s is refused: %s', (_title, code, edit) => {
    expect(codeOf(statement, edit)).toBe(code);
  });

  it('says where it departs from its form', () => {
    const bytes = edited(blob, (b) =>
      Object.assign(b.verificationMaterial.tlogEntries[0].inclusionProof, { hashes: ['AAAA', '?'] }),
    );
    expect(refusal(bytes).message).toContain('/verificationMaterial/tlogEntries/0/inclusionProof/hashes/1');
    const unknown = edited(blob, (b) => Object.assign(b.verificationMaterial, { extra: 1 }));
    expect(refusal(unknown).message).toContain('/verificationMaterial/extra');
    expect(refusal(edited(blob, (b) => Object.assign(b, { mediaType: 'x'.repeat(1000) }))).found).toHaveLength(100);
  });

  it.each([
    ['nothing', '', 'bundle.empty'],
    ['no JSON', '{', 'bundle.malformed'],
    ['a list', '[]', 'bundle.malformed'],
    ['a field twice', '{"mediaType":"a","mediaType":"b"}', 'bundle.malformed'],
    ['what is too deep', '['.repeat(BUNDLE_LIMITS.maxDepth + 1), 'bundle.malformed'],
  ])('of %s is refused', (_title, text, code) => {
    expect(refusal(Buffer.from(text)).code).toBe(code);
  });

  it('that is too long, or of more values than any bundle, is not read', () => {
    expect(refusal(Buffer.alloc(BUNDLE_LIMITS.maxBytes + 1, ' ')).code).toBe('bundle.too_large');
    const { maxValues } = BUNDLE_LIMITS;
    expect(refusal(Buffer.from(`[${'0,'.repeat(maxValues - 2)}0]`)).code).toBe('bundle.malformed');
    expect(refusal(Buffer.from(`[${'0,'.repeat(maxValues - 1)}0]`)).code).toBe('bundle.too_large');
  });

  it('has no certificate and no timestamp that is larger than all of them', () => {
    const large = Buffer.alloc(64 * 1024 + 3).toString('base64');
    const edits: ((copy: BundleJson) => void)[] = [
      (b) => Object.assign(b.verificationMaterial.certificate, { rawBytes: large }),
      (b) =>
        Object.assign(b.verificationMaterial, {
          timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: large }] },
        }),
    ];
    for (const edit of edits) expect(codeOf(blob, edit)).toBe('bundle.too_large');
    const payload = Buffer.alloc(1024 * 1024).toString('base64');
    const long = edited(statement, (b) => Object.assign(b.dsseEnvelope, { payload }));
    expect(parseBundle(long).content.$case).toBe('dsseEnvelope');
  });
});
