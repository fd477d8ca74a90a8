import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { Bundle } from '@sigstore/protobuf-specs';
import { VerificationError } from '../verify/verification-error.ts';
import { parseBundleJson } from './bundle-json.ts';
import { DIGEST_NAMES } from './message-digest.ts';
import { base64, base64UpTo, choice, findShapeProblem, int64, list, message, text } from './message-shape.ts';

export const BUNDLE_V03_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** Media types of the bundles that we read, with their version. */
export const BUNDLE_MEDIA_TYPES: Readonly<Record<string, BundleVersion>> = {
  'application/vnd.dev.sigstore.bundle+json;version=0.1': '0.1',
  'application/vnd.dev.sigstore.bundle+json;version=0.2': '0.2',
  'application/vnd.dev.sigstore.bundle+json;version=0.3': '0.3',
  [BUNDLE_V03_MEDIA_TYPE]: '0.3',
};
export type BundleVersion = '0.1' | '0.2' | '0.3';

/** More than this of anything is an attempt to keep us busy. */
const MOST_ENTRIES = 32;
/** Of what is read as DER, element by element: many times what Fulcio and timestamp authorities make. */
const MOST_DER_BYTES = 64 * 1024;

const certificate = message({ rawBytes: base64UpTo(MOST_DER_BYTES) });
const logEntry = message({
  logIndex: int64,
  logId: message({ keyId: base64 }),
  kindVersion: message({ kind: text, version: text }),
  integratedTime: int64,
  inclusionPromise: message({ signedEntryTimestamp: base64 }),
  inclusionProof: message({
    logIndex: int64,
    rootHash: base64,
    treeSize: int64,
    hashes: list(base64, 64),
    checkpoint: message({ envelope: text }),
  }),
  canonicalizedBody: base64,
});
const BUNDLE = message({
  mediaType: text,
  verificationMaterial: message({
    certificate,
    x509CertificateChain: message({ certificates: list(certificate, 10) }),
    publicKey: message({ hint: text }),
    tlogEntries: list(logEntry, MOST_ENTRIES),
    timestampVerificationData: message({
      rfc3161Timestamps: list(message({ signedTimestamp: base64UpTo(MOST_DER_BYTES) }), MOST_ENTRIES),
    }),
  }),
  messageSignature: message({
    messageDigest: message({ algorithm: choice(...Object.values(DIGEST_NAMES)), digest: base64 }),
    signature: base64,
  }),
  dsseEnvelope: message({
    payload: base64,
    payloadType: text,
    signatures: list(message({ sig: base64, keyid: text }), 10_000),
  }),
});

/** A bundle whose form is right; nothing in it is verified. */
export type ParsedBundle = {
  readonly version: BundleVersion;
  /** The certificate that signed, or the hint at the key that did. */
  readonly signer: { readonly certificate: Uint8Array } | { readonly keyHint: string };
  /** DER of what stands behind the signing certificate in a chain (versions 0.1 and 0.2 only). */
  readonly furtherCertificates: readonly Uint8Array[];
  readonly content: NonNullable<Bundle['content']>;
  readonly logEntries: NonNullable<Bundle['verificationMaterial']>['tlogEntries'];
  readonly timestamps: readonly Uint8Array[];
};

/**
 * Reads a bundle: strict JSON, no unknown field, exactly one signature, exactly one of certificate and key.
 * @throws VerificationError `bundle.empty`, `bundle.malformed`, `bundle.too_large`, `bundle.unsupported_media_type`,
 * `bundle.certificate_missing`, `bundle.certificate_chain`, `bundle.several_signatures`
 * @see contract §5.5
 */
export function parseBundle(bytes: Uint8Array): ParsedBundle {
  if (bytes.length === 0) throw new VerificationError('bundle.empty', 'the bundle is empty');
  const json = parseBundleJson(bytes);
  if (!json.ok) {
    const reasons = json.issues.map((issue) => `${issue.path} ${issue.message}`.trim());
    throw malformed(`the bundle is not JSON that can be relied on: ${reasons.join('; ')}`);
  }
  const value: JsonValue = json.value;
  if (!isJsonObject(value)) throw malformed('the bundle is no JSON object');
  const version = versionOf(value);
  const problem = findShapeProblem(value, BUNDLE);
  if (problem !== undefined) {
    const { path, expected, found, isTooLarge } = problem;
    throw isTooLarge
      ? new VerificationError('bundle.too_large', `the bundle has more than is read at ${path}`, { expected, found })
      : new VerificationError('bundle.malformed', `the bundle has an unexpected value at ${path}`, { expected, found });
  }
  const { content, verificationMaterial } = Bundle.fromJSON(value);
  if (verificationMaterial === undefined) throw malformed('the bundle has no verification material');
  const contents = ['messageSignature', 'dsseEnvelope'].filter((name) => (value[name] ?? null) !== null);
  if (content === undefined || contents.length !== 1) {
    throw malformed('the bundle has not exactly one of message signature and envelope');
  }
  assertOneSignature(content);
  return {
    version,
    content,
    ...signerOf(version, value['verificationMaterial'] as JsonObject, verificationMaterial),
    logEntries: verificationMaterial.tlogEntries,
    timestamps: (verificationMaterial.timestampVerificationData?.rfc3161Timestamps ?? []).map(
      ({ signedTimestamp }) => signedTimestamp,
    ),
  };
}

function versionOf({ mediaType }: JsonObject): BundleVersion {
  if (typeof mediaType !== 'string') throw malformed('the bundle has no media type');
  const version = Object.hasOwn(BUNDLE_MEDIA_TYPES, mediaType) ? BUNDLE_MEDIA_TYPES[mediaType] : undefined;
  if (version === undefined) {
    throw new VerificationError('bundle.unsupported_media_type', 'a bundle of an unknown version', {
      expected: BUNDLE_V03_MEDIA_TYPE,
      found: mediaType.slice(0, 100),
    });
  }
  return version;
}

function assertOneSignature(content: ParsedBundle['content']): void {
  if (content.$case === 'messageSignature') {
    if (content.messageSignature.signature.length === 0) throw malformed('the signature is empty');
    return;
  }
  const { signatures, payload } = content.dsseEnvelope;
  if (signatures.length > 1) {
    throw new VerificationError(
      'bundle.several_signatures',
      `the envelope has ${signatures.length} signatures, not one`,
    );
  }
  if (signatures[0] === undefined || signatures[0].sig.length === 0) throw malformed('the envelope has no signature');
  if (payload.length === 0) throw malformed('the envelope is empty');
}

function signerOf(
  version: BundleVersion,
  json: JsonObject,
  { content }: NonNullable<Bundle['verificationMaterial']>,
): Pick<ParsedBundle, 'signer' | 'furtherCertificates'> {
  const given = ['certificate', 'x509CertificateChain', 'publicKey'].filter((name) => (json[name] ?? null) !== null);
  if (given.length > 1) throw malformed(`the bundle has several signers: ${given.join(', ')}`);
  switch (content?.$case) {
    case 'publicKey':
      return { signer: { keyHint: content.publicKey.hint }, furtherCertificates: [] };
    case 'certificate':
      return { signer: { certificate: assertPresent(content.certificate.rawBytes) }, furtherCertificates: [] };
    case 'x509CertificateChain': {
      if (version === '0.3') {
        throw new VerificationError(
          'bundle.certificate_chain',
          'a bundle of version 0.3 carries one certificate, no chain',
        );
      }
      const [first, ...furtherCertificates] = content.x509CertificateChain.certificates.map(({ rawBytes }) => rawBytes);
      return { signer: { certificate: assertPresent(first) }, furtherCertificates };
    }
    default:
      throw new VerificationError('bundle.certificate_missing', 'the bundle names neither certificate nor key');
  }
}

function assertPresent(certificate: Uint8Array | undefined): Uint8Array {
  if (certificate !== undefined && certificate.length > 0) return certificate;
  throw new VerificationError('bundle.certificate_missing', 'the bundle has no certificate');
}

function malformed(reason: string): VerificationError {
  return new VerificationError('bundle.malformed', reason);
}
