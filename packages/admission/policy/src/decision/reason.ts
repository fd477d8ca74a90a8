/**
 * Every reason for which an image can be refused, and whether an exception of a policy stands in for it: for evidence that is
 * missing, could not be read, is late, or does not meet the policy, for which the owner of the exception answers. All else is
 * not excused: a no, and words of somebody whom the policy names that their own certificate denies. What a stranger can bring
 * about by attaching something is excused, or strangers would end exceptions.
 */
const EXCUSED_BY_EXCEPTION = {
  'admission.internal': false,
  'admission.image_reference_invalid': false,
  'admission.image_digest_invalid': false,
  'admission.image_digest_mismatch': false,
  'admission.image_not_covered': false,
  'admission.too_many_signatures': true,
  'admission.evidence_incomplete': true,
  'admission.rejections_incomplete': true,
  'admission.no_signature': true,
  'admission.signature_rejected': true,
  'admission.signature_format': false,
  'admission.signature_other_image': true,
  'admission.agent_not_approved': true,
  'admission.claim_unknown': true,
  'admission.source_not_allowed': true,
  'admission.signature_too_old': true,
  'admission.model_not_allowed': true,
  'admission.model_request_unknown': true,
  'admission.model_substituted': false,
  'admission.policy_pack_not_allowed': true,
  'admission.made_by_agent': true,
  'admission.human_not_approved': true,
  'admission.legacy_not_listed': true,
  'admission.legacy_ended': true,
  'admission.exception': false,
  'admission.run_malformed': true,
  'admission.run_contradicts_certificate': false,
  'admission.run_not_approved': false,
  'admission.contradiction': false,
  'admission.contradiction_seen': false,
  'admission.review_missing': true,
  'admission.review_not_verified': true,
  'admission.review_other_image': true,
  'admission.review_signed_by_agent': true,
  'admission.reviewer_not_accepted': true,
  'admission.predicate_malformed': true,
  'admission.reviewer_missing': true,
  'admission.reviewer_null': true,
  'admission.reviewer_empty': true,
  'admission.reviewer_blank': true,
  'admission.reviewer_malformed': true,
  'admission.reviewer_mismatch': false,
  'admission.reviewer_no_person': true,
  'admission.reviewer_domain': true,
  'admission.timestamp_missing': true,
  'admission.timestamp_null': true,
  'admission.timestamp_empty': true,
  'admission.timestamp_blank': true,
  'admission.timestamp_malformed': true,
  'admission.timestamp_in_future': true,
  'admission.review_rejected': false,
  'admission.verdict_failed': false,
  'admission.review_commit_missing': true,
  'admission.review_other_commit': true,
  'admission.review_commit_mismatch': false,
  'admission.review_duration_unknown': true,
  'admission.review_too_short': true,
  'admission.review_too_old': true,
  'admission.condition_failed': true,
  'admission.review_other_build': true,
  'admission.provenance_missing': true,
  'admission.provenance_not_verified': true,
  'admission.provenance_other_image': true,
  'admission.provenance_signed_by_agent': true,
  'admission.provenance_signed_by_reviewer': true,
  'admission.builder_not_accepted': true,
  'admission.builder_id_mismatch': true,
  'admission.provenance_malformed': true,
  'admission.provenance_source_missing': true,
  'admission.provenance_source_ambiguous': true,
  'admission.provenance_other_repository': true,
  'admission.provenance_contradicts_certificate': false,
  'admission.required_signature_missing': true,
} as const;
/** The code of a reason: stable, and documented in docs/errors.md. */
export type AdmissionReasonCode = keyof typeof EXCUSED_BY_EXCEPTION;
/** All of them, in the order in which they are documented. */
export const ADMISSION_REASON_CODES = Object.keys(EXCUSED_BY_EXCEPTION) as readonly AdmissionReasonCode[];

/** Whether an exception stands in for a reason; for none that is not placed above. */
export function isExcused(code: AdmissionReasonCode): boolean {
  return Object.hasOwn(EXCUSED_BY_EXCEPTION, code) && EXCUSED_BY_EXCEPTION[code];
}

/** One rule that does not hold. */
export type Finding = {
  readonly code: AdmissionReasonCode;
  /** One sentence for a person. */
  readonly message: string;
  readonly expected?: string;
  /** What stood there instead; text from outside, made printable and cut. */
  readonly found?: string;
};

/** Why an image is refused: a finding, and the policy whose rule it is; absent where no policy was reached. */
export type AdmissionReason = Finding & { readonly policy?: string };

const LONGEST_SHOWN = 200;
const MOST_SHOWN = 5;

/** Text from outside for a message: printable ASCII, the rest escaped, cut at 200 characters. */
export function shown(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return cut.replace(/[^\x20-\x7e…]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The different ones of several texts from outside, at most five of them. */
export function shownList(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  const more = different.length > MOST_SHOWN ? ` and ${different.length - MOST_SHOWN} more` : '';
  return different.slice(0, MOST_SHOWN).map(shown).join(', ') + more;
}
