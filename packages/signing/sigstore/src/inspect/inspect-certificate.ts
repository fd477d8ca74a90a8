import { createHash } from 'node:crypto';
import { DerError } from '@colophon/encoding';
import type { JsonObject, JsonValue } from '@colophon/json';
import { CLAIM_ARC_NUMBERS, DEFAULT_CLAIM_ARC, FULCIO_ARC, fieldBasis } from '@colophon/records';
import { type Certificate, parseCertificate, SCT_LIST, subjectAlternativeNames } from '../certificate/certificate.ts';
import { identityOf } from '../certificate/certificate-identity.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { extensionText } from './extension-text.ts';

/** Fulcio's names for its extensions. */
const FULCIO_NAMES: Readonly<Record<number, string>> = {
  1: 'issuer (deprecated)',
  2: 'GitHub workflow trigger',
  3: 'GitHub workflow SHA',
  4: 'GitHub workflow name',
  5: 'GitHub workflow repository',
  6: 'GitHub workflow ref',
  8: 'issuer',
  9: 'build signer URI',
  10: 'build signer digest',
  11: 'runner environment',
  12: 'source repository URI',
  13: 'source repository digest',
  14: 'source repository ref',
  15: 'source repository identifier',
  16: 'source repository owner URI',
  17: 'source repository owner identifier',
  18: 'build config URI',
  19: 'build config digest',
  20: 'build trigger',
  21: 'run invocation URI',
  22: 'source repository visibility',
  23: 'deployment environment',
  24: 'token subject',
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  '2.5.29.14': 'subject key identifier',
  '2.5.29.15': 'key usage',
  '2.5.29.17': 'subject alternative name',
  '2.5.29.19': 'basic constraints',
  '2.5.29.35': 'authority key identifier',
  '2.5.29.37': 'extended key usage',
  [SCT_LIST]: 'certificate timestamps',
};

/**
 * A certificate for a person: who, from when to when, every extension by its name.
 * @param claimArc where claims stand, beside the placeholder.
 * @throws VerificationError
 */
export function describeCertificate(der: Uint8Array, claimArc: string): { readonly [field: string]: JsonValue } {
  const certificate = parseCertificate(der);
  const arcs = [claimArc, DEFAULT_CLAIM_ARC];
  return {
    subject_alternative_names: subjectAlternativeNames(certificate).map(({ name }) => name),
    not_before: certificate.notBefore.toISOString(),
    not_after: certificate.notAfter.toISOString(),
    serial_number: certificate.serialNumber,
    certificate_digest: `sha256:${createHash('sha256').update(der).digest('hex')}`,
    ...identityFields(certificate, claimArc),
    extensions: [...certificate.extensions].map(([oid, { critical, value }]) => ({
      oid,
      name: nameOfExtension(oid, arcs),
      critical,
      value: textOfExtension(certificate, oid, value, arcs),
    })),
  };
}

function identityFields(certificate: Certificate, claimArc: string): { [field: string]: JsonValue } {
  try {
    const identity = identityOf(certificate, claimArc);
    return { certificate_identity: identity as unknown as JsonValue, basis: fieldBasis(identity) as JsonObject };
  } catch (error) {
    // An authority's certificate has no such identity; one that contradicts itself is shown, with the reason.
    if (!(error instanceof VerificationError)) throw error;
    const { code, message } = error;
    return { certificate_identity: null, problems: [{ code, message }] };
  }
}

function nameOfExtension(oid: string, arcs: readonly string[]): string {
  const last = Number(oid.slice(oid.lastIndexOf('.') + 1));
  if (oid === `${FULCIO_ARC}.${last}`) return FULCIO_NAMES[last] ?? 'of Fulcio';
  if (arcs.some((arc) => oid === `${arc}.${last}`)) {
    const claim = Object.entries(CLAIM_ARC_NUMBERS).find(([, number]) => number === last)?.[0];
    return claim === undefined ? 'of Colophon' : `claim ${claim}`;
  }
  return OTHER_NAMES[oid] ?? 'unknown';
}

function textOfExtension(certificate: Certificate, oid: string, value: Uint8Array, arcs: readonly string[]): string {
  try {
    return extensionText(certificate, oid, value, arcs);
  } catch (error) {
    const isContent = error instanceof DerError || error instanceof VerificationError || error instanceof RangeError;
    if (isContent) return `hex ${Buffer.from(value).toString('hex')}`;
    throw error;
  }
}
