import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { findPemBlocks } from '@colophon/encoding';

/** A key or certificate chain as PEM, or DER of a SubjectPublicKeyInfo. */
export type TrustedRootParts = {
  /** PEM, the issuing certificate first, the root last. */
  readonly certificateChain: string;
  readonly fulcioUrl: string;
  /** Of the CT log that the authority logs its certificates in; without it, certificates need no timestamp of one. */
  readonly ctPublicKey?: string | Uint8Array;
  readonly ctUrl?: string;
  readonly rekorPublicKey: string | Uint8Array;
  readonly rekorUrl: string;
  /** The name in the checkpoints of a log of version 2: the id of an Ed25519 log is made of it. */
  readonly rekorOrigin?: string;
  /** From when on all of these count. */
  readonly validFrom: Date;
  /** From when on the keys of the logs count, where these took the place of others. */
  readonly logsValidFrom?: Date | undefined;
  /** Logs that are written no more, the oldest first: what they signed still counts. */
  readonly endedLogs?: { readonly rekor: readonly EndedLogKey[]; readonly ct: readonly EndedLogKey[] } | undefined;
  /** PEM, the signing certificate first; only with rekorUrl's log at version 2 or where timestamps are wanted. */
  readonly timestampAuthority?: { readonly url: string; readonly certificateChain: string };
};

/** Key of a log that is written no more. */
export type EndedLogKey = {
  readonly url: string;
  /** As that of a log. */
  readonly publicKey: string | Uint8Array;
  readonly validFrom: Date;
  /** Inclusive. */
  readonly validUntil: Date;
};

/**
 * The document that cosign and sigstore-js take as trusted root.
 * @throws TypeError for a key or certificate that cannot be read
 * @see loadTrustedRoot for the way back
 */
export function createTrustedRoot(parts: TrustedRootParts) {
  const validFor = { start: parts.validFrom.toISOString() };
  const authority = (url: string, chain: string) => {
    const certificates = readChain(chain);
    return {
      subject: nameOf(certificates.at(-1) as X509Certificate),
      uri: url,
      certChain: { certificates: certificates.map(({ raw }) => ({ rawBytes: raw.toString('base64') })) },
      validFor,
    };
  };
  const logsValidFor = { start: (parts.logsValidFrom ?? parts.validFrom).toISOString() };
  const log = (url: string, publicKey: string | Uint8Array, origin?: string, validFor: Validity = logsValidFor) => {
    const key = readPublicKey(publicKey);
    const spki = key.export({ type: 'spki', format: 'der' });
    const id = origin !== undefined && key.asymmetricKeyType === 'ed25519' ? noteKeyId(origin, key) : sha256(spki);
    return {
      baseUrl: url,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: spki.toString('base64'), keyDetails: keyDetails(key), validFor },
      logId: { keyId: id.toString('base64') },
    };
  };
  const ended = ({ url, publicKey, validFrom, validUntil }: EndedLogKey) =>
    log(url, publicKey, undefined, { start: validFrom.toISOString(), end: validUntil.toISOString() });
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [...(parts.endedLogs?.rekor ?? []).map(ended), log(parts.rekorUrl, parts.rekorPublicKey, parts.rekorOrigin)],
    certificateAuthorities: [authority(parts.fulcioUrl, parts.certificateChain)],
    ctlogs: [
      ...(parts.endedLogs?.ct ?? []).map(ended),
      ...(parts.ctPublicKey === undefined ? [] : [log(parts.ctUrl ?? parts.fulcioUrl, parts.ctPublicKey)]),
    ],
    ...(parts.timestampAuthority && {
      timestampAuthorities: [authority(parts.timestampAuthority.url, parts.timestampAuthority.certificateChain)],
    }),
  };
}

type Validity = { readonly start: string; readonly end?: string };

/** @see c2sp.org/signed-note: the key's name, its algorithm, its 32 bytes */
function noteKeyId(origin: string, key: KeyObject): Buffer {
  const raw = Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url');
  return sha256(Buffer.concat([Buffer.from(`${origin}\n\x01`), raw]));
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function readChain(pem: string): X509Certificate[] {
  const blocks = findPemBlocks(pem, ['CERTIFICATE']) ?? [];
  if (blocks.length === 0) throw new TypeError('no certificate in PEM, or one that cannot be read');
  return blocks.map(({ der }) => new X509Certificate(der));
}

function nameOf(certificate: X509Certificate): { organization: string; commonName: string } {
  const value = (name: string) =>
    certificate.subject
      .split('\n')
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? '';
  return { organization: value('O'), commonName: value('CN') };
}

function readPublicKey(key: string | Uint8Array): KeyObject {
  return typeof key === 'string'
    ? createPublicKey(key)
    : createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' });
}

/** protobuf-specs' PublicKeyDetails. */
export function keyDetails(key: KeyObject): string {
  const details = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ed25519') return 'PKIX_ED25519';
  if (key.asymmetricKeyType === 'rsa') return `PKIX_RSA_PKCS1V15_${details.modulusLength}_SHA256`;
  const curves: Record<string, string> = {
    prime256v1: 'PKIX_ECDSA_P256_SHA_256',
    secp384r1: 'PKIX_ECDSA_P384_SHA_384',
    secp521r1: 'PKIX_ECDSA_P521_SHA_512',
  };
  const name = curves[details.namedCurve ?? ''];
  if (name === undefined) throw new TypeError('a key is RSA, Ed25519, or on P-256, P-384 or P-521');
  return name;
}
