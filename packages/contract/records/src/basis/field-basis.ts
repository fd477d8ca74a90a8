import { isJsonObject, type JsonValue } from '@colophon/json';
import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import { SOURCED_CLAIMS, type SourcedClaim } from '../claim/claim-table.ts';
import { agentReviewType, agentRunType } from '../predicate-type/predicate-type.ts';
import type { Statement } from '../statement/statement.ts';
import { type Basis, basisOf, basisOfStated, isReviewersOwn } from './basis.ts';

/** What each field rests on, by its name in the query language: `claims.model_id`, `human_review.reviewer`. */
export type FieldBasis = { readonly [field: string]: Basis };

/** The claim that each field of an agent run says again (contract §2.3). */
const RUN_FIELDS: Readonly<Record<string, SourcedClaim>> = {
  'agent.name': 'agent_name',
  'agent.version': 'agent_version',
  'model.id': 'model_id',
  'model.provider': 'model_provider',
  'input.prompt_hash': 'prompt_hash',
  'policy.pack_hash': 'policy_pack_hash',
  'human_review.reviewer': 'human_reviewer',
  'human_review.reviewed_at': 'review_timestamp',
  'git.commit_sha': 'commit_sha',
};

/** The same of a review (contract §2.4). */
const REVIEW_FIELDS: Readonly<Record<string, SourcedClaim>> = {
  human_reviewer: 'human_reviewer',
  review_timestamp: 'review_timestamp',
  repo: 'repo',
  commit_sha: 'commit_sha',
};

/**
 * What every value rests on that a signature states of a person, an agent, a model or a content: the claims of its
 * certificate, and the fields of an agent run or a review. What a reviewer signs of their own review is `review`.
 * @param identity undefined where a bare key signed, or nobody
 */
export function fieldBasis(identity: CertificateIdentity | undefined, statement?: Statement): FieldBasis {
  const found: { [field: string]: Basis } = {};
  for (const claim of SOURCED_CLAIMS) {
    const basis = identity && basisOf(identity, claim);
    if (basis !== undefined) found[`claims.${claim}`] = basis;
  }
  if (statement === undefined) return found;
  const isReview = statement.predicateType.endsWith(agentReviewType(''));
  const isRun = statement.predicateType.endsWith(agentRunType(''));
  const isOwn = isReview && identity !== undefined && isReviewersOwn(identity, statement);
  for (const [field, claim] of Object.entries(isReview ? REVIEW_FIELDS : isRun ? RUN_FIELDS : {})) {
    const stated = valueAt(statement.predicate as JsonValue, field);
    if (typeof stated !== 'string') continue;
    found[field] = isOwn ? { source: 'review', signer: identity.subject } : basisOfStated(identity, claim, stated);
  }
  return found;
}

/** The text of a field of `fieldBasis`; undefined where there is none. */
export function valueOfField(
  signed: { readonly identity?: CertificateIdentity | undefined; readonly statement?: Statement | undefined },
  field: string,
): string | undefined {
  const { identity, statement } = signed;
  const claim = SOURCED_CLAIMS.find((name) => field === `claims.${name}`);
  const value = claim ? identity?.claims[claim] : valueAt(statement?.predicate as JsonValue | undefined, field);
  return typeof value === 'string' ? value : undefined;
}

function valueAt(predicate: JsonValue | undefined, field: string): JsonValue | undefined {
  let value = predicate;
  for (const name of field.split('.')) {
    if (value === undefined || !isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
