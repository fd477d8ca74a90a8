import { declareErrors } from '@colophon/fault';
import type { IdentityMismatch } from '../identity-policy/identity-policy.ts';

const KINDS = {
  'bundle.empty': 'nothing',
  'bundle.malformed': 'untrusted',
  'bundle.too_large': 'untrusted',
  'bundle.unsupported_media_type': 'untrusted',
  'bundle.certificate_missing': 'untrusted',
  'bundle.certificate_chain': 'untrusted',
  'bundle.several_signatures': 'untrusted',
  'bundle.unverifiable': 'untrusted',
  'certificate.malformed': 'untrusted',
  'certificate.identity_missing': 'untrusted',
  'certificate.mapping_conflict': 'untrusted',
  'certificate.purpose_unknown': 'untrusted',
  'certificate.purpose_mismatch': 'untrusted',
  'certificate.key_mismatch': 'untrusted',
  'certificate.critical_extension': 'untrusted',
  'certificate.not_for_signing': 'untrusted',
  'certificate.untrusted': 'untrusted',
  'certificate.issuer_not_of_root': 'untrusted',
  'certificate.expired': 'untrusted',
  'sct.missing': 'untrusted',
  'sct.invalid': 'untrusted',
  'log_entry.missing': 'untrusted',
  'log_entry.malformed': 'untrusted',
  'log_entry.untrusted_log': 'untrusted',
  'log_entry.inclusion_proof_missing': 'untrusted',
  'log_entry.inclusion_proof_invalid': 'untrusted',
  'log_entry.checkpoint_invalid': 'untrusted',
  'log_entry.set_missing': 'untrusted',
  'log_entry.set_invalid': 'untrusted',
  'log_entry.duplicate': 'untrusted',
  'log_entry.kind_mismatch': 'mismatch',
  'log_entry.mismatch': 'mismatch',
  'timestamp.missing': 'untrusted',
  'timestamp.invalid': 'untrusted',
  'timestamp.outside_certificate': 'untrusted',
  'signature.invalid': 'mismatch',
  'signature.malformed': 'untrusted',
  'artifact.mismatch': 'mismatch',
  'artifact.missing': 'mismatch',
  'artifact.other_kind': 'mismatch',
  'artifact.bytes_required': 'mismatch',
  'statement.malformed': 'untrusted',
  'statement.too_large': 'untrusted',
  'statement.payload_type': 'mismatch',
  'statement.subject_mismatch': 'mismatch',
  'statement.predicate_type_mismatch': 'mismatch',
  'key.missing': 'untrusted',
  'key.mismatch': 'mismatch',
  'identity.issuer_mismatch': 'mismatch',
  'identity.subject_mismatch': 'mismatch',
  'identity.trigger_mismatch': 'mismatch',
  'identity.repository_mismatch': 'mismatch',
  'identity.sha_mismatch': 'mismatch',
} as const;

/** One of {@link VerificationError.codes}. */
export type VerificationErrorCode = keyof typeof KINDS;

/** A signature that must not be relied on, and why. Its texts come from the bundle, so they are evidence, not fact. */
export const VerificationError = declareErrors(
  'VerificationError',
  KINDS,
  ({ mismatches = [], ...details }: VerificationErrorDetails) => ({ ...details, mismatches }),
);
export type VerificationError = InstanceType<typeof VerificationError>;

export type VerificationErrorDetails = {
  readonly expected?: string;
  readonly found?: string;
  /** All the constraints of the identity policy that failed; the error's code is the first one's. */
  readonly mismatches?: readonly IdentityMismatch[];
  readonly cause?: unknown;
};
