import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { keyThumbprint } from '@colophon/records';
import { spkiOf, toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { octets, sequence } from '@colophon/testkit/local-sigstore/der-writer';
import {
  ARTIFACT,
  ARTIFACT_SHA256,
  type BundleJson,
  draftBlob,
  draftStatement,
  logged,
  STATEMENT,
  sha256,
  toBytes,
} from '@colophon/testkit/local-sigstore/draft-bundle';
import {
  CLAIMS,
  emailName,
  ISSUER,
  type LeafOptions,
  LocalSigstore,
  newKeys,
  REKOR_URL,
  uriName,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { timestampOf } from '@colophon/testkit/local-sigstore/timestamp-writer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_EXPONENT, rsaKeyOf } from '../../test/rsa-key.ts';
import { createIdentityPolicy } from '../identity-policy/identity-policy.ts';
import { loadTrustedRoot } from '../trusted-root/load-trusted-root.ts';
import { VerificationError, type VerificationErrorCode } from './verification-error.ts';
import { type VerifyBundleOptions, verifyBundle, verifyBundleWithKey } from './verify-bundle.ts';

const local = new LocalSigstore();
const { trust } = local;
const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });

type Options = Partial<Omit<VerifyBundleOptions, 'bundle'>>;

function verified(json: BundleJson, options: Options = {}) {
  return verifyBundle({ bundle: toBytes(json), artifact: ARTIFACT, trust, policy, ...options });
}

function failure(act: () => unknown): VerificationError {
  try {
    act();
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    return error;
  }
  throw new Error('it was accepted');
}

const codeOf = (json: BundleJson, options: Options = {}) => failure(() => verified(json, options)).code;

const edited = (json: BundleJson, edit: (copy: BundleJson) => void): BundleJson => {
  const copy = structuredClone(json);
  edit(copy);
  return copy;
};
const entryOf = (json: BundleJson) => json.verificationMaterial.tlogEntries[0];
const flip = (base64: string, at = 0) => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[bytes.length - 1 - at] = (bytes[bytes.length - 1 - at] as number) ^ 1;
  return bytes.toString('base64');
};

/** As it is without a promise: version 2 of the log tells no time. */
function withTimestamp(json: BundleJson, time = local.now, status = 0): BundleJson {
  return edited(json, (copy) => {
    const signature = copy.messageSignature?.signature ?? copy.dsseEnvelope.signatures[0].sig;
    const signedTimestamp = local.timestamp(Buffer.from(signature, 'base64'), time, status).toString('base64');
    copy.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] };
  });
}
function withoutPromise(json: BundleJson): BundleJson {
  return edited(json, (copy) => {
    delete entryOf(copy).inclusionPromise;
    delete entryOf(copy).integratedTime;
  });
}

describe('a bundle over an artifact', () => {
  const blob = draftBlob(local);

  it('is verified, and says who signed, what, when, and where it is logged', () => {
    const { signature, checks } = verified(blob);
    expect(signature).toEqual({
      certificate_identity: expect.objectContaining({
        issuer: ISSUER,
        subject: 'agent:code-writer',
        trigger: 'pull_request',
      }),
      artifact_digest: `sha256:${ARTIFACT_SHA256}`,
      certified_at: '2026-11-21T10:00:00.000Z',
      log_entry: {
        log_index: Number(entryOf(blob).logIndex),
        log_id: local.log.logId.toString('hex'),
        integrated_at: local.now.toISOString(),
      },
    });
    expect(checks).toEqual([
      { check: 'bundle.form', detail: 'version 0.3' },
      { check: 'artifact', detail: `sha256:${ARTIFACT_SHA256}` },
      { check: 'signature', detail: 'ec' },
      { check: 'log_entry.content', detail: 'same signature, content and signer' },
      { check: 'certificate.validity', detail: '2026-11-21T10:00:00.000Z to 2026-11-21T10:10:00.000Z' },
      { check: 'certificate.chain', detail: 'to a pinned authority, with its certificate timestamp' },
      {
        check: 'log_entry.inclusion',
        detail: `index ${entryOf(blob).logIndex}, by proof, tree of ${entryOf(blob).inclusionProof.treeSize}`,
      },
      { check: 'timestamp', detail: '2026-11-21T10:00:00.000Z by log' },
      { check: 'identity', detail: `agent:code-writer of ${ISSUER}` },
    ]);
  });

  it('is verified by the digest of an artifact that is not at hand', () => {
    expect(verified(blob, { artifact: { sha256: ARTIFACT_SHA256 } }).signature.artifact_digest).toBe(
      `sha256:${ARTIFACT_SHA256}`,
    );
    expect(codeOf(blob, { artifact: { sha256: 'a'.repeat(64) } })).toBe('artifact.mismatch');
    expect(() => verified(blob, { artifact: { sha256: 'abc' } })).toThrow(TypeError);
  });

  it('is verified by its promise and a timestamp both, and the log tells the time', () => {
    const later = new Date(local.now.getTime() + 60_000);
    const { signature, checks } = verified(withTimestamp(blob, later));
    expect(signature.log_entry.integrated_at).toBe(local.now.toISOString());
    expect(checks.filter(({ check }) => check === 'timestamp').map(({ detail }) => detail)).toEqual([
      '2026-11-21T10:00:00.000Z by log',
      '2026-11-21T10:01:00.000Z by timestamp-authority',
    ]);
  });

  it('is verified by a timestamp where the log tells no time', () => {
    const later = new Date(local.now.getTime() + 60_000);
    expect(verified(withoutPromise(withTimestamp(blob, later))).signature.log_entry.integrated_at).toBe(
      later.toISOString(),
    );
  });

  it('needs an artifact to be held against', () => {
    expect(codeOf(blob, { artifact: undefined })).toBe('artifact.missing');
  });

  it('is no statement of any type', () => {
    const error = failure(() => verified(blob, { predicateType: STATEMENT.predicateType }));
    expect([error.code, error.expected]).toEqual(['statement.predicate_type_mismatch', STATEMENT.predicateType]);
  });

  it('is verified to the last second of its certificate, and from the first', () => {
    const at = (time: string) => {
      const other = new LocalSigstore();
      other.now = new Date(time);
      const options = { notBefore: local.now, notAfter: new Date('2026-11-21T10:10:00Z') };
      const bundle = toBytes(draftBlob(other, ARTIFACT, options));
      return () => verifyBundle({ bundle, artifact: ARTIFACT, trust: other.trust, policy });
    };
    expect(at('2026-11-21T10:00:00Z')).not.toThrow();
    expect(at('2026-11-21T10:10:00Z')).not.toThrow();
    const tooLate = failure(at('2026-11-21T10:10:01Z'));
    expect(tooLate.code).toBe('certificate.expired');
    expect(tooLate.expected).toBe('2026-11-21T10:00:00.000Z to 2026-11-21T10:10:00.000Z');
    expect(tooLate.found).toBe('2026-11-21T10:10:01.000Z');
    expect(failure(at('2026-11-21T09:59:59Z')).code).toBe('certificate.expired');
  });

  const tampered: [title: string, code: VerificationErrorCode, edit: (copy: BundleJson) => void, options?: Options][] =
    [
      ['another artifact', 'artifact.mismatch', () => {}, { artifact: Buffer.from('other') }],
      [
        'another digest',
        'artifact.mismatch',
        (b) => (b.messageSignature.messageDigest.digest = Buffer.alloc(32).toString('base64')),
      ],
      [
        'another digest algorithm',
        'bundle.malformed',
        (b) => (b.messageSignature.messageDigest.algorithm = 'SHA2_512'),
      ],
      [
        'another signature',
        'signature.invalid',
        (b) => (b.messageSignature.signature = flip(b.messageSignature.signature)),
      ],
      [
        'an entry for another artifact',
        'log_entry.mismatch',
        (b) =>
          (b.verificationMaterial.tlogEntries = draftBlob(local, Buffer.from('x')).verificationMaterial.tlogEntries),
      ],
      ['no entry', 'log_entry.missing', (b) => (b.verificationMaterial.tlogEntries = [])],
      [
        'one entry twice',
        'log_entry.duplicate',
        (b) => b.verificationMaterial.tlogEntries.push(structuredClone(entryOf(b))),
      ],
      ['an entry of another kind', 'log_entry.malformed', (b) => (entryOf(b).kindVersion.kind = 'dsse')],
      ['an entry of another version', 'log_entry.malformed', (b) => (entryOf(b).kindVersion.version = '0.0.2')],
      ['no kind', 'log_entry.malformed', (b) => delete entryOf(b).kindVersion],
      ['an entry without log', 'log_entry.untrusted_log', (b) => delete entryOf(b).logId],
      [
        'an entry of another log',
        'log_entry.untrusted_log',
        (b) => (entryOf(b).logId.keyId = flip(entryOf(b).logId.keyId)),
      ],
      ['no inclusion proof', 'log_entry.inclusion_proof_missing', (b) => delete entryOf(b).inclusionProof],
      ['no checkpoint', 'log_entry.inclusion_proof_missing', (b) => delete entryOf(b).inclusionProof.checkpoint],
      [
        'another index in the proof',
        'log_entry.inclusion_proof_invalid',
        (b) => (entryOf(b).inclusionProof.logIndex = '99'),
      ],
      [
        'another hash in the proof',
        'log_entry.inclusion_proof_invalid',
        (b) => entryOf(b).inclusionProof.hashes.push(Buffer.alloc(32).toString('base64')),
      ],
      [
        'another root beside the checkpoint',
        'log_entry.inclusion_proof_invalid',
        (b) => (entryOf(b).inclusionProof.rootHash = flip(entryOf(b).inclusionProof.rootHash)),
      ],
      [
        'another size beside the checkpoint',
        'log_entry.inclusion_proof_invalid',
        (b) => (entryOf(b).inclusionProof.treeSize = '1000'),
      ],
      [
        'a checkpoint that is none',
        'log_entry.checkpoint_invalid',
        (b) => (entryOf(b).inclusionProof.checkpoint.envelope = 'x'),
      ],
      [
        'another promise',
        'log_entry.set_invalid',
        (b) =>
          (entryOf(b).inclusionPromise.signedEntryTimestamp = flip(entryOf(b).inclusionPromise.signedEntryTimestamp)),
      ],
      [
        'another time',
        'log_entry.set_invalid',
        (b) => (entryOf(b).integratedTime = `${Number(entryOf(b).integratedTime) + 1}`),
      ],
      ['another index', 'log_entry.set_invalid', (b) => (entryOf(b).logIndex = `${Number(entryOf(b).logIndex) + 1}`)],
      ['no promise', 'timestamp.missing', (b) => delete entryOf(b).inclusionPromise],
      ['no time', 'timestamp.missing', (b) => delete entryOf(b).integratedTime],
      [
        'another certificate',
        'signature.invalid',
        (b) => (b.verificationMaterial.certificate.rawBytes = local.issue(newKeys().publicKey).toString('base64')),
      ],
      [
        'a certificate that is none',
        'certificate.malformed',
        (b) => (b.verificationMaterial.certificate.rawBytes = 'AAAA'),
      ],
      [
        'a key',
        'key.missing',
        (b) => (b.verificationMaterial = { publicKey: { hint: 'x' }, tlogEntries: b.verificationMaterial.tlogEntries }),
      ],
    ];
  it.each(tampered)('with %s is refused: %s', (_title, code, edit, options) => {
    expect(codeOf(edited(blob, edit), options)).toBe(code);
  });

  it('tells what the log it trusts should have been', () => {
    const other = edited(blob, (b) => (entryOf(b).logId.keyId = Buffer.alloc(32, 7).toString('base64')));
    expect(failure(() => verified(other)).found).toBe('07'.repeat(32));
    expect(failure(() => verified(other)).message).toContain('not in the trusted root');
  });

  it('without promise must have the index of its proof', () => {
    const json = withoutPromise(withTimestamp(blob));
    expect(codeOf(edited(json, (b) => (entryOf(b).logIndex = '5000')))).toBe('log_entry.mismatch');
  });

  it('with a timestamp outside its certificate is refused', () => {
    expect(codeOf(withTimestamp(blob, new Date('2026-11-21T10:10:01Z')))).toBe('timestamp.outside_certificate');
  });

  it('with the same timestamp twice is refused', () => {
    const twice = edited(withTimestamp(blob), (b) => {
      const { rfc3161Timestamps } = b.verificationMaterial.timestampVerificationData;
      rfc3161Timestamps.push(rfc3161Timestamps[0]);
    });
    expect(codeOf(twice)).toBe('timestamp.invalid');
  });

  it('is not accepted for a signature that is logged with other parts', () => {
    const keys = newKeys();
    const stranger = draftBlob(local);
    const signature = Buffer.from(stranger.messageSignature.signature, 'base64');
    expect(codeOf(draftBlob(local, ARTIFACT, { keys, logged: { signature } }))).toBe('log_entry.mismatch');
    expect(codeOf(draftBlob(local, ARTIFACT, { keys, logged: { digest: sha256(Buffer.from('x')) } }))).toBe(
      'log_entry.mismatch',
    );
    const verifier = toPem(local.issue(keys.publicKey, { claims: { ...CLAIMS, sub: 'agent:code-writer' } }));
    expect(codeOf(draftBlob(local, ARTIFACT, { keys, logged: { verifier } }))).toBe('log_entry.mismatch');
  });

  it('is not logged by any number of entries in one log', () => {
    const keys = newKeys();
    const json = draftBlob(local, ARTIFACT, { keys });
    const { spec } = JSON.parse(Buffer.from(entryOf(json).canonicalizedBody, 'base64').toString());
    const later = new Date(local.now.getTime() + 1000);
    const again = logged(
      local,
      {
        apiVersion: '0.0.1',
        kind: 'hashedrekord',
        spec: { ...spec, extra: 'so that it is another leaf' },
      },
      later,
    );
    const both = edited(json, (b) => b.verificationMaterial.tlogEntries.push(again));
    expect(verified(both).checks.filter(({ check }) => check === 'log_entry.inclusion')).toHaveLength(2);
    const error = failure(() => verified(both, { logThreshold: 2 }));
    expect([error.code, error.expected, error.found]).toEqual(['log_entry.missing', '2', '1']);
  });
});

describe('a certificate in a bundle', () => {
  const wrong: [title: string, code: VerificationErrorCode, leaf: LeafOptions][] = [
    ['for servers', 'certificate.not_for_signing', { usages: ['1.3.6.1.5.5.7.3.1'] }],
    ['without purpose', 'certificate.not_for_signing', { without: ['2.5.29.37'] }],
    ['for key agreement only', 'certificate.not_for_signing', { keyUsage: 0x08 }],
    [
      'of an authority',
      'certificate.not_for_signing',
      { extra: [{ oid: '2.5.29.19', value: sequence(Buffer.of(1, 1, 0xff)) }] },
    ],
    [
      'with an unknown critical extension',
      'certificate.critical_extension',
      { extra: [{ oid: '1.2.3.4', critical: true, value: octets(Buffer.of(1)) }] },
    ],
    ['without name', 'certificate.identity_missing', { sans: [] }],
    ['with two names', 'certificate.identity_missing', { sans: [uriName('agent:code-writer'), emailName('a@b.c')] }],
    ['without issuer', 'certificate.identity_missing', { without: ['1.3.6.1.4.1.57264.1.1', '1.3.6.1.4.1.57264.1.8'] }],
    ['whose name is not its claims', 'certificate.mapping_conflict', { sans: [uriName('agent:evil')] }],
    ['of a stranger', 'certificate.untrusted', { issuer: { keys: newKeys(), name: 'intermediate' } }],
    ['without certificate timestamp', 'sct.missing', { sctBy: 'nobody' }],
    ['with a stranger’s certificate timestamp', 'sct.invalid', { sctBy: 'stranger' }],
    ['that is not yet valid', 'certificate.expired', { notBefore: new Date('2026-11-21T10:00:01Z') }],
    [
      'that is expired',
      'certificate.expired',
      { notBefore: new Date('2026-11-21T09:00:00Z'), notAfter: new Date('2026-11-21T09:59:59Z') },
    ],
  ];
  it.each(wrong)('%s is refused: %s', (_title, code, leaf) => {
    expect(codeOf(draftBlob(local, ARTIFACT, leaf))).toBe(code);
  });

  it.each(['both', 'own', 'fulcio'] as const)('has the same identity by mapping %s', (mappings) => {
    const { certificate_identity: identity } = verified(draftBlob(local, ARTIFACT, { mappings })).signature;
    expect(identity.claims.model_id).toBe('claude-x');
  });

  it('whose key cannot be read is refused', () => {
    const noKey = { export: () => sequence(sequence(), octets(Buffer.of(1))) } as never;
    const certificate = local.issue(noKey);
    const json = edited(draftBlob(local), (b) => {
      b.verificationMaterial.certificate.rawBytes = certificate.toString('base64');
    });
    const error = failure(() => verified(json));
    expect([error.code, error.message]).toEqual(['certificate.malformed', 'the key in the certificate cannot be read']);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('whose issuer has no name in DER is refused', () => {
    const json = edited(draftBlob(local), (b) => {
      const der = Buffer.from(b.verificationMaterial.certificate.rawBytes, 'base64');
      // The length of the first attribute in the name, which our own reader takes as a whole.
      der[der.indexOf(Buffer.from('0603550403', 'hex')) - 1] = 0x7f;
      b.verificationMaterial.certificate.rawBytes = der.toString('base64');
    });
    const error = failure(() => verified(json));
    expect([error.code, error.message]).toEqual(['certificate.malformed', 'the certificate cannot be read']);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.each([
    ['RSA with an exponent as long as its modulus', 'rsa', rsaKeyOf(3072, LONGEST_EXPONENT)],
    ['RSA of more than 4096 bits', 'rsa', rsaKeyOf(8192, 65537n)],
    ['a curve that is not of NIST', 'ec', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey],
  ])('for a key that no authority certifies is refused: %s', (_title, found, publicKey) => {
    const error = failure(() => verified(draftBlob(local, ARTIFACT, { keys: { ...newKeys(), publicKey } })));
    expect([error.code, error.found]).toEqual(['certificate.malformed', found]);
    expect(error.expected).toContain('RSA of 2048 to 4096 bits');
  });

  it('by a token that is bound to a key is for that key', () => {
    const keys = newKeys();
    const thumbprintOf = (key: KeyObject) => keyThumbprint({ ...key.export({ format: 'jwk' }) });
    const boundTo = (key_thumbprint: string) =>
      draftBlob(local, ARTIFACT, { keys, claims: { ...CLAIMS, key_thumbprint } });
    const own = thumbprintOf(keys.publicKey);
    verified(boundTo(own));
    const expected = thumbprintOf(newKeys().publicKey);
    const error = failure(() => verified(boundTo(expected)));
    expect([error.code, error.expected, error.found]).toEqual(['certificate.key_mismatch', expected, own]);
  });

  it('of a stranger is refused for that before its key verifies anything', () => {
    const strange = draftBlob(local, ARTIFACT, { issuer: { keys: newKeys(), name: 'intermediate' } });
    const withSignatureOf = (json: BundleJson, other: BundleJson) =>
      edited(json, (b) => (b.messageSignature.signature = other.messageSignature.signature));
    expect(codeOf(withSignatureOf(strange, draftBlob(local)))).toBe('log_entry.mismatch');
    expect(codeOf(withSignatureOf(draftBlob(local), draftBlob(local)))).toBe('signature.invalid');
    const keys = newKeys();
    const forged = draftBlob(local, ARTIFACT, {
      keys: { ...keys, publicKey: newKeys().publicKey },
      issuer: { keys, name: 'x' },
    });
    expect(codeOf(forged)).toBe('certificate.untrusted');
  });

  it.each([
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ])('may be for %s', (_title, keys) => {
    verified(draftStatement(local, STATEMENT, { keys }));
  });

  it('in a chain of version 0.2 may stand before the intermediate that is pinned', () => {
    const chained = (...further: Uint8Array[]) =>
      edited(draftBlob(local), (b) => {
        b.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.2';
        const rawBytes = b.verificationMaterial.certificate.rawBytes;
        delete b.verificationMaterial.certificate;
        const certificates = [
          { rawBytes },
          ...further.map((der) => ({ rawBytes: Buffer.from(der).toString('base64') })),
        ];
        b.verificationMaterial.x509CertificateChain = { certificates };
      });
    expect(verified(chained()).checks[0]).toEqual({ check: 'bundle.form', detail: 'version 0.2' });
    verified(chained(local.intermediateCertificate));
    expect(codeOf(chained(local.intermediateCertificate, local.rootCertificate))).toBe('bundle.certificate_chain');
    expect(codeOf(chained(local.issue(newKeys().publicKey)))).toBe('bundle.certificate_chain');
  });

  const whole = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'] as const;
  const past = ['2026-01-01T00:00:00Z', '2026-11-21T09:59:59Z'] as const;
  const coming = ['2026-11-21T10:00:01Z', '2027-01-01T00:00:00Z'] as const;
  it.each([
    ['whole', 'whole', 'accepted', whole, whole],
    ['whole', 'past', 'certificate.untrusted', whole, past],
    ['whole', 'coming', 'certificate.untrusted', whole, coming],
    ['past', 'whole', 'certificate.untrusted', past, whole],
    ['coming', 'whole', 'certificate.untrusted', coming, whole],
  ] as const)(
    'under a root of the %s and an intermediate of the %s year is %s',
    (_root, _intermediate, code, root, intermediate) => {
      const other = new LocalSigstore().certifyAnew(root, intermediate);
      const json = draftBlob(other);
      if (code === 'accepted') verified(json, { trust: other.trust });
      else expect(codeOf(json, { trust: other.trust })).toBe(code);
    },
  );

  it('must be valid when the authority was pinned', () => {
    const root = local.trustedRootJson();
    const validFor = { start: '2026-11-21T10:00:01Z' };
    const later = { ...root, certificateAuthorities: [{ ...root.certificateAuthorities[0], validFor }] };
    expect(codeOf(draftBlob(local), { trust: loadTrustedRoot(JSON.stringify(later)) })).toBe('certificate.untrusted');
  });
});

describe('a timestamp that no pinned authority made of the signature', () => {
  const blob = withoutPromise(withTimestamp(draftBlob(local)));
  const stranger = new LocalSigstore();
  const signature = Buffer.from(blob.messageSignature.signature, 'base64');
  const b64 = (bytes: Buffer) => bytes.toString('base64');
  const before = { key: local.tsa.privateKey, issuer: 'tsa-root', serial: 98 };
  const tampered = b64(local.timestamp(signature, local.now)).replace(/.{12}$/, 'AAAAAAAAAAAA');
  const bad: readonly (readonly [title: string, signedTimestamp: string])[] = [
    ['by another authority', b64(stranger.timestamp(signature, local.now))],
    ['by another authority, at a time outside the certificate', b64(stranger.timestamp(signature, new Date(0)))],
    ['with a signature that does not hold', tampered],
    ['over another signature', b64(local.timestamp(Buffer.from('another'), local.now))],
    ['not granted', b64(local.timestamp(signature, local.now, 2))],
    ['under another serial number', b64(timestampOf(sha256(signature), local.now, before))],
    ['made before the authority was in force', b64(local.timestamp(signature, new Date('2025-12-31T23:59:59Z')))],
    ['that cannot be read', 'AAAA'],
  ];
  const timesOf = (json: BundleJson) =>
    verified(json).checks.flatMap(({ check, detail }) => (check === 'timestamp' ? [detail] : []));

  it.each(bad)('%s: does not sink a bundle with a good one, before it or after', (_title, signedTimestamp) => {
    for (const add of ['push', 'unshift'] as const) {
      const both = edited(blob, (b) =>
        b.verificationMaterial.timestampVerificationData.rfc3161Timestamps[add]({ signedTimestamp }),
      );
      expect(timesOf(both)).toEqual(['2026-11-21T10:00:00.000Z by timestamp-authority']);
    }
  });

  it.each(bad)('%s: does not sink a bundle whose time the log tells', (_title, signedTimestamp) => {
    const beside = edited(draftBlob(local), (b) => {
      b.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] };
    });
    expect(timesOf(beside)).toEqual(['2026-11-21T10:00:00.000Z by log']);
  });

  it.each(bad)('%s: is no time of its own', (_title, signedTimestamp) => {
    const alone = edited(blob, (b) => {
      b.verificationMaterial.timestampVerificationData.rfc3161Timestamps = [{ signedTimestamp }];
    });
    expect(codeOf(alone)).toBe('timestamp.invalid');
    const twice = edited(alone, (b) =>
      b.verificationMaterial.timestampVerificationData.rfc3161Timestamps.push({ signedTimestamp }),
    );
    expect(codeOf(twice)).toBe('timestamp.invalid');
  });

  it('that was granted with changes is a timestamp', () => {
    expect(timesOf(withoutPromise(withTimestamp(draftBlob(local), local.now, 1)))).toHaveLength(1);
  });
});

describe('an entry of a log that is not pinned', () => {
  const keys = newKeys();
  const blob = draftBlob(local, ARTIFACT, { keys });
  const stranger = entryOf(draftBlob(new LocalSigstore()));
  const withEntries = (...tlogEntries: readonly BundleJson[]) =>
    edited(blob, (b) => (b.verificationMaterial.tlogEntries = tlogEntries));

  it('does not sink a bundle with a good one, before it or after, once or often', () => {
    const good = entryOf(blob);
    for (const json of [
      withEntries(good, stranger),
      withEntries(stranger, good),
      withEntries(stranger, good, stranger),
    ]) {
      const { checks, signature } = verified(json);
      expect(checks.filter(({ check }) => check === 'log_entry.inclusion')).toHaveLength(1);
      expect(signature.log_entry.log_index).toBe(Number(good.logIndex));
    }
  });

  it('is no entry', () => {
    expect(codeOf(withEntries(stranger))).toBe('log_entry.untrusted_log');
    expect(codeOf(withEntries(stranger, stranger))).toBe('log_entry.untrusted_log');
  });

  it('is not counted', () => {
    const error = failure(() => verified(withEntries(entryOf(blob), stranger), { logThreshold: 2 }));
    expect([error.code, error.expected, error.found]).toEqual(['log_entry.missing', '2', '1']);
  });

  it('lends no good name to one of a pinned log that contradicts the signature', () => {
    expect(codeOf(withEntries(stranger, entryOf(draftBlob(local))))).toBe('log_entry.mismatch');
    expect(codeOf(withEntries(entryOf(blob), entryOf(draftBlob(local))))).toBe('log_entry.mismatch');
  });
});

describe('the log of a bundle', () => {
  const blob = draftBlob(local);
  const withLog = (change: object) => {
    const root = local.trustedRootJson();
    return loadTrustedRoot(JSON.stringify({ ...root, tlogs: [{ ...root.tlogs[0], ...change }] }));
  };
  const inForce = (validFor: object) =>
    withLog({ publicKey: { ...local.trustedRootJson().tlogs[0]?.publicKey, validFor } });

  it('must be in force at the time of signing, both ends included', () => {
    const now = local.now.toISOString();
    verified(blob, { trust: inForce({ start: now, end: now }) });
    expect(codeOf(blob, { trust: inForce({ start: '2026-11-21T10:00:00.001Z' }) })).toBe('log_entry.untrusted_log');
    const past = failure(() =>
      verified(blob, { trust: inForce({ start: '2026-01-01T00:00:00Z', end: '2026-11-21T09:59:59Z' }) }),
    );
    expect(past.code).toBe('log_entry.untrusted_log');
    expect(past.message).toContain('not in force');
  });

  it('must be in force at every time that is vouched for', () => {
    const later = withTimestamp(blob, new Date('2026-11-21T10:05:00Z'));
    const trusted = inForce({ start: '2026-01-01T00:00:00Z', end: '2026-11-21T10:01:00Z' });
    expect(codeOf(later, { trust: trusted })).toBe('log_entry.untrusted_log');
  });

  it('signs under its own host name, with port or path', () => {
    verified(blob, { trust: withLog({ baseUrl: 'https://localhost' }) });
    expect(codeOf(blob, { trust: withLog({ baseUrl: 'https://log.localhost' }) })).toBe('log_entry.checkpoint_invalid');
    expect(codeOf(blob, { trust: withLog({ baseUrl: 'https://localhost.example' }) })).toBe(
      'log_entry.checkpoint_invalid',
    );
  });

  it('that promises needs no checkpoint in version 0.1, and nothing else will do', () => {
    const older = edited(blob, (b) => {
      b.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
      delete entryOf(b).inclusionProof.checkpoint;
    });
    expect(verified(older).checks).toContainEqual({
      check: 'log_entry.inclusion',
      detail: `index ${entryOf(blob).logIndex}, by promise`,
    });
    const contradicting = edited(older, (b) => {
      entryOf(b).inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
    });
    expect(codeOf(contradicting)).toBe('log_entry.inclusion_proof_invalid');
    const unpromised = edited(withTimestamp(older), (b) => delete entryOf(b).inclusionPromise);
    expect(codeOf(unpromised)).toBe('log_entry.set_missing');
    const withCheckpoint = edited(blob, (b) => {
      b.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
      entryOf(b).inclusionProof.rootHash = Buffer.alloc(32).toString('base64');
    });
    expect(codeOf(withCheckpoint)).toBe('log_entry.inclusion_proof_invalid');
  });
});

describe('a bundle over a statement', () => {
  const attestation = draftStatement(local);

  it('is verified, and hands the statement on', () => {
    const { signature, checks } = verified(attestation, { predicateType: STATEMENT.predicateType });
    expect(signature.statement).toEqual(STATEMENT);
    expect(signature.artifact_digest).toBe(`sha256:${ARTIFACT_SHA256}`);
    expect(checks).toContainEqual({ check: 'statement.subject', detail: `sha256:${ARTIFACT_SHA256}` });
    expect(checks).toContainEqual({ check: 'statement.predicate_type', detail: STATEMENT.predicateType });
    expect(checks.map(({ check }) => check)).toEqual([
      'bundle.form',
      'signature',
      'log_entry.content',
      'certificate.validity',
      'certificate.chain',
      'log_entry.inclusion',
      'timestamp',
      'statement.predicate_type',
      'statement.subject',
      'identity',
    ]);
  });

  it('as Rekor’s older kind is verified', () => {
    verified(draftStatement(local, STATEMENT, { kind: 'intoto' }));
  });

  it('may be verified without an artifact; then its subject is for the caller to check', () => {
    const { signature, checks } = verified(attestation, { artifact: undefined });
    expect(signature.statement).toEqual(STATEMENT);
    expect(signature.artifact_digest).toBeUndefined();
    expect(checks.map(({ check }) => check)).not.toContain('statement.subject');
  });

  it('is verified against a digest of any case', () => {
    verified(attestation, { artifact: { sha256: ARTIFACT_SHA256.toUpperCase() } });
  });

  it.each<[title: string, code: VerificationErrorCode, json: () => BundleJson, options?: Options]>([
    ['about something else', 'statement.subject_mismatch', () => attestation, { artifact: Buffer.from('x') }],
    ['of another type', 'statement.predicate_type_mismatch', () => attestation, { predicateType: 'https://x/y' }],
    ['that is no statement', 'statement.malformed', () => draftStatement(local, { subject: [] })],
    ['that is no JSON', 'statement.malformed', () => draftStatement(local, 'x')],
    [
      'of another payload type',
      'statement.payload_type',
      () => draftStatement(local, STATEMENT, { payloadType: 'text/plain' }),
    ],
    [
      'with another payload',
      'signature.invalid',
      () => edited(attestation, (b) => (b.dsseEnvelope.payload = flip(b.dsseEnvelope.payload, 2))),
    ],
    [
      'with another payload type',
      'signature.invalid',
      () => edited(attestation, (b) => (b.dsseEnvelope.payloadType = 'x')),
    ],
    [
      'with another signature',
      'signature.invalid',
      () => edited(attestation, (b) => (b.dsseEnvelope.signatures[0].sig = flip(b.dsseEnvelope.signatures[0].sig))),
    ],
    [
      'logged with another payload',
      'log_entry.mismatch',
      () => draftStatement(local, STATEMENT, { logged: { digest: Buffer.alloc(32) } }),
    ],
    [
      'logged as the artifact’s signature',
      'log_entry.kind_mismatch',
      () =>
        edited(
          attestation,
          (b) => (b.verificationMaterial.tlogEntries = draftBlob(local).verificationMaterial.tlogEntries),
        ),
    ],
  ])('%s is refused: %s', (_title, code, json, options) => {
    expect(codeOf(json(), options)).toBe(code);
  });

  it('tells both digests and both types', () => {
    const other = failure(() => verified(attestation, { artifact: { sha256: 'd'.repeat(64) } }));
    expect(other.expected).toBe(`sha256:${'d'.repeat(64)}`);
    expect(other.found).toBe(`sha512:${'e'.repeat(128)} sha256:${ARTIFACT_SHA256}`);
    const type = failure(() => verified(attestation, { predicateType: 'https://x/y' }));
    expect([type.expected, type.found]).toEqual(['https://x/y', STATEMENT.predicateType]);
  });
});

describe('the identity in a bundle', () => {
  const blob = draftBlob(local);

  it('that is not the one demanded is refused, with every constraint that failed', () => {
    const strict = createIdentityPolicy({
      issuer: 'https://x',
      subject: 'agent:other',
      trigger: 'push',
      repository: 'acme/other',
      sha: 'f'.repeat(40),
    });
    const error = failure(() => verified(blob, { policy: strict }));
    expect(error.code).toBe('identity.issuer_mismatch');
    expect([error.expected, error.found]).toEqual(['https://x', ISSUER]);
    expect(error.mismatches.map(({ code }) => code)).toEqual([
      'identity.issuer_mismatch',
      'identity.subject_mismatch',
      'identity.trigger_mismatch',
      'identity.repository_mismatch',
      'identity.sha_mismatch',
    ]);
    expect(error.message).toContain(
      `the issuer in the certificate is "${ISSUER}", and https://x is demanded; the subject in the certificate is "`,
    );
  });

  it('is handed on undecided only to a caller who says that he decides', () => {
    expect(verified(blob, { policy: 'gated-elsewhere' }).checks.at(-1)).toEqual({
      check: 'identity',
      detail: `agent:code-writer of ${ISSUER}: not decided here`,
    });
  });
});

describe('a bundle that is signed with a key', () => {
  const keys = newKeys();
  const publicKey = toPem(spkiOf(keys.publicKey), 'PUBLIC KEY');
  const keyed = draftBlob(local, ARTIFACT, { keys, keyed: true });
  const withKey = (json: BundleJson, options: object = {}) =>
    verifyBundleWithKey({ bundle: toBytes(json), artifact: ARTIFACT, trust, publicKey, ...options });

  it('is verified with that key, and nobody’s identity comes of it', () => {
    const found = withKey(keyed);
    expect(found.artifact_digest).toBe(`sha256:${ARTIFACT_SHA256}`);
    expect(found.checks[0]).toEqual({ check: 'bundle.form', detail: 'version 0.3' });
    expect(found.log_entry.integrated_at).toBe(local.now.toISOString());
    expect(found).not.toHaveProperty('identity');
    expect(found.checks.map(({ check }) => check)).toEqual([
      'bundle.form',
      'artifact',
      'signature',
      'log_entry.content',
      'log_entry.inclusion',
      'timestamp',
    ]);
  });

  it('needs no time that somebody vouches for', () => {
    expect(withKey(withoutPromise(keyed)).log_entry).not.toHaveProperty('integrated_at');
  });

  it('over a statement is verified', () => {
    const statement = draftStatement(local, STATEMENT, { keys, keyed: true });
    expect(withKey(statement, { predicateType: STATEMENT.predicateType }).statement).toEqual(STATEMENT);
  });

  it.each<[title: string, code: VerificationErrorCode, json: () => BundleJson]>([
    ['another key', 'signature.invalid', () => draftBlob(local, ARTIFACT, { keyed: true })],
    ['a certificate', 'key.mismatch', () => draftBlob(local, ARTIFACT, { keys })],
    [
      'an entry by another key',
      'log_entry.mismatch',
      () =>
        draftBlob(local, ARTIFACT, {
          keys,
          keyed: true,
          logged: { verifier: toPem(spkiOf(newKeys().publicKey), 'PUBLIC KEY') },
        }),
    ],
    ['no entry', 'log_entry.missing', () => edited(keyed, (b) => (b.verificationMaterial.tlogEntries = []))],
    [
      'another promise',
      'log_entry.set_invalid',
      () => edited(keyed, (b) => (entryOf(b).inclusionPromise.signedEntryTimestamp = 'AAAA')),
    ],
  ])('with %s is refused: %s', (_title, code, json) => {
    expect(failure(() => withKey(json())).code).toBe(code);
  });

  it('of RSA is verified by artifact and by digest', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const json = draftBlob(local, ARTIFACT, { keys: rsa, keyed: true });
    const pem = toPem(spkiOf(rsa.publicKey), 'PUBLIC KEY');
    withKey(json, { publicKey: pem });
    withKey(json, { publicKey: pem, artifact: { sha256: ARTIFACT_SHA256 } });
  });

  it('of Ed25519 is verified by the artifact, and not by its digest', () => {
    const ed25519 = generateKeyPairSync('ed25519');
    const json = draftBlob(local, ARTIFACT, { keys: keys, keyed: true });
    const signature = sign(null, ARTIFACT, ed25519.privateKey);
    const pem = toPem(spkiOf(ed25519.publicKey), 'PUBLIC KEY');
    json.messageSignature.signature = signature.toString('base64');
    json.verificationMaterial.tlogEntries = [
      logged(local, {
        apiVersion: '0.0.1',
        kind: 'hashedrekord',
        spec: {
          data: { hash: { algorithm: 'sha256', value: ARTIFACT_SHA256 } },
          signature: {
            content: signature.toString('base64'),
            publicKey: { content: Buffer.from(pem).toString('base64') },
          },
        },
      }),
    ];
    withKey(json, { publicKey: pem });
    expect(failure(() => withKey(json, { publicKey: pem, artifact: { sha256: ARTIFACT_SHA256 } })).code).toBe(
      'artifact.bytes_required',
    );
  });

  it('is not verified with something that is no key', () => {
    expect(() => withKey(keyed, { publicKey: 'x' })).toThrow();
  });
});

describe('two valid bundles', () => {
  // Every part is taken from one of two bundles by the same agent. Only what belongs together is accepted.
  const artifacts = [Buffer.from('first'), Buffer.from('second')] as const;
  const bundles = artifacts.map((artifact) => draftBlob(local, artifact));
  const parts = ['entry', 'signature', 'certificate', 'digest', 'artifact'] as const;
  const mixes = [...Array(2 ** parts.length).keys()].map((mask) => parts.map((_, bit) => (mask >> bit) & 1));

  it.each(mixes)(
    'mixed as entry %i, signature %i, certificate %i, digest %i, artifact %i',
    (entry, signature, certificate, digest, artifact) => {
      const json = structuredClone(bundles[0]);
      json.verificationMaterial.tlogEntries = bundles[entry as number].verificationMaterial.tlogEntries;
      json.verificationMaterial.certificate = bundles[certificate as number].verificationMaterial.certificate;
      json.messageSignature.signature = bundles[signature as number].messageSignature.signature;
      json.messageSignature.messageDigest = bundles[digest as number].messageSignature.messageDigest;
      const verify = () => verified(json, { artifact: artifacts[artifact as 0 | 1] });
      const isWhole = new Set([entry, signature, certificate, digest, artifact]).size === 1;
      if (isWhole)
        expect(verify().signature.artifact_digest).toBe(
          `sha256:${sha256(artifacts[artifact as 0 | 1]).toString('hex')}`,
        );
      else expect(failure(verify).code).toMatch(/^(artifact\.mismatch|signature\.invalid|log_entry\.mismatch)$/);
    },
  );

  const statements = artifacts.map((artifact) =>
    draftStatement(local, { ...STATEMENT, subject: [{ digest: { sha256: sha256(artifact).toString('hex') } }] }),
  );
  const statementParts = ['entry', 'signature', 'certificate', 'payload', 'artifact'];
  const statementMixes = [...Array(2 ** statementParts.length).keys()].map((mask) =>
    statementParts.map((_, bit) => (mask >> bit) & 1),
  );
  it.each(statementMixes)(
    'over statements, mixed as entry %i, signature %i, certificate %i, payload %i, artifact %i',
    (entry, signature, certificate, payload, artifact) => {
      const json = structuredClone(statements[0]);
      json.verificationMaterial.tlogEntries = statements[entry as number].verificationMaterial.tlogEntries;
      json.verificationMaterial.certificate = statements[certificate as number].verificationMaterial.certificate;
      json.dsseEnvelope.signatures = statements[signature as number].dsseEnvelope.signatures;
      json.dsseEnvelope.payload = statements[payload as number].dsseEnvelope.payload;
      const verify = () => verified(json, { artifact: artifacts[artifact as 0 | 1] });
      const isWhole = new Set([entry, signature, certificate, payload, artifact]).size === 1;
      if (isWhole) verify();
      else
        expect(failure(verify).code).toMatch(/^(statement\.subject_mismatch|signature\.invalid|log_entry\.mismatch)$/);
    },
  );
});

describe('verification', () => {
  it('refuses a bundle with any byte changed, or says what it says without the change', () => {
    const bytes = toBytes(draftBlob(local));
    const whole = JSON.stringify(verifyBundle({ bundle: bytes, artifact: ARTIFACT, trust, policy }).signature);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ mask;
        let found: string;
        try {
          found = JSON.stringify(verifyBundle({ bundle: changed, artifact: ARTIFACT, trust, policy }).signature);
        } catch (error) {
          return error instanceof VerificationError;
        }
        return found === whole;
      }),
      { numRuns: 400 },
    );
  });

  it('throws nothing but its own error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(failure(() => verifyBundle({ bundle: bytes, artifact: ARTIFACT, trust, policy })).code).toMatch(/./);
      }),
    );
  });

  it('names its log by the URL under which it is pinned', () => {
    expect(REKOR_URL).toBe('http://localhost:7080');
    expect(createHash('sha256').update(spkiOf(local.log.keys.publicKey)).digest('hex')).toBe(
      verified(draftBlob(local)).signature.log_entry.log_id,
    );
  });
});

it('a digest whose algorithm is not said is refused, as cosign refuses it', () => {
  const bundle = edited(draftBlob(local), (b) => delete b.messageSignature.messageDigest.algorithm);
  expect(codeOf(bundle)).toBe('bundle.malformed');
});
