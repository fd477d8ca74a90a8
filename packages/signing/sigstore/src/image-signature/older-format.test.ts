import { createHash } from 'node:crypto';
import { STATEMENT_TYPE } from '@colophon/records';
import { FULCIO_URL, LocalSigstore, REKOR_URL, TSA_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { signStatement } from '../sign/sign.ts';
import { verifyBundle } from '../verify/verify-bundle.ts';
import { OLDER_ANNOTATIONS } from './attachment.ts';
import { bundleOfOlderLayer, hasLogPromise, olderAttestationLayer, olderSignatureLayer } from './older-format.ts';

const TYPE = 'https://example.com/t/v1';
const SUBJECT = 'a'.repeat(64);

async function signed(sigstore: LocalSigstore, options = {}) {
  const { bundle } = await signStatement({
    fulcioUrl: FULCIO_URL,
    rekorUrl: REKOR_URL,
    fetch: sigstore.fetch,
    identityToken: async () => sigstore.token(),
    statement: {
      _type: STATEMENT_TYPE,
      subject: [{ digest: { sha256: SUBJECT } }],
      predicateType: TYPE,
      predicate: {},
    },
    ...options,
  });
  return bundle;
}

/** The bundle with another envelope hash in the log's body, as if the log had been shown another spelling. */
function withEnvelopeHash(bundle: Uint8Array, spell: (envelope: { signatures: object[] }) => unknown): Uint8Array {
  const value = JSON.parse(Buffer.from(bundle).toString());
  const [entry] = value.verificationMaterial.tlogEntries;
  const body = JSON.parse(Buffer.from(entry.canonicalizedBody, 'base64').toString());
  const text = JSON.stringify(spell(value.dsseEnvelope));
  body.spec.envelopeHash.value = createHash('sha256').update(text).digest('hex');
  entry.canonicalizedBody = Buffer.from(JSON.stringify(body)).toString('base64');
  return Buffer.from(JSON.stringify(value));
}

describe('the older format', () => {
  it('holds an attestation with its timestamp, and gives it back as a bundle that verifies', async () => {
    const sigstore = new LocalSigstore();
    const layer = olderAttestationLayer(await signed(sigstore, { tsaUrl: TSA_URL }), TYPE);
    expect(layer.annotations[OLDER_ANNOTATIONS.timestamp]).toMatch(/^\{"SignedRFC3161Timestamp":"/);
    const bundle = bundleOfOlderLayer(layer)!;
    const artifact = { sha256: SUBJECT };
    const { signature } = verifyBundle({ bundle, artifact, trust: sigstore.trust, policy: 'gated-elsewhere' });
    expect(signature.statement!.predicateType).toBe(TYPE);
  });

  it('writes the envelope in the spelling whose hash is in the log', async () => {
    const bundle = await signed(new LocalSigstore());
    const spellings = [
      (envelope: { signatures: object[] }) => ({ ...envelope, signatures: [{ ...envelope.signatures[0], keyid: '' }] }),
      (envelope: { signatures: object[] }) => ({ ...envelope, signatures: [{ keyid: '', ...envelope.signatures[0] }] }),
    ];
    for (const spell of spellings) {
      const { content } = olderAttestationLayer(withEnvelopeHash(bundle, spell), TYPE);
      const { dsseEnvelope } = JSON.parse(Buffer.from(bundle).toString());
      expect(Buffer.from(content).toString()).toBe(JSON.stringify(spell(dsseEnvelope)));
    }
  });

  it('is refused where the log was shown an envelope that we do not have', async () => {
    const bundle = withEnvelopeHash(await signed(new LocalSigstore()), () => 'something else');
    expect(() => olderAttestationLayer(bundle, TYPE)).toThrow(
      expect.objectContaining({ code: 'image.envelope_not_logged' }),
    );
  });

  it('needs the promise of the log', async () => {
    const bundle = await signed(new LocalSigstore(), { rekorMajorVersion: 2, tsaUrl: TSA_URL });
    expect(hasLogPromise(bundle)).toBe(false);
    expect(() => olderAttestationLayer(bundle, TYPE)).toThrow(
      expect.objectContaining({ code: 'image.promise_missing' }),
    );
  });

  it('takes a statement for no payload', async () => {
    const bundle = await signed(new LocalSigstore());
    expect(() => olderSignatureLayer(new Uint8Array(1), bundle)).toThrow(TypeError);
  });
});
