import type { Issue } from '@colophon/json';

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
  'remediation.version_alike',
  'remediation.version_unreadable',
  'remediation.version_older',
  'remediation.version_below_fix',
  'remediation.package_changed',
  'remediation.component_gone',
  // The scan of it.
  'remediation.scan_missing',
  'remediation.scan_of_other_sbom',
  'remediation.scan_unrelated',
  'remediation.scan_incomplete',
  'remediation.scanner_missing',
  'remediation.scanner_unknown',
  'remediation.scanner_silent',
  'remediation.database_unknown',
  'remediation.database_older',
  'remediation.still_listed',
  'remediation.listed_elsewhere',
  'remediation.deployment_missing',
  'remediation.deployed_before_sbom',
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

/**
 * What the word of a person sets aside, given as the reason: where nothing is shown to be wrong, but too little to be
 * right. It stands in the record which of these a reason set aside.
 */
export const OVERRIDABLE_CODES = [
  'remediation.component_gone',
  'remediation.deployed_before_sbom',
  'remediation.package_changed',
  'remediation.scan_unrelated',
  'remediation.scanner_silent',
  'remediation.version_alike',
  'remediation.version_below_fix',
  'remediation.version_older',
  'remediation.version_unreadable',
] as const satisfies readonly RemediationCode[];

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

/**
 * The issues that stay, and the codes of those that a reason sets aside, sorted.
 * @param reason what a person gave; without one nothing is set aside
 */
export function withoutOverridden(
  issues: readonly RemediationIssue[],
  reason: string | undefined,
): { readonly issues: readonly RemediationIssue[]; readonly overrides: readonly string[] } {
  const codes: readonly string[] = reason === undefined ? [] : OVERRIDABLE_CODES;
  return {
    issues: issues.filter(({ code }) => !codes.includes(code)),
    overrides: codes.filter((code) => issues.some((issue) => issue.code === code)),
  };
}
