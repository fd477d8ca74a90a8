import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import type { TokenPurpose } from '../claim/claim-table.ts';
import { isReviewersType } from '../predicate-type/predicate-type.ts';
import { REVIEWER_PREFIX } from '../reviewer/reviewer.ts';
import type { Statement } from '../statement/statement.ts';

/** What each kind of signature may be made with. */
const FITTING = {
  /** A signature over a file or an image. */
  artifact: ['artifact'],
  /** The same over a document that a person may answer for: VEX, SBOM, report. Its reader asks for documents. */
  document: ['artifact', 'review'],
  /** A signature of git's over a commit. */
  commit: ['artifact', 'commit'],
  /** A statement of a review, or of the withdrawal of one. By the letter of contract §2.4 the agent signs it. */
  review: ['artifact', 'review'],
  /** A statement about git objects and nothing else. */
  'git-statement': ['artifact', 'commit'],
  /** Any other statement. */
  statement: ['artifact'],
} as const satisfies Readonly<Record<string, readonly TokenPurpose[]>>;

/** What was signed, as far as purposes tell it apart. */
export type SignedKind = keyof typeof FITTING;

/** Digests that name an object in a git repository (in-toto's names). */
const GIT_DIGESTS: readonly string[] = ['gitCommit', 'gitTree', 'gitBlob', 'gitTag'];

/** The kind of a statement; `ownReviewType` is another predicate type that its reader takes for a review's. */
export function signedKindOf({ predicateType, subject }: Statement, ownReviewType?: string): SignedKind {
  if (predicateType === ownReviewType || isReviewersType(predicateType)) return 'review';
  const digests = subject.map(({ digest }) => Object.keys(digest));
  const isOfGit = (names: readonly string[]) => names.length > 0 && names.every((name) => GIT_DIGESTS.includes(name));
  return digests.length > 0 && digests.every(isOfGit) ? 'git-statement' : 'statement';
}

/**
 * What a certificate was issued for. One that names no purpose is a reviewer's where its subject is, and otherwise says
 * nothing: it is another issuer's, or a Fulcio left the claim out.
 */
export function purposeOf({ purpose, subject }: CertificateIdentity): TokenPurpose | undefined {
  return purpose ?? (subject.startsWith(REVIEWER_PREFIX) ? 'review' : undefined);
}

/** Whether a certificate with this purpose may sign something of this kind; where none is known, it may. */
export function purposeFits(purpose: TokenPurpose | undefined, signed: SignedKind): boolean {
  const fitting: readonly TokenPurpose[] = FITTING[signed];
  return purpose === undefined || fitting.includes(purpose);
}
