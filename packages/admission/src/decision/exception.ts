import type { ExceptionRule, Policy } from '../policy/policy.ts';
import type { AdmissionReason, AdmissionReasonCode, Finding } from './reason.ts';
import { shown, shownList } from './reason.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** An exception, as it is shown with what it lets pass. */
export type AppliedException = {
  readonly owner: string;
  readonly reason: string;
  /** RFC 3339 with Z. */
  readonly until: string;
  /** Codes of what is missing. */
  readonly excuses: readonly AdmissionReasonCode[];
};

/**
 * What an exception stands in for: evidence that is missing, could not be read, is late, or does not meet the policy, for
 * which the owner answers. All else is not excused: a no, and words of somebody whom the policy names that their own
 * certificate denies. What a stranger can bring about by attaching something is excused, or strangers would end exceptions.
 */
const EXCUSED: ReadonlySet<AdmissionReasonCode> = new Set([
  'admission.too_many_signatures',
  'admission.evidence_incomplete',
  'admission.rejections_incomplete',
  'admission.no_signature',
  'admission.signature_rejected',
  'admission.signature_other_image',
  'admission.agent_not_approved',
  'admission.claim_unknown',
  'admission.source_not_allowed',
  'admission.signature_too_old',
  'admission.model_not_allowed',
  'admission.model_request_unknown',
  'admission.policy_pack_not_allowed',
  'admission.made_by_agent',
  'admission.human_not_approved',
  'admission.legacy_not_listed',
  'admission.legacy_ended',
  'admission.run_malformed',
  'admission.review_missing',
  'admission.review_not_verified',
  'admission.review_other_image',
  'admission.review_signed_by_agent',
  'admission.reviewer_not_accepted',
  'admission.predicate_malformed',
  'admission.reviewer_missing',
  'admission.reviewer_null',
  'admission.reviewer_empty',
  'admission.reviewer_blank',
  'admission.reviewer_malformed',
  'admission.reviewer_no_person',
  'admission.reviewer_domain',
  'admission.timestamp_missing',
  'admission.timestamp_null',
  'admission.timestamp_empty',
  'admission.timestamp_blank',
  'admission.timestamp_malformed',
  'admission.timestamp_in_future',
  'admission.review_commit_missing',
  'admission.review_other_commit',
  'admission.review_duration_unknown',
  'admission.review_too_short',
  'admission.review_too_old',
  'admission.condition_failed',
  'admission.review_other_build',
  'admission.provenance_missing',
  'admission.provenance_not_verified',
  'admission.provenance_other_image',
  'admission.provenance_signed_by_agent',
  'admission.provenance_signed_by_reviewer',
  'admission.builder_not_accepted',
  'admission.builder_id_mismatch',
  'admission.provenance_malformed',
  'admission.provenance_source_missing',
  'admission.provenance_source_ambiguous',
  'admission.provenance_other_repository',
  'admission.required_signature_missing',
]);

/** The exception in force for an image that lasts longest; undefined where there is none, and without a time of now. */
export function exceptionInForce(
  { exceptions }: Policy,
  digest: string,
  nowSeconds = Number.NaN,
): ExceptionRule | undefined {
  return exceptions
    .filter((one) => one.digest === digest)
    .filter(({ from, until }) => timestampSeconds(from) <= nowSeconds && nowSeconds < timestampSeconds(until))
    .sort((one, other) => timestampSeconds(other.until) - timestampSeconds(one.until))[0];
}

/** An exception applied to what was found of an image; undefined where any of it is not excused. */
export function applyException(
  { owner, reason, until }: ExceptionRule,
  findings: readonly Finding[],
): AppliedException | undefined {
  if (!findings.every(({ code }) => EXCUSED.has(code))) return undefined;
  return { owner, reason, until, excuses: [...new Set(findings.map(({ code }) => code))] };
}

/** What is said of an image that passes by an exception. */
export function exceptionWarning({
  policy,
  exception,
}: {
  readonly policy: string;
  readonly exception?: AppliedException;
}): AdmissionReason[] {
  if (exception === undefined) return [];
  const { owner, reason, until, excuses } = exception;
  const message = 'The image passes by an exception of the policy, although evidence is missing.';
  const found = `until ${until}, by ${shown(owner)}: ${shown(reason)}; instead of ${shownList(excuses)}`;
  return [{ code: 'admission.exception', message, found, policy }];
}

/** Whether a policy has an exception in force for an image, whatever is known of the image; none without a time of now. */
export function hasException(policy: Policy, digest: string, nowSeconds: number | undefined): boolean {
  return exceptionInForce(policy, digest, nowSeconds) !== undefined;
}
