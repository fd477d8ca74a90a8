import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spkiOf, toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { FULCIO_URL, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, it } from 'vitest';
import { createTrustedRoot, keyDetails } from './create-trusted-root.ts';
import {
  loadTrustedRoot,
  loadTrustedRoots,
  TRUSTED_ROOT_MEDIA_TYPES,
  type TrustedRootSource,
} from './load-trusted-root.ts';
import { TrustedRootError } from './trusted-root-error.ts';

/** Of an embedded authority. */
const KEPT_ROOT = '../../../../program/cli/test/frozen/releases/0.1.0/data/trust/trusted_root.json';
const local = new LocalSigstore();
const root = local.trustedRootJson();

function codeOf(json: unknown): string {
  try {
    loadTrustedRoot(typeof json === 'string' ? json : JSON.stringify(json));
    return 'loaded';
  } catch (error) {
    if (error instanceof TrustedRootError) return error.code;
    throw error;
  }
}

describe('a trusted root', () => {
  it('is written as cosign reads it', () => {
    const spki = spkiOf(local.log.keys.publicKey);
    expect(root).toEqual({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          baseUrl: REKOR_URL,
          hashAlgorithm: 'SHA2_256',
          publicKey: {
            rawBytes: spki.toString('base64'),
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            validFor: { start: '2026-01-01T00:00:00.000Z' },
          },
          logId: { keyId: createHash('sha256').update(spki).digest('base64') },
        },
      ],
      certificateAuthorities: [
        {
          subject: { organization: '', commonName: 'root' },
          uri: FULCIO_URL,
          certChain: {
            certificates: [
              { rawBytes: local.intermediateCertificate.toString('base64') },
              { rawBytes: local.rootCertificate.toString('base64') },
            ],
          },
          validFor: { start: '2026-01-01T00:00:00.000Z' },
        },
      ],
      ctlogs: [expect.objectContaining({ baseUrl: FULCIO_URL })],
      timestampAuthorities: [expect.objectContaining({ uri: 'http://localhost:7080/api/v1/timestamp' })],
    });
  });

  it('is read back as it was written', () => {
    const trust = loadTrustedRoot(Buffer.from(JSON.stringify(root)));
    expect(trust.logs).toEqual([
      {
        baseUrl: REKOR_URL,
        logId: local.log.logId,
        publicKey: expect.anything(),
        validFrom: new Date('2026-01-01T00:00:00Z'),
        validUntil: new Date(8640000000000000),
      },
    ]);
    expect(trust.roots[0].authorityCertificates.map((der) => Buffer.from(der))).toEqual([
      local.intermediateCertificate,
      local.rootCertificate,
    ]);
  });

  it('takes keys in PEM, and needs no timestamp authority', () => {
    const written = createTrustedRoot({
      certificateChain: toPem(local.rootCertificate),
      fulcioUrl: FULCIO_URL,
      ctPublicKey: toPem(spkiOf(local.ct.publicKey), 'PUBLIC KEY'),
      ctUrl: FULCIO_URL,
      rekorPublicKey: toPem(spkiOf(local.log.keys.publicKey), 'PUBLIC KEY'),
      rekorUrl: REKOR_URL,
      validFrom: new Date(0),
    });
    expect(written).not.toHaveProperty('timestampAuthorities');
    expect(codeOf(written)).toBe('loaded');
  });

  it('is not written without certificates', () => {
    const parts = { fulcioUrl: '', ctUrl: '', rekorUrl: '', validFrom: new Date(0) };
    const ctPublicKey = spkiOf(local.ct.publicKey);
    const [first, last] = [toPem(local.intermediateCertificate), toPem(local.rootCertificate)];
    // Of the last, only the second would be pinned: who signs with the first could not tell why nobody believes it.
    for (const certificateChain of ['x', first.replace('\n-----END', '\n====\n-----END'), first.slice(0, -30) + last]) {
      expect(() => createTrustedRoot({ ...parts, certificateChain, ctPublicKey, rekorPublicKey: ctPublicKey })).toThrow(
        TypeError,
      );
    }
  });

  it('knows the kinds of keys that Sigstore knows', () => {
    const kinds: [KeyObject, string][] = [
      [generateKeyPairSync('ed25519').publicKey, 'PKIX_ED25519'],
      [generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey, 'PKIX_RSA_PKCS1V15_2048_SHA256'],
      [generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey, 'PKIX_ECDSA_P384_SHA_384'],
      [generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey, 'PKIX_ECDSA_P521_SHA_512'],
    ];
    for (const [key, name] of kinds) expect(keyDetails(key)).toBe(name);
    expect(() => keyDetails(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey)).toThrow(TypeError);
  });

  it('beside another is for issuers that are written, but for one', () => {
    const json = JSON.stringify(root);
    const issuers = ['https://a.example'];
    const codeOfAll = (...sources: TrustedRootSource[]) => {
      try {
        loadTrustedRoots(sources);
      } catch (error) {
        return error as TrustedRootError;
      }
      return undefined;
    };
    expect(codeOfAll({ json }, { json })).toMatchObject({
      code: 'trusted_root.issuers_missing',
      found: 'no issuers: root 1, root 2',
    });
    expect(codeOfAll({ json, issuers }, { name: 'b', json }, { name: 'c', json })).toMatchObject({
      code: 'trusted_root.issuers_missing',
      found: 'no issuers: b, c',
    });
    expect(codeOfAll({ json, issuers }, { json })).toBeUndefined();
    expect(codeOfAll({ json, issuers }, { json, issuers })).toBeUndefined();
    expect(codeOfAll({ json, issuers: [] })).toMatchObject({ code: 'trusted_root.issuers_invalid', found: 'none' });
    expect(codeOfAll({ json, issuers: [...issuers, '*'] })).toMatchObject({
      code: 'trusted_root.issuers_invalid',
      found: '*',
    });
  });

  it('of an embedded authority is not beside that of another with the same issuer', () => {
    const kept = JSON.parse(readFileSync(join(import.meta.dirname, KEPT_ROOT), 'utf8'));
    const [authority] = kept.certificateAuthorities;
    const { uri } = authority;
    const withAuthority = (changes: object) =>
      JSON.stringify({ ...kept, certificateAuthorities: [{ ...authority, ...changes }] });
    const other = { certChain: { certificates: authority.certChain.certificates.toReversed() } };
    const load = (...all: string[]) =>
      loadTrustedRoots(all.map((json, index) => ({ name: `r${index}`, json, issuers: [`https://${index}.example`] })));
    expect(() => load(withAuthority({}), withAuthority(other))).toThrow(
      expect.objectContaining({ code: 'trusted_root.local_issuer_repeated', found: 'r0, r1' }),
    );
    expect(() => load(withAuthority({}), JSON.stringify(root), withAuthority(other))).toThrow(
      expect.objectContaining({ found: 'r0, r2', message: expect.stringContaining(uri) }),
    );
    // The same one twice, one of another issuer, and authorities that are nobody's local one.
    expect(load(withAuthority({}), withAuthority({})).roots).toHaveLength(2);
    expect(load(withAuthority({}), withAuthority({ ...other, uri: 'http://localhost:7081' })).roots).toHaveLength(2);
    expect(load(JSON.stringify(root), JSON.stringify(new LocalSigstore().trustedRootJson())).roots).toHaveLength(2);
  });

  it.each(TRUSTED_ROOT_MEDIA_TYPES)('of media type %s is read', (mediaType) => {
    expect(codeOf({ ...root, mediaType })).toBe('loaded');
  });

  it.each<[title: string, code: string, json: unknown]>([
    ['no JSON', 'trusted_root.malformed', '{'],
    ['a field twice', 'trusted_root.malformed', '{"a":1,"a":1}'],
    ['null', 'trusted_root.unsupported_media_type', 'null'],
    ['no media type', 'trusted_root.unsupported_media_type', {}],
    [
      'a bundle’s media type',
      'trusted_root.unsupported_media_type',
      { ...root, mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' },
    ],
    ['nothing in it', 'trusted_root.empty', { mediaType: root.mediaType }],
    [
      'a key that is none',
      'trusted_root.malformed',
      { ...root, tlogs: [{ ...root.tlogs[0], publicKey: { rawBytes: 'AAAA' } }] },
    ],
    ['a log without key', 'trusted_root.malformed', { ...root, tlogs: [{ baseUrl: 'x' }] }],
    [
      'a log without id',
      'trusted_root.malformed',
      { ...root, tlogs: [{ ...root.tlogs[0], logId: { keyId: 'AA==' } }] },
    ],
    [
      'a certificate that is none',
      'trusted_root.malformed',
      { ...root, certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: 'AAAA' }] } }] },
    ],
  ])('of %s is refused: %s', (_title, code, json) => {
    expect(codeOf(json)).toBe(code);
  });
});
