import { readUtf8String } from '@colophon/encoding';
import { FULCIO_ARC } from '@colophon/records';
import { type Certificate, SCT_LIST, subjectAlternativeNames } from '../certificate/certificate.ts';
import { fulcioExtension } from '../certificate/claim-mapping.ts';

/** RFC 5280 §4.2.1.3, by bit. */
const KEY_USAGES = [
  'digital signature',
  'content commitment',
  'key encipherment',
  'data encipherment',
  'key agreement',
  'certificate signing',
  'CRL signing',
] as const;

/** `id-kp-codeSigning`, DER. */
const CODE_SIGNING = '06082b06010505070303';

/**
 * What an extension says, for a person; in hex where it is of no kind that we read.
 * @param value content of the extension's octet string.
 * @param arcs below which claims stand.
 * @throws DerError, VerificationError, RangeError for content that is not of the extension's form
 */
export function extensionText(
  certificate: Certificate,
  oid: string,
  value: Uint8Array,
  arcs: readonly string[],
): string {
  const bytes = Buffer.from(value);
  const fulcio = oid.startsWith(`${FULCIO_ARC}.`) ? Number(oid.slice(FULCIO_ARC.length + 1)) : undefined;
  if (fulcio !== undefined) return fulcioExtension(certificate, fulcio) ?? hexOf(bytes);
  if (arcs.some((arc) => oid.startsWith(`${arc}.`))) return readUtf8String(value);
  if (oid === '2.5.29.17')
    return subjectAlternativeNames(certificate)
      .map(({ name }) => name)
      .join(', ');
  if (oid === '2.5.29.15') return keyUsages(bytes);
  if (oid === '2.5.29.37' && bytes.toString('hex') === `300a${CODE_SIGNING}`) return 'code signing';
  return oid === SCT_LIST ? timestamps(bytes) : hexOf(bytes);
}

function hexOf(bytes: Buffer): string {
  return `hex ${bytes.toString('hex')}`;
}

/** A BIT STRING of at most seven bits that count. */
function keyUsages(bytes: Buffer): string {
  if (bytes.length !== 4 || bytes.readUInt16BE(0) !== 0x0302) return hexOf(bytes);
  const bits = bytes.readUInt8(3);
  return KEY_USAGES.filter((_, bit) => bits & (0x80 >> bit)).join(', ');
}

/** A SignedCertificateTimestampList (RFC 6962 §3.3) in its octet string: which log, and when. */
function timestamps(bytes: Buffer): string {
  const list = bytes.subarray(bytes.readUInt8(1) < 0x80 ? 2 : 2 + (bytes.readUInt8(1) & 0x7f));
  const found: string[] = [];
  for (let at = 2; at < list.length; at += 2 + list.readUInt16BE(at)) {
    const logId = list.subarray(at + 3, at + 35).toString('hex');
    const time = new Date(Number(list.readBigUInt64BE(at + 35)));
    found.push(`${time.toISOString()} by log ${logId}`);
  }
  return found.join(', ');
}
