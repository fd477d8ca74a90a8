import {
  type CertificateIdentity,
  isMachineAddress,
  isPersonAddress,
  type PeopleIssuers,
  REVIEWER_PREFIX,
  reviewerOf,
} from '@colophon/records';

/**
 * Whether a person holds a certificate: `reviewer:<e-mail>` of our issuer, or the e-mail certificate of an issuer of
 * `peopleIssuers`. A review service signs for people and is none.
 */
export function isPerson(identity: CertificateIdentity, peopleIssuers: PeopleIssuers): boolean {
  const isNamed = identity.subject_type === 'email' || identity.subject.startsWith(REVIEWER_PREFIX);
  return isNamed && reviewerOf(identity, undefined, peopleIssuers) !== undefined;
}

/**
 * Whether an OpenPGP key is a person's, by the user ids that its owner put to it: the first has the address of a person,
 * and none that of a program.
 */
export function isPersonsKey(userIds: readonly string[]): boolean {
  const addresses = userIds.map((id) => /<([^<>]*)>\s*$/.exec(id)?.[1] ?? id.trim());
  return isPersonAddress(addresses[0] ?? '') && !addresses.some(isMachineAddress);
}
