import { type CertificateIdentity, DEFAULT_CLAIM_ARC } from '@colophon/records';
import { VerificationError } from '../verify/verification-error.ts';
import { type Certificate, parseCertificate, subjectAlternativeNames } from './certificate.ts';
import {
  assertMappingsAgree,
  claimsOfFulcioMapping,
  claimsOfOwnArc,
  conflict,
  fulcioExtension,
  type MappedClaims,
  sortClaims,
} from './claim-mapping.ts';

/** Kinds of subject for which the name in the certificate is the token's own subject, letter by letter. */
const OUR_SUBJECT = /^(agent|reviewer|reviews|evidence):/;

/** True for a subject of the kinds that issuers of ours name: what is proven to an authority and certified is it alone. */
export function isOurSubject(subject: string): boolean {
  return OUR_SUBJECT.test(subject);
}

/**
 * Reads who holds a signing certificate, and every claim that it carries. Nothing is verified here.
 * @param der the certificate.
 * @param claimArc where its claims stand, if not under the placeholder.
 * @throws VerificationError `certificate.malformed`, `certificate.identity_missing` (not exactly one subject
 * alternative name, or no issuer), `certificate.mapping_conflict` (two places say different things),
 * `certificate.purpose_unknown`
 * @see contract §2.1, §5.1
 */
export function readCertificateIdentity(der: Uint8Array, claimArc?: string): CertificateIdentity {
  return identityOf(parseCertificate(der), claimArc);
}

/** readCertificateIdentity for a certificate that is parsed already. */
export function identityOf(certificate: Certificate, claimArc: string = DEFAULT_CLAIM_ARC): CertificateIdentity {
  const names = subjectAlternativeNames(certificate);
  const { name: subject = '', type } = names[0] ?? {};
  if (names.length !== 1 || subject === '') {
    throw new VerificationError('certificate.identity_missing', `${names.length} subject alternative names, not one`);
  }
  const issuer = fulcioExtension(certificate, 8) ?? fulcioExtension(certificate, 1) ?? '';
  if (issuer === '') throw new VerificationError('certificate.identity_missing', 'the certificate names no issuer');
  const ownClaims = claimsOfOwnArc(certificate, claimArc);
  if (ownClaims !== undefined) assertMappingsAgree(certificate, ownClaims);
  const claims = ownClaims ?? claimsOfFulcioMapping(certificate, issuer);
  assertNamesAgree(certificate, issuer, subject, claims);
  return { issuer, subject, ...(type === 'email' ? { subject_type: type } : {}), ...sortClaims(claims) };
}

function assertNamesAgree(certificate: Certificate, issuer: string, subject: string, claims: MappedClaims): void {
  const said: [place: string, expected: string, found: string | undefined][] = [
    ['the older issuer extension', issuer, fulcioExtension(certificate, 1)],
    ['claim iss', issuer, claims.get('iss')],
    ['claim sub', subject, claims.get('sub')],
  ];
  const agent = claims.get('agent_name');
  // An authority that took the name from another claim than the subject would let one agent sign as another.
  if (agent !== undefined && subject.startsWith('agent:')) said.push(['claim agent_name', subject, `agent:${agent}`]);
  if (isOurSubject(subject)) said.push(["the token's subject", subject, fulcioExtension(certificate, 24)]);
  for (const [place, expected, found] of said) {
    if (found !== undefined && found !== expected) throw conflict(place, expected, found);
  }
}
