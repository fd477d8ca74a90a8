import type { RemediationIssue } from '@colophon/triage';

/** What can go wrong at the desk beside what a record lacks. */
export const REMEDIATION_DESK_CODES = [
  'remediation.record_unknown',
  'remediation.record_ambiguous',
  'remediation.document_unknown',
] as const;
export type RemediationDeskCode = (typeof REMEDIATION_DESK_CODES)[number];

type Facts = { readonly expected?: string; readonly found?: string; readonly next?: string };

/** What the desk throws; `issues` are all conditions that are not met, of which the first gives the code. */
export class RemediationError extends Error {
  override readonly name = 'RemediationError';
  readonly code: RemediationDeskCode | RemediationIssue['code'];
  readonly issues: readonly RemediationIssue[];
  readonly facts: Facts;

  constructor(
    code: RemediationError['code'],
    message: string,
    facts: Facts = {},
    issues: readonly RemediationIssue[] = [],
  ) {
    super(message);
    this.code = code;
    this.facts = facts;
    this.issues = issues;
  }
}

/** What a condition is about, where it is about no field of the record. */
const PLACES: ReadonlyArray<readonly [code: RegExp, place: string]> = [
  [/^remediation\.(?:sbom|version|package|component)_/, 'SBOM'],
  [/^remediation\.(?:scan|scanner|database|still|listed)_/, 'scan'],
  [/^remediation\.(?:statement|justification|signature|signer)_/, 'VEX document'],
];

/** The value of a result, or its refusal as an error with every condition that is not met. */
export function accepted<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly issues: readonly RemediationIssue[] },
): T {
  if (result.ok) return result.value;
  const issues = result.issues.map((issue) => ({ ...issue, path: issue.path || placeOf(issue.code) }));
  const [{ code, message, expected, found, next }] = issues as [RemediationIssue, ...RemediationIssue[]];
  if (issues.length > 1) throw new RemediationError(code, `${issues.length} conditions are not met`, {}, issues);
  const facts = {
    ...(expected !== undefined && { expected }),
    ...(found !== undefined && { found }),
    ...(next !== undefined && { next }),
  };
  // The error itself says where one stands alone.
  throw new RemediationError(code, message, facts, [{ ...issues[0]!, path: '' }]);
}

function placeOf(code: string): string {
  return PLACES.find(([pattern]) => pattern.test(code))?.[1] ?? 'record';
}
