import {
  DER_TAG,
  type DerElement,
  DerError,
  parsePem,
  readDer,
  readDerElements,
  readDerSequence,
  readOid,
} from '@colophon/encoding';
import { parseCertificate } from '../certificate/certificate.ts';
import { MAX_SIGNED_TEXT_BYTES } from '../signed-text/signed-text.ts';
import { VerificationError } from '../verify/verification-error.ts';

const OID = {
  signedData: '1.2.840.113549.1.7.2',
  data: '1.2.840.113549.1.7.1',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  logEntry: '1.3.6.1.4.1.57264.3.1',
} as const;

const LABELS: readonly string[] = ['SIGNED MESSAGE', 'PKCS7', 'CMS'];

/** A detached CMS signature by one signer, as gitsign writes it into a commit. Nothing in it was verified. */
export type SignedMessage = {
  /** DER of the signer's certificate. */
  readonly certificate: Uint8Array;
  /** What the signature is over: DER of the signed attributes. */
  readonly signedAttributes: Uint8Array;
  /** SHA-256 that the signed attributes give for the message. */
  readonly messageDigest: Uint8Array;
  readonly signature: Uint8Array;
  /** Rekor's entry as a protobuf message without its body, where the signature carries one. */
  readonly logEntry?: Uint8Array;
};

/**
 * Reads an armoured CMS signature (`-----BEGIN SIGNED MESSAGE-----`), with white space around it and nothing else.
 * @throws VerificationError `signature.malformed`
 * @see RFC 5652 §5
 */
export function parseSignedMessage(armoured: string): SignedMessage {
  const [block, ...more] = parsePem(armoured, 'lax') ?? [];
  if (block === undefined || more.length > 0 || !LABELS.includes(block.label)) {
    throw malformed('it is no armoured CMS message');
  }
  try {
    return readContentInfo(block.der);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw malformed(error.message, error);
  }
}

function readContentInfo(der: Uint8Array): SignedMessage {
  const [type, wrapped] = readDerSequence(der);
  if (type === undefined || wrapped?.tag !== 0xa0 || readOid(type) !== OID.signedData) {
    throw new DerError('it holds no signed data');
  }
  const parts = readDerSequence(wrapped.content);
  const content = parts[2];
  const certificates = parts.find(({ tag }) => tag === 0xa0);
  const signers = parts.at(-1);
  if (content === undefined || certificates === undefined || signers?.tag !== 0x31) {
    throw new DerError('certificates or signers are missing');
  }
  // What a commit's signature is about stands in the commit.
  if (readDerElements(content.content).length !== 1) throw new DerError('it brings a message of its own');
  const [signer, ...others] = readDerElements(signers.content);
  if (signer === undefined || others.length > 0) throw new DerError('it has not exactly one signer');
  return readSigner(signer, readDerElements(certificates.content));
}

function readSigner(signer: DerElement, certificates: readonly DerElement[]): SignedMessage {
  const [, signerId, digestAlgorithm, attributes, , signature, unsigned] = readDerElements(signer.content);
  if (!signerId || !digestAlgorithm || attributes?.tag !== 0xa0 || signature?.tag !== DER_TAG.octetString) {
    throw new DerError('the signer has other parts');
  }
  // Longer ones are not known for what they are where somebody is asked to sign them.
  if (attributes.bytes.length > MAX_SIGNED_TEXT_BYTES) throw new DerError('its attributes are too long');
  const [algorithm] = readDerElements(digestAlgorithm.content);
  if (algorithm === undefined || readOid(algorithm) !== OID.sha256) throw new DerError('the digest is no SHA-256');
  const signed = readAttributes(attributes);
  const type = signed.get(OID.contentType);
  const digest = signed.get(OID.messageDigest);
  if (type === undefined || readOid(type) !== OID.data) throw new DerError('the content is of another type');
  if (digest?.tag !== DER_TAG.octetString || digest.content.length !== 32) throw new DerError('there is no digest');
  const logEntry = unsigned?.tag === 0xa1 ? readAttributes(unsigned).get(OID.logEntry) : undefined;
  return {
    certificate: certificateOf(signerId, certificates),
    // RFC 5652 §5.4: signed with the tag of a SET, not with the one that stands here.
    signedAttributes: Buffer.concat([Buffer.of(0x31), attributes.bytes.subarray(1)]),
    messageDigest: digest.content,
    signature: signature.content,
    ...(logEntry === undefined ? {} : { logEntry: readDer(logEntry.bytes, DER_TAG.octetString).content }),
  };
}

function readAttributes(set: DerElement): ReadonlyMap<string, DerElement> {
  const attributes = new Map<string, DerElement>();
  for (const attribute of readDerElements(set.content)) {
    const [type, values] = readDerElements(attribute.content);
    if (type === undefined || values?.tag !== 0x31) throw new DerError('an attribute has other parts');
    const oid = readOid(type);
    const [value, ...others] = readDerElements(values.content);
    if (value === undefined || others.length > 0) throw new DerError(`attribute ${oid} has not exactly one value`);
    if (attributes.has(oid)) throw new DerError(`attribute ${oid} stands twice`);
    attributes.set(oid, value);
  }
  return attributes;
}

/** The one certificate with the serial number that the signer names; the issuer is left to the chain. */
function certificateOf(signerId: DerElement, certificates: readonly DerElement[]): Uint8Array {
  const serial = signerId.tag === DER_TAG.sequence ? readDerElements(signerId.content)[1] : undefined;
  const wanted = serial === undefined ? undefined : Buffer.from(serial.content).toString('hex');
  const found = certificates.filter(({ bytes }) => parseCertificate(bytes).serialNumber === wanted);
  const [certificate] = found;
  if (certificate === undefined || found.length > 1) throw new DerError('no single certificate is the signer’s');
  return certificate.bytes;
}

function malformed(reason: string, cause?: unknown): VerificationError {
  return new VerificationError('signature.malformed', `the signature cannot be read: ${reason}`, { cause });
}
