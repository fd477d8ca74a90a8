import {
  DER_TAG,
  type DerElement,
  DerError,
  readDer,
  readDerElements,
  readDerSequence,
  readDerTime,
  readOid,
  readUtf8,
  readUtf8String,
} from '@colophon/encoding';
import { VerificationError } from '../verify/verification-error.ts';

const SUBJECT_ALT_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
/** RFC 6962 §3.3: the list of signed certificate timestamps. */
export const SCT_LIST = '1.3.6.1.4.1.11129.2.4.2';
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';
/** Fulcio's otherName for user names. */
const FULCIO_OTHER_NAME = '1.3.6.1.4.1.57264.1.7';

/** What the rules below understand, so what a certificate may call critical. */
const UNDERSTOOD = new Set([SUBJECT_ALT_NAME, BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE]);

export type CertificateExtension = { readonly critical: boolean; readonly value: Uint8Array };

/** The parts of an X.509 certificate that we have rules about. Nothing in it was verified. */
export type Certificate = {
  readonly der: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** Lower-case hex. */
  readonly serialNumber: string;
  readonly isSelfIssued: boolean;
  /** By object identifier. */
  readonly extensions: ReadonlyMap<string, CertificateExtension>;
};

/** What a precertificate in a log has too: that has no signature. */
export type CertificateFields = Omit<Certificate, 'der'>;

/**
 * Parses strict DER.
 * @throws VerificationError `certificate.malformed`
 * @see RFC 5280 §4.1
 */
export function parseCertificate(der: Uint8Array): Certificate {
  return parsed(() => {
    const parts = readDerSequence(der);
    if (parts.length !== 3) throw new DerError('a certificate has other parts');
    return { der, ...readFields(at(parts, 0)) };
  });
}

/**
 * Parses a TBSCertificate in strict DER, as a certificate log has it (RFC 6962 §3.2).
 * @throws VerificationError `certificate.malformed`
 */
export function parseTbsCertificate(tbs: Uint8Array): CertificateFields {
  return parsed(() => readFields(readDer(tbs, DER_TAG.sequence)));
}

function parsed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new VerificationError('certificate.malformed', `not a certificate in DER: ${error.message}`, {
      cause: error,
    });
  }
}

function readFields(tbs: DerElement): CertificateFields {
  const fields = readDerElements(tbs.content);
  const [version, serial, , issuer, validity, subject, spki] = fields;
  if (!version || !serial || !issuer || !validity || !subject || !spki) {
    throw new DerError('a certificate has other parts');
  }
  if (version.tag !== 0xa0) throw new DerError('not version 3');
  const [notBefore, notAfter] = readDerElements(validity.content);
  if (!notBefore || !notAfter) throw new DerError('no validity');
  return {
    notBefore: readDerTime(notBefore),
    notAfter: readDerTime(notAfter),
    spki: spki.bytes,
    serialNumber: Buffer.from(serial.content).toString('hex'),
    isSelfIssued: Buffer.compare(issuer.bytes, subject.bytes) === 0,
    extensions: readExtensions(fields.find(({ tag }) => tag === 0xa3)),
  };
}

function readExtensions(wrapper: DerElement | undefined): ReadonlyMap<string, CertificateExtension> {
  const extensions = new Map<string, CertificateExtension>();
  for (const extension of wrapper === undefined ? [] : readDerSequence(wrapper.content)) {
    const parts = readDerElements(extension.content);
    const oid = readOid(at(parts, 0));
    const value = at(parts, parts.length - 1);
    const critical = parts.length === 3 && at(parts, 1).tag === DER_TAG.boolean && at(parts, 1).content[0] === 0xff;
    if (value.tag !== DER_TAG.octetString || (parts.length !== 2 && !critical)) {
      throw new DerError(`extension ${oid} has other parts`);
    }
    if (extensions.has(oid)) throw new DerError(`extension ${oid} stands twice`);
    extensions.set(oid, { critical, value: value.content });
  }
  return extensions;
}

/**
 * Holds for a certificate that may sign artifacts: for code signing and digital signatures, no authority, and no
 * critical extension that we do not understand.
 * @throws VerificationError `certificate.not_for_signing`, `certificate.critical_extension`, `certificate.malformed`
 * @see RFC 5280 §4.2
 */
export function assertForSigning(certificate: Certificate): void {
  for (const [oid, { critical }] of certificate.extensions) {
    if (critical && !UNDERSTOOD.has(oid)) {
      throw new VerificationError('certificate.critical_extension', `extension ${oid} is critical and unknown`);
    }
  }
  const problem = decoded(() => {
    const usages = certificate.extensions.get(EXTENDED_KEY_USAGE);
    if (usages === undefined || !readDerSequence(usages.value).map(readOid).includes(CODE_SIGNING)) {
      return 'the certificate is not for code signing';
    }
    const constraints = certificate.extensions.get(BASIC_CONSTRAINTS);
    if (constraints !== undefined && readDerSequence(constraints.value)[0]?.tag === DER_TAG.boolean) {
      return 'the certificate is an authority';
    }
    const keyUsage = certificate.extensions.get(KEY_USAGE);
    if (keyUsage !== undefined && !((readDer(keyUsage.value, DER_TAG.bitString).content[1] ?? 0) & 0x80)) {
      return 'the key is not for digital signatures';
    }
    return undefined;
  });
  if (problem !== undefined) throw new VerificationError('certificate.not_for_signing', problem);
}

/** A name of a certificate's holder, and what it is by its type: a URI, an e-mail address, or Fulcio's user name. */
export type SubjectName = { readonly type: 'uri' | 'email' | 'username'; readonly name: string };

/** The names of a certificate that say who holds it. @throws VerificationError `certificate.malformed` */
export function subjectAlternativeNames(certificate: Pick<Certificate, 'extensions'>): readonly SubjectName[] {
  const extension = certificate.extensions.get(SUBJECT_ALT_NAME);
  return extension === undefined ? [] : decoded(() => readDerSequence(extension.value).map(readGeneralName));
}

function readGeneralName(name: DerElement): SubjectName {
  if (name.tag === 0x86 || name.tag === 0x81) {
    const text = readUtf8(name.content);
    if (/[^\x20-\x7e]/.test(text)) throw new DerError('a name is not printable ASCII');
    return { type: name.tag === 0x81 ? 'email' : 'uri', name: text };
  }
  const [oid, value] = name.tag === 0xa0 ? readDerElements(name.content) : [];
  if (oid === undefined || value?.tag !== 0xa0 || readOid(oid) !== FULCIO_OTHER_NAME) {
    throw new DerError('a subject alternative name of an unknown kind');
  }
  return { type: 'username', name: readUtf8String(value.content) };
}

function decoded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new VerificationError('certificate.malformed', error.message, { cause: error });
  }
}

function at(elements: readonly DerElement[], index: number): DerElement {
  const element = elements[index];
  if (element === undefined) throw new DerError('an element is missing');
  return element;
}
