import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  contextTag,
  DER_TAG,
  type DerElement,
  DerError,
  derSequence,
  encodeDer,
  readBitString,
  readDerElements,
  readDerSequence,
  readOid,
} from '@colophon/encoding';

export type CertificateExtension = {
  readonly oid: string;
  readonly isCritical: boolean;
  /** What the extension's OCTET STRING holds. */
  readonly value: Uint8Array;
};

/** The parts of an X.509 certificate that the logs look at, as bytes of the original. */
export type Certificate = {
  readonly der: Uint8Array;
  readonly tbs: Uint8Array;
  readonly signature: Uint8Array;
  readonly signatureAlgorithm: string;
  /** Name, DER. */
  readonly issuer: Uint8Array;
  /** Name, DER. */
  readonly subject: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  readonly notBefore: Uint8Array;
  readonly extensions: readonly CertificateExtension[];
};

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const EXTENSIONS_TAG = contextTag(3);

/** Takes one certificate apart (RFC 5280 §4.1). @throws DerError */
export function readCertificate(der: Uint8Array): Certificate {
  const [tbs, algorithm, signature, ...more] = readDerSequence(der);
  if (tbs?.tag !== DER_TAG.sequence || algorithm?.tag !== DER_TAG.sequence || more.length > 0) {
    throw new DerError('not a certificate');
  }
  const { version, fields, extensions } = splitTbs(tbs.bytes);
  const [, , issuer, validity, subject, spki] = fields;
  if (version === undefined || issuer?.tag !== DER_TAG.sequence || subject?.tag !== DER_TAG.sequence) {
    throw new DerError('not a certificate of version 3');
  }
  if (validity?.tag !== DER_TAG.sequence || spki?.tag !== DER_TAG.sequence) throw new DerError('not a certificate');
  const notBefore = readDerElements(validity.content)[0];
  if (notBefore === undefined) throw new DerError('a certificate without validity');
  return {
    der,
    tbs: tbs.bytes,
    signature: readBitString(signature),
    signatureAlgorithm: readOid(readDerElements(algorithm.content)[0]),
    issuer: issuer.bytes,
    subject: subject.bytes,
    spki: spki.bytes,
    notBefore: notBefore.bytes,
    extensions: extensions.map(readExtension),
  };
}

/** The TBSCertificate with the extension of that OID left out, every other byte kept (RFC 6962 §3.2). @throws DerError */
export function tbsWithout(tbs: Uint8Array, oid: string): Uint8Array {
  const { before, extensions } = splitTbs(tbs);
  const kept = extensions.filter((extension) => readExtension(extension).oid !== oid);
  if (kept.length === extensions.length) return tbs;
  const tail = kept.length === 0 ? [] : [encodeDer(EXTENSIONS_TAG, derSequence(...kept.map(({ bytes }) => bytes)))];
  return derSequence(...before.map(({ bytes }) => bytes), ...tail);
}

/** Names of the certificate: URIs, e-mail addresses, DNS names, and UTF-8 other names. @throws DerError */
export function subjectAlternativeNames(certificate: Certificate): string[] {
  const extension = certificate.extensions.find(({ oid }) => oid === SUBJECT_ALTERNATIVE_NAME);
  if (extension === undefined) return [];
  return readDerSequence(extension.value).flatMap((name) => {
    if (name.tag === 0x81 || name.tag === 0x82 || name.tag === 0x86) return [new TextDecoder().decode(name.content)];
    if (name.tag !== contextTag(0)) return [];
    const value = readDerElements(name.content).find(({ tag }) => tag === contextTag(0));
    const inner = value === undefined ? undefined : readDerElements(value.content)[0];
    return inner?.tag === DER_TAG.utf8String ? [new TextDecoder().decode(inner.content)] : [];
  });
}

/** The key that the certificate is for. @throws Error where node:crypto does not know it. */
export function publicKeyOf(certificate: Certificate): KeyObject {
  return createPublicKey({ key: Buffer.from(certificate.spki), format: 'der', type: 'spki' });
}

function splitTbs(tbs: Uint8Array): {
  version: DerElement | undefined;
  fields: DerElement[];
  before: DerElement[];
  extensions: DerElement[];
} {
  const all = readDerSequence(tbs);
  const version = all[0]?.tag === contextTag(0) ? all[0] : undefined;
  const last = all.at(-1);
  if (last?.tag !== EXTENSIONS_TAG) {
    return { version, fields: version ? all.slice(1) : all, before: all, extensions: [] };
  }
  const before = all.slice(0, -1);
  const extensions = readDerSequence(last.content);
  return { version, fields: version ? before.slice(1) : before, before, extensions };
}

function readExtension(element: DerElement): CertificateExtension {
  const [oid, ...rest] = readDerElements(element.content);
  const [critical, value] = rest.length === 2 ? rest : [undefined, rest[0]];
  if (value?.tag !== DER_TAG.octetString || (critical !== undefined && critical.tag !== DER_TAG.boolean)) {
    throw new DerError('not an extension');
  }
  return { oid: readOid(oid), isCritical: critical?.content[0] === 0xff, value: value.content };
}
