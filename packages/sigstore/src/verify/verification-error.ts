import type { IdentityMismatch } from '../identity-policy/identity-policy.ts';

/**
 * Exit code of the command line for each way in which a signature fails: 10 nothing to verify, 12 it does not match
 * what it is held against, 13 untrusted or expired.
 */
export const VERIFICATION_EXIT_CODES = {
  'bundle.empty': 10,
  'bundle.malformed': 13,
  'bundle.unsupported_media_type': 13,
  'bundle.certificate_missing': 13,
  'bundle.certificate_chain': 13,
  'bundle.several_signatures': 13,
  'bundle.unverifiable': 13,
  'certificate.malformed': 13,
  'certificate.identity_missing': 13,
  'certificate.mapping_conflict': 13,
  'certificate.critical_extension': 13,
  'certificate.not_for_signing': 13,
  'certificate.untrusted': 13,
  'certificate.expired': 13,
  'sct.missing': 13,
  'sct.invalid': 13,
  'log_entry.missing': 13,
  'log_entry.malformed': 13,
  'log_entry.untrusted_log': 13,
  'log_entry.inclusion_proof_missing': 13,
  'log_entry.inclusion_proof_invalid': 13,
  'log_entry.checkpoint_invalid': 13,
  'log_entry.set_missing': 13,
  'log_entry.set_invalid': 13,
  'log_entry.duplicate': 13,
  'log_entry.kind_mismatch': 12,
  'log_entry.mismatch': 12,
  'timestamp.missing': 13,
  'timestamp.invalid': 13,
  'timestamp.outside_certificate': 13,
  'signature.invalid': 12,
  'signature.malformed': 13,
  'artifact.mismatch': 12,
  'artifact.missing': 12,
  'artifact.other_kind': 12,
  'artifact.bytes_required': 12,
  'statement.malformed': 13,
  'statement.payload_type': 12,
  'statement.subject_mismatch': 12,
  'statement.predicate_type_mismatch': 12,
  'key.missing': 13,
  'key.mismatch': 12,
  'identity.issuer_mismatch': 12,
  'identity.subject_mismatch': 12,
  'identity.trigger_mismatch': 12,
  'identity.repository_mismatch': 12,
  'identity.sha_mismatch': 12,
} as const;

export type VerificationErrorCode = keyof typeof VERIFICATION_EXIT_CODES;

/** Every code of VerificationError. */
export const VERIFICATION_ERROR_CODES = Object.keys(VERIFICATION_EXIT_CODES) as readonly VerificationErrorCode[];

export type VerificationErrorDetails = {
  readonly expected?: string;
  readonly found?: string;
  /** All the constraints of the identity policy that failed; the error's code is the first one's. */
  readonly mismatches?: readonly IdentityMismatch[];
  readonly cause?: unknown;
};

/** A signature that must not be relied on, and why. Its texts come from the bundle, so they are evidence, not fact. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly code: VerificationErrorCode;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  readonly mismatches: readonly IdentityMismatch[];

  constructor(code: VerificationErrorCode, message: string, details: VerificationErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.expected = details.expected;
    this.found = details.found;
    this.mismatches = details.mismatches ?? [];
  }

  /** For the command line. */
  get exitCode(): 10 | 12 | 13 {
    return VERIFICATION_EXIT_CODES[this.code];
  }
}
