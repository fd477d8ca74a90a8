import { foldedIssuer } from '@colophon/notation';
import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import { isEmailAddress } from '../email-address/email-address.ts';
import type { Statement } from '../statement/statement.ts';
import { isPersonAddress } from './machine-address.ts';

/** A certificate identity of this form is an agent's, and an agent's alone. */
export const AGENT_PREFIX = 'agent:';
/** `reviewer:<address>`: a person who signs with a certificate of their own. */
export const REVIEWER_PREFIX = 'reviewer:';
/** `reviews:<host>`: a review service that signs for the persons whom it knows. */
export const REVIEW_SERVICE_PREFIX = 'reviews:';

/** A person as somebody certified them: the same address at another issuer is another person. */
export type Person = {
  /** Certificate OIDC issuer. */
  readonly issuer: string;
  /** E-mail address, as it was certified. */
  readonly address: string;
};

/**
 * Issuers whose e-mail certificates are people's, exactly as certificates write them: whom a policy's review rule or a
 * configuration names; `any` where that was asked before.
 */
export type PeopleIssuers = readonly string[] | 'any';

/** True for a certificate of an agent. */
export function isAgentIdentity({ subject }: CertificateIdentity): boolean {
  return subject.startsWith(AGENT_PREFIX);
}

/**
 * Whose review a signature is: the address of `reviewer:<address>`; for a review service the reviewer that its
 * certificate names, and only where the certificate names none, the one in the statement; the address of an e-mail
 * certificate by an issuer of `peopleIssuers`, and of no other. Whoever's service signed, the person is the same.
 * @returns undefined where nobody is certified as a reviewer, as behind every certificate of an agent or a machine
 * @see contract §2.4, §5.3
 */
export function reviewerOf(
  identity: CertificateIdentity,
  statement?: Statement,
  peopleIssuers?: PeopleIssuers,
): Person | undefined {
  const speaker = speakerBy(identity, statement, peopleIssuers === 'any' || peopleIssuers?.includes(identity.issuer));
  return speaker !== undefined && isPersonAddress(speaker.address) ? speaker : undefined;
}

/**
 * The same, also where the address is a program's, and the issuer in another spelling: whose word it is where a doubt must
 * count, as in a rejection. Who approves is asked by reviewerOf.
 */
export function speakerOf(
  identity: CertificateIdentity,
  statement?: Statement,
  peopleIssuers: PeopleIssuers = [],
): Person | undefined {
  const issuer = foldedIssuer(identity.issuer);
  const isOfPeople = peopleIssuers === 'any' || peopleIssuers.some((named) => foldedIssuer(named) === issuer);
  return speakerBy(identity, statement, isOfPeople);
}

function speakerBy(
  identity: CertificateIdentity,
  statement: Statement | undefined,
  isOfPeople = false,
): Person | undefined {
  const { issuer, subject, subject_type } = identity;
  const byMail = subject_type === 'email' && isOfPeople ? subject : undefined;
  const address = addressOf(identity, statement) ?? byMail;
  return address !== undefined && isEmailAddress(address) ? { issuer, address } : undefined;
}

/**
 * The address in an e-mail certificate, unless it is a machine's. It is a person's only by an issuer that the reader
 * names for that: any issuer can be told to certify addresses. A URI or user name that reads like one is none.
 */
export function certifiedAddress({ subject, subject_type }: CertificateIdentity): string | undefined {
  return subject_type === 'email' && isPersonAddress(subject) ? subject : undefined;
}

/** True for two names of one person. */
export function isSamePerson(one: Person, other: Person): boolean {
  return one.issuer === other.issuer && one.address === other.address;
}

function addressOf({ subject, claims }: CertificateIdentity, statement: Statement | undefined): string | undefined {
  if (subject.startsWith(REVIEWER_PREFIX)) return subject.slice(REVIEWER_PREFIX.length);
  if (!subject.startsWith(REVIEW_SERVICE_PREFIX)) return undefined;
  if (claims.human_reviewer !== undefined) return claims.human_reviewer;
  const stated = (statement?.predicate as { human_reviewer?: unknown } | null | undefined)?.human_reviewer;
  return typeof stated === 'string' ? stated : undefined;
}
