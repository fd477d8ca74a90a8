import type { Issue } from '@colophon/records';

/** Everything that a remediation record, a change of one or the proof for closing one can lack. */
export const REMEDIATION_CODES = [
  // What a person says.
  'remediation.owner_missing',
  'remediation.owner_invalid',
  'remediation.owner_not_allowed',
  'remediation.tracking_id_missing',
  'remediation.tracking_id_invalid',
  'remediation.text_invalid',
  'remediation.date_invalid',
  'remediation.date_in_future',
  'remediation.date_order',
  'remediation.status_needs_proof',
  'remediation.nothing_to_change',
  'remediation.already_closed',
  // What a scan must say before anything is opened.
  'remediation.product_missing',
  'remediation.scan_in_future',
  // The SBOM that was made after the patch.
  'remediation.sbom_unknown',
  'remediation.sbom_incomplete',
  'remediation.sbom_other_artifact',
  'remediation.sbom_not_newer',
  'remediation.sbom_not_later',
  'remediation.sbom_in_future',
  'remediation.version_still_present',
  'remediation.component_gone',
  // The scan of it.
  'remediation.scan_missing',
  'remediation.scan_of_other_sbom',
  'remediation.scan_incomplete',
  'remediation.scanner_missing',
  'remediation.scanner_unknown',
  'remediation.database_unknown',
  'remediation.database_older',
  'remediation.still_listed',
  'remediation.listed_elsewhere',
  'remediation.deployment_missing',
  // The statement that it does not matter.
  'remediation.statement_missing',
  'remediation.statement_not_counting',
  'remediation.statement_outdated',
  'remediation.statement_draft',
  'remediation.justification_missing',
  'remediation.signature_missing',
  'remediation.signature_of_other_bytes',
  'remediation.signer_not_allowed',
  // A record that was kept or exported.
  'remediation.field_missing',
  'remediation.field_invalid',
  'remediation.computed_differs',
  'remediation.history_invalid',
] as const;
export type RemediationCode = (typeof REMEDIATION_CODES)[number];

/** One condition that is not met, and what would meet it. */
export type RemediationIssue = Issue & {
  readonly code: RemediationCode | `vex.${string}`;
  readonly found?: string;
  /** What to do about it, in words of the command line or not. */
  readonly next?: string;
};

/** Collects issues; each condition says for itself what it wanted and what it found. */
export function remediationIssue(
  code: RemediationIssue['code'],
  message: string,
  facts: { readonly path?: string; readonly expected?: string; readonly found?: string; readonly next?: string } = {},
): RemediationIssue {
  return { path: '', code, message, ...facts };
}

/** The changed record, or every reason why not. */
export type RemediationResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly RemediationIssue[] };
