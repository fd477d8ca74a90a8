import type { Issue } from '@colophon/json';

/** Everything that a remediation record, a change of one or the proof for closing one can lack. */
export const REMEDIATION_KINDS = {
  // What a person says.
  'remediation.owner_missing': 'refused',
  'remediation.owner_invalid': 'usage',
  'remediation.owner_not_allowed': 'refused',
  'remediation.tracking_id_missing': 'refused',
  'remediation.tracking_id_invalid': 'usage',
  'remediation.text_invalid': 'usage',
  'remediation.date_invalid': 'usage',
  'remediation.date_in_future': 'usage',
  'remediation.date_order': 'usage',
  'remediation.status_needs_proof': 'refused',
  'remediation.nothing_to_change': 'usage',
  'remediation.already_closed': 'refused',
  // What a scan must say before anything is opened.
  'remediation.product_missing': 'usage',
  'remediation.scan_in_future': 'refused',
  // The SBOM that was made after the patch.
  'remediation.sbom_unknown': 'refused',
  'remediation.sbom_incomplete': 'refused',
  'remediation.sbom_other_artifact': 'refused',
  'remediation.sbom_not_newer': 'refused',
  'remediation.sbom_not_later': 'refused',
  'remediation.sbom_in_future': 'refused',
  'remediation.version_still_present': 'refused',
  'remediation.version_alike': 'refused',
  'remediation.version_unreadable': 'refused',
  'remediation.version_older': 'refused',
  'remediation.version_below_fix': 'refused',
  'remediation.package_changed': 'refused',
  'remediation.component_gone': 'refused',
  // The scan of it.
  'remediation.scan_missing': 'refused',
  'remediation.scan_of_other_sbom': 'refused',
  'remediation.scan_unrelated': 'refused',
  'remediation.scan_incomplete': 'refused',
  'remediation.scanner_missing': 'refused',
  'remediation.scanner_unknown': 'refused',
  'remediation.scanner_silent': 'refused',
  'remediation.database_unknown': 'refused',
  'remediation.database_older': 'refused',
  'remediation.still_listed': 'refused',
  'remediation.listed_elsewhere': 'refused',
  'remediation.deployment_missing': 'refused',
  'remediation.deployed_before_sbom': 'refused',
  // The statement that it does not matter.
  'remediation.statement_missing': 'refused',
  'remediation.statement_not_counting': 'refused',
  'remediation.statement_outdated': 'refused',
  'remediation.statement_draft': 'refused',
  'remediation.justification_missing': 'refused',
  'remediation.signature_missing': 'refused',
  'remediation.signature_of_other_bytes': 'refused',
  'remediation.signer_not_allowed': 'refused',
  // A record that was kept or exported.
  'remediation.field_missing': 'untrusted',
  'remediation.field_invalid': 'untrusted',
  'remediation.computed_differs': 'untrusted',
  'remediation.history_invalid': 'untrusted',
} as const;
export type RemediationCode = keyof typeof REMEDIATION_KINDS;

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

/** The line that closes a record by a scan. */
export const CLOSE = 'colophon remediation close RECORD --scan FILE --sbom FILE';
/**
 * How a person sets aside one of the conditions that a reason may. It stands behind what would meet the condition, and
 * is never proposed as the line to type: a reason is not the first thing to try.
 */
export const OR_REASON = 'or --reason TEXT, which stands in the record';

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
