import { isNegativeStatement, isReviewType } from '@colophon/admission';
import {
  agentReviewType,
  certifiedAddress,
  isAgentRunType,
  parseStatement,
  REVIEW_SERVICE_PREFIX,
  REVIEWER_PREFIX,
  type Statement,
  speakerOf,
  typesUnder,
  type VerifiedSignature,
} from '@colophon/records';
import {
  createIdentityPolicy,
  type IdentityPolicy,
  type IdentityPolicyOptions,
  parseBundle,
  type TrustMaterial,
  verifyBundle,
} from '@colophon/sigstore';
import { findEntries } from './stored-entries.ts';

/** Commits in one question: it has a longest length. */
const COMMITS_AT_ONCE = 50;

/** RE2: every reviewer and every review service. */
const REVIEWERS = `(?:${REVIEWER_PREFIX}|${REVIEW_SERVICE_PREFIX}).+`;
/** Of what is in a store, all that can be a no; a run is about its own commit. */
const WORDS = 'kind in (review, review-claim, attestation)';

/**
 * Whose reviews count: those of every reviewer and review service of the issuer that is pinned. What is pinned of the
 * agent's own certificate (subject, trigger, repository) says nothing of a reviewer's.
 * @throws IdentityPolicyError where no issuer is pinned
 */
export function reviewerPolicy(pinned: Pick<IdentityPolicyOptions, 'issuer' | 'issuerRegExp'>): IdentityPolicy {
  return createIdentityPolicy({ subjectRegExp: REVIEWERS, ...pinned });
}

/** Whether a bundle says that it holds a review; nothing of it is verified. @throws VerificationError `bundle.*` */
export function isReviewBundle(bundle: Uint8Array, predicateBase: string): boolean {
  const type = statementIn(bundle)?.predicateType;
  return type !== undefined && typesUnder(predicateBase, agentReviewType).includes(type);
}

/** Whose reviews count, beside those of a policy: people with an e-mail certificate of exactly this issuer. */
export type ReviewTrust = {
  readonly trust: TrustMaterial;
  readonly policy: IdentityPolicy;
  readonly peopleIssuer?: string | undefined;
};

/**
 * Whether a bundle says that it holds a review or a no, or cannot be read; nothing of it is verified.
 * @throws VerificationError `bundle.*`
 */
export function isWordBundle(bundle: Uint8Array): boolean {
  const statement = statementIn(bundle);
  return statement === undefined || isWord(statement);
}

function isWord(statement: Statement): boolean {
  return isReviewType(statement.predicateType) || isNegativeStatement(statement);
}

function statementIn(bundle: Uint8Array): Statement | undefined {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'dsseEnvelope') return undefined;
  const parsed = parseStatement(content.dsseEnvelope.payload);
  return parsed.ok ? parsed.value : undefined;
}

/**
 * Verifies here, whatever a server said of it, what a store holds about a commit: a person's no of whatever type, else a review
 * that counts; undefined for everything else.
 * @throws VerificationError
 */
export function verifyWord(bundle: Uint8Array, reviewers: ReviewTrust): VerifiedSignature | undefined {
  const { trust, peopleIssuer } = reviewers;
  const said = statementIn(bundle);
  // Of a run, and of what cannot be read, the store is told apart from one that gave what it was asked for.
  if (said === undefined || isAgentRunType(said.predicateType)) return verifyReview(bundle, reviewers);
  if (!isWord(said)) return undefined;
  const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere' });
  const people = peopleIssuer === undefined ? [] : [peopleIssuer];
  const isPersons = speakerOf(signature.certificate_identity, signature.statement, people) !== undefined;
  if (isNegativeStatement(said)) return isPersons ? signature : undefined;
  // By another issuer of the same host it was asked for because it may have been a no.
  const { issuer, subject_type } = signature.certificate_identity;
  const isAnothers = !isPersons || (subject_type === 'email' && issuer !== peopleIssuer);
  return isAnothers || !isReviewBundle(bundle, trust.namespace.predicateBase)
    ? undefined
    : verifyReview(bundle, reviewers);
}

/** Verifies the bundle of a review here, whatever a server said of it. @throws VerificationError */
export function verifyReview(bundle: Uint8Array, reviewers: ReviewTrust): VerifiedSignature {
  const { trust, policy } = reviewers;
  const predicateType = typesUnder(trust.namespace.predicateBase, agentReviewType);
  if (reviewers.peopleIssuer !== undefined) {
    const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere', predicateType });
    if (isByPerson(signature, reviewers)) return signature;
  }
  return verifyBundle({ bundle, trust, policy, predicateType }).signature;
}

function isByPerson({ certificate_identity: identity }: VerifiedSignature, { peopleIssuer }: ReviewTrust): boolean {
  return identity.issuer === peopleIssuer && certifiedAddress(identity) !== undefined;
}

/**
 * The ids of all that reviewers and review services signed of these commits, whatever it is called: approvals, rejections, and
 * what may turn out to be neither. Nobody else's: what strangers store costs nothing.
 * @param peopleIssuer also what people with an e-mail certificate of this issuer signed, however it is spelt there
 * @throws EvidenceClientError as findEntries
 */
export async function findWords(
  server: string,
  commits: readonly string[],
  peopleIssuer?: string,
): Promise<readonly string[]> {
  const signers = [
    `subject ~ ${JSON.stringify(`(?i)${REVIEWERS}`)}`,
    ...(peopleIssuer === undefined ? [] : [`issuer ~ ${JSON.stringify(spellingsOf(peopleIssuer))}`]),
  ];
  const all = [...new Set(commits)].sort();
  const ids = new Set<string>();
  for (let from = 0; from < all.length; from += COMMITS_AT_ONCE) {
    const some = all.slice(from, from + COMMITS_AT_ONCE).join(', ');
    for (const signer of signers) {
      const condition = `${WORDS} and ${signer} and commit in (${some})`;
      for (const id of await findEntries(server, 'entries', condition)) ids.add(id);
    }
  }
  return [...ids];
}

/** RE2: every address that may be one of this issuer's in another spelling, whatever its path. */
function spellingsOf(issuer: string): string {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : '';
  const escaped = (text: string) => text.replace(/[^a-z0-9]/giu, (character) => `\\x{${hexOf(character)}}`);
  return host === '' ? escaped(issuer) : `(?i)[a-z]+:/*(?:[^/?#]*@)?${escaped(host)}(?:[:/?#].*)?`;
}

function hexOf(character: string): string {
  return character.codePointAt(0)!.toString(16);
}
