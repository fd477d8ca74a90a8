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

/** The value of a result, or its refusal as an error. */
export function accepted<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly issues: readonly RemediationIssue[] },
): T {
  if (result.ok) return result.value;
  const [{ code, message, expected, found, next }] = result.issues as readonly [
    RemediationIssue,
    ...RemediationIssue[],
  ];
  const facts = {
    ...(expected !== undefined && { expected }),
    ...(found !== undefined && { found }),
    ...(next !== undefined && { next }),
  };
  throw new RemediationError(code, message, facts, result.issues);
}
