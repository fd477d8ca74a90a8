import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  contextTag,
  DER_TAGS,
  type DerElement,
  DerError,
  derChildren,
  derSequence,
  encodeDer,
  readBitString,
  readDer,
  readOid,
} from '../der/der.ts';

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
  const [tbs, algorithm, signature, ...more] = derChildren(readDer(der, DER_TAGS.sequence));
  if (tbs?.tag !== DER_TAGS.sequence || algorithm?.tag !== DER_TAGS.sequence || more.length > 0) {
    throw new DerError('not a certificate');
  }
  const { version, fields, extensions } = splitTbs(tbs.bytes);
  const [, , issuer, validity, subject, spki] = fields;
  if (version === undefined || issuer?.tag !== DER_TAGS.sequence || subject?.tag !== DER_TAGS.sequence) {
    throw new DerError('not a certificate of version 3');
  }
  if (validity?.tag !== DER_TAGS.sequence || spki?.tag !== DER_TAGS.sequence) throw new DerError('not a certificate');
  const notBefore = derChildren(validity)[0];
  if (notBefore === undefined) throw new DerError('a certificate without validity');
  return {
    der,
    tbs: tbs.bytes,
    signature: readBitString(signature),
    signatureAlgorithm: readOid(derChildren(algorithm)[0]),
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
  return derChildren(readDer(extension.value, DER_TAGS.sequence)).flatMap((name) => {
    if (name.tag === 0x81 || name.tag === 0x82 || name.tag === 0x86) return [new TextDecoder().decode(name.content)];
    if (name.tag !== contextTag(0)) return [];
    const value = derChildren(name).find(({ tag }) => tag === contextTag(0));
    const inner = value === undefined ? undefined : derChildren(value)[0];
    return inner?.tag === DER_TAGS.utf8String ? [new TextDecoder().decode(inner.content)] : [];
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
  const all = derChildren(readDer(tbs, DER_TAGS.sequence));
  const version = all[0]?.tag === contextTag(0) ? all[0] : undefined;
  const last = all.at(-1);
  if (last?.tag !== EXTENSIONS_TAG) {
    return { version, fields: version ? all.slice(1) : all, before: all, extensions: [] };
  }
  const before = all.slice(0, -1);
  const extensions = derChildren(readDer(last.content, DER_TAGS.sequence));
  return { version, fields: version ? before.slice(1) : before, before, extensions };
}

function readExtension(element: DerElement): CertificateExtension {
  const [oid, ...rest] = derChildren(element);
  const [critical, value] = rest.length === 2 ? rest : [undefined, rest[0]];
  if (value?.tag !== DER_TAGS.octetString || (critical !== undefined && critical.tag !== DER_TAGS.boolean)) {
    throw new DerError('not an extension');
  }
  return { oid: readOid(oid), isCritical: critical?.content[0] === 0xff, value: value.content };
}
