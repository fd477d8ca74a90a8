import { type CertificateIdentity, UNKNOWN } from '../certificate-identity/certificate-identity.ts';
import { CLAIM_SOURCES } from '../claim/claim.ts';
import type { SourcedClaim } from '../claim/claim-table.ts';
import { type PeopleIssuers, reviewerOf } from '../reviewer/reviewer.ts';
import type { Statement } from '../statement/statement.ts';

/**
 * Who vouches for a value: the source of a certificate's claim; `review`, the reviewer, or their review service, who
 * signed it; `log`, the time that the log or a timestamp authority signed.
 */
export const BASIS_SOURCES = [...CLAIM_SOURCES, 'review', 'log'] as const;
export type BasisSource = (typeof BASIS_SOURCES)[number];

/** What a value that names a person, an agent, a model or a content rests on. */
export type Basis = {
  readonly source: BasisSource;
  /** The certificate identity that signed the value, e.g. `agent:code-writer`; absent where no certificate is known. */
  readonly signer?: string;
};

/**
 * What a claim in a certificate rests on: its source in `claim_sources`, and `declared` where none is named. The reviewer
 * whom a reviewer's own certificate names is the signer, and so `review`.
 * @returns undefined where the certificate does not have the claim
 * @see contract §2.1
 */
export function basisOf(identity: CertificateIdentity, claim: SourcedClaim): Basis | undefined {
  const value = identity.claims[claim];
  if (value === undefined || value === '' || value === UNKNOWN) return undefined;
  const signer = identity.subject;
  if (claim === 'human_reviewer' && reviewerOf(identity)?.address === value) return { source: 'review', signer };
  return { source: identity.sources[claim] ?? 'declared', signer };
}

/**
 * What a value in a signed statement rests on. A statement is its signer's word, so it is worth what the certificate says
 * of the same value, and `declared` where that says nothing or something else.
 */
export function basisOfStated(identity: CertificateIdentity | undefined, claim: SourcedClaim, stated: string): Basis {
  if (identity === undefined) return { source: 'declared' };
  const basis = identity.claims[claim] === stated ? basisOf(identity, claim) : undefined;
  return basis ?? { source: 'declared', signer: identity.subject };
}

/**
 * True where somebody else than the signing agent vouches for the value. A witness on the agent's own host does not: it
 * runs as the agent's user.
 */
export function isConfirmed({ source }: Basis): boolean {
  return source !== 'declared' && source !== 'witness-same-host';
}

/**
 * True for a review that its reviewer signed: the certificate names the person, by `reviewerOf`, and the statement names
 * the same. The name in a statement alone is nobody's, also where a review service signed it.
 */
export function isReviewersOwn(
  identity: CertificateIdentity,
  statement: Statement | undefined,
  peopleIssuers?: PeopleIssuers,
): boolean {
  const stated = (statement?.predicate as { human_reviewer?: unknown } | null | undefined)?.human_reviewer;
  return stated !== undefined && reviewerOf(identity, undefined, peopleIssuers)?.address === stated;
}

const SIGNED_BY = ', signed by ';

/** Writes `declared, signed by agent:code-writer`: for people, and where there is no place for two values. */
export function formatBasis({ source, signer }: Basis): string {
  return signer === undefined ? source : `${source}${SIGNED_BY}${signer}`;
}

/** Reads what formatBasis wrote; undefined for anything else. */
export function parseBasis(text: string): Basis | undefined {
  const at = text.indexOf(SIGNED_BY);
  const word = at < 0 ? text : text.slice(0, at);
  const source = BASIS_SOURCES.find((one) => one === word);
  if (source === undefined || at < 0) return source && { source };
  const signer = text.slice(at + SIGNED_BY.length);
  return signer === '' ? undefined : { source, signer };
}
