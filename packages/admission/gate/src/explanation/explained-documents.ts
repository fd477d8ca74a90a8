import { isReviewType } from '@colophon/admission';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import {
  isAgentIdentity,
  isAgentRunType,
  isReviewersOwn,
  type PeopleIssuers,
  reviewWithdrawalType,
  type Statement,
  statedSources,
  type VerifiedSignature,
} from '@colophon/records';
import { SIGN_PREDICATE_TYPE } from '@colophon/sigstore';
import type { EvidencePlace, SignedKind } from './explanation-result.ts';

/** A verified signature, where it was found, and the serial number of its certificate. */
export type FoundSignature = VerifiedSignature & {
  readonly found_in: readonly EvidencePlace[];
  /** Hex. */
  readonly certificate_serial?: string | undefined;
};

/** What is explained: `digests` are its own and, for an image index, those of the manifests in it. */
export type ExplainedSubject = {
  readonly kind: 'image' | 'file' | 'digest';
  readonly name: string;
  /** `sha256:<hex>`. */
  readonly digest: string;
  readonly digests: ReadonlySet<string>;
};

/** What a signature says, in one word. */
export function kindOf({ statement }: VerifiedSignature): SignedKind {
  if (statement === undefined || statement.predicateType === SIGN_PREDICATE_TYPE) return 'signature';
  const { predicateType } = statement;
  if (isReviewType(predicateType)) return 'review';
  if (isAgentRunType(predicateType)) return 'agent-run';
  return predicateType.endsWith(reviewWithdrawalType('')) ? 'review-withdrawal' : 'statement';
}

/** Commits that a statement names, as subject or as source of a build, and those of the certificate, in lower case. */
export function commitsOf({ statement, certificate_identity: identity }: VerifiedSignature): readonly string[] {
  const named = (statement?.subject ?? []).flatMap(({ digest }) => [digest['gitCommit'] ?? [], digest['sha1'] ?? []]);
  const { commit_sha: own, git } = objectIn(statement?.predicate);
  const stated = [own, objectIn(git)['commit_sha'], isAgentIdentity(identity) ? identity.claims.commit_sha : undefined];
  const ofBuild = statedSources(statement?.predicate);
  return [...named.flat(), ...ofBuild, ...stated.filter((one) => typeof one === 'string')].map((one) =>
    one.toLowerCase(),
  );
}

/** Whether a signature names the subject, by its digest. */
export function namesSubject(
  { statement, artifact_digest }: VerifiedSignature,
  { digests }: Pick<ExplainedSubject, 'digests'>,
): boolean {
  if (artifact_digest !== undefined && digests.has(artifact_digest)) return true;
  return (statement?.subject ?? []).some(({ digest }) => digests.has(`sha256:${digest['sha256']?.toLowerCase()}`));
}

/** Whether a review is its reviewer's own: the certified person is the one that it names. */
export function isOwnReview(
  { certificate_identity: identity, statement }: VerifiedSignature,
  peopleIssuers?: PeopleIssuers,
): boolean {
  return isReviewersOwn(identity, statement, peopleIssuers);
}

/** The members of an object; none of anything else. */
export function objectIn(value: unknown): JsonObject {
  const json = value as JsonValue | undefined;
  return json !== undefined && isJsonObject(json) ? json : {};
}

/** The predicate of a statement as an object. */
export function predicateOf(statement: Statement | undefined): JsonObject {
  return objectIn(statement?.predicate);
}
