/** Every reason for which an image can be refused. */
export const ADMISSION_REASON_CODES = [
  'admission.internal',
  'admission.image_reference_invalid',
  'admission.image_digest_invalid',
  'admission.image_digest_mismatch',
  'admission.image_not_covered',
  'admission.too_many_signatures',
  'admission.evidence_incomplete',
  'admission.rejections_incomplete',
  'admission.no_signature',
  'admission.signature_rejected',
  'admission.signature_format',
  'admission.signature_other_image',
  'admission.agent_not_approved',
  'admission.claim_unknown',
  'admission.source_not_allowed',
  'admission.signature_too_old',
  'admission.model_not_allowed',
  'admission.model_request_unknown',
  'admission.model_substituted',
  'admission.policy_pack_not_allowed',
  'admission.made_by_agent',
  'admission.human_not_approved',
  'admission.legacy_not_listed',
  'admission.legacy_ended',
  'admission.exception',
  'admission.run_malformed',
  'admission.run_contradicts_certificate',
  'admission.run_not_approved',
  'admission.contradiction',
  'admission.contradiction_seen',
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
  'admission.reviewer_mismatch',
  'admission.reviewer_no_person',
  'admission.reviewer_domain',
  'admission.timestamp_missing',
  'admission.timestamp_null',
  'admission.timestamp_empty',
  'admission.timestamp_blank',
  'admission.timestamp_malformed',
  'admission.timestamp_in_future',
  'admission.review_rejected',
  'admission.verdict_failed',
  'admission.review_commit_missing',
  'admission.review_other_commit',
  'admission.review_commit_mismatch',
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
  'admission.provenance_contradicts_certificate',
  'admission.required_signature_missing',
] as const;
export type AdmissionReasonCode = (typeof ADMISSION_REASON_CODES)[number];

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
