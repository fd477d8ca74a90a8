import { foldedIssuer } from '@colophon/notation';
import {
  type AddressFolding,
  type CertificateIdentity,
  foldedAddress,
  REVIEW_SERVICE_PREFIX,
  REVIEWER_PREFIX,
} from '@colophon/records';

/** Who else may be somebody whom a rule names, where a doubt must count. */
export type Hearing = AddressFolding & {
  /** Other issuers that certify the same people by the same addresses. */
  readonly sameAt?: readonly string[];
};

/** A name in one spelling for all spellings; of a person without what says that it is a reviewer's. */
export type HeardName = { readonly kind: 'person' | 'other'; readonly name: string };

/**
 * Whom a certificate identity names, in whatever spelling: a person by `reviewer:<address>`, by an e-mail certificate, or as
 * the one for whom a review service is certified to speak. Never by a statement.
 */
export function heardNames({ subject, claims }: CertificateIdentity, folding: AddressFolding = {}): HeardName[] {
  const name = heardName(subject, folding);
  const certified = subject.startsWith(REVIEW_SERVICE_PREFIX) ? claims.human_reviewer : undefined;
  return certified === undefined ? [name] : [name, heardName(certified, folding)];
}

/** The same of a subject alone. */
export function heardName(subject: string, folding: AddressFolding = {}): HeardName {
  const lower = foldedCase(subject);
  const isReviewer = lower.startsWith(REVIEWER_PREFIX);
  const address = isReviewer ? lower.slice(REVIEWER_PREFIX.length) : lower;
  const isPerson = isReviewer || /^[^:/@]+@[^:/@]+$/.test(address);
  return isPerson ? { kind: 'person', name: foldedAddress(address, folding) } : { kind: 'other', name: lower };
}

/** Every text by which a pattern may name the holder of a certificate. */
export function heardTexts(identity: CertificateIdentity, { plusAddresses }: AddressFolding = {}): string[] {
  const foldings = plusAddresses === undefined ? [{}] : [{}, { plusAddresses }];
  const names = foldings.flatMap((folding) => heardNames(identity, folding));
  const texts = names.flatMap(({ kind, name }) => (kind === 'person' ? [name, `${REVIEWER_PREFIX}${name}`] : [name]));
  return [...new Set([identity.subject, ...texts])];
}

/** One issuer for every spelling of its address. A trusted root is for issuers by the same fold. */
export function heardIssuer(issuer: string): string {
  return foldedIssuer(issuer);
}

function foldedCase(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
