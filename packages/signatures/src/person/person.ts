import { type CertificateIdentity, type PeopleIssuer, REVIEWER_PREFIX, reviewerOf } from '@colophon/records';

/**
 * Whether a person holds a certificate: `reviewer:<e-mail>` of our issuer, or the e-mail certificate of an issuer that
 * `isOfPeople` names. A review service signs for people and is none.
 */
export function isPerson(identity: CertificateIdentity, isOfPeople: PeopleIssuer): boolean {
  const isNamed = identity.subject_type === 'email' || identity.subject.startsWith(REVIEWER_PREFIX);
  return isNamed && reviewerOf(identity, undefined, isOfPeople) !== undefined;
}
