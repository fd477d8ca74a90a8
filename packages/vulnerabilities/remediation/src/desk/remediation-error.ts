import { declareErrors } from '@colophon/fault';
import { REMEDIATION_KINDS, type RemediationIssue } from '@colophon/remediation-rules';

const DESK_KINDS = {
  'remediation.record_unknown': 'not-found',
  'remediation.record_ambiguous': 'usage',
  'remediation.document_unknown': 'not-found',
} as const;

type Facts = { readonly expected?: string; readonly found?: string; readonly next?: string };
type Details = Facts & { readonly issues?: readonly RemediationIssue[] };

const KINDS = { ...DESK_KINDS, ...REMEDIATION_KINDS };

/**
 * What the desk throws; `issues` are all conditions that are not met, of which the first gives the code. A statement
 * that cannot be made has a code of VEX.
 */
export const RemediationError = declareErrors<
  typeof KINDS,
  Details,
  { readonly facts: Facts; readonly issues: readonly RemediationIssue[] },
  `vex.${string}`
>('RemediationError', KINDS, ({ issues = [], ...facts }) => ({ facts, issues }));
export type RemediationError = InstanceType<typeof RemediationError>;

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
  const kind = code.startsWith('vex.') ? ({ kind: 'refused' } as const) : {};
  if (issues.length > 1)
    throw new RemediationError(code, `${issues.length} conditions are not met`, { issues, ...kind });
  const facts = {
    ...(expected !== undefined && { expected }),
    ...(found !== undefined && { found }),
    ...(next !== undefined && { next }),
  };
  // The error itself says where one stands alone.
  throw new RemediationError(code, message, { ...facts, issues: [{ ...issues[0]!, path: '' }], ...kind });
}

function placeOf(code: string): string {
  return PLACES.find(([pattern]) => pattern.test(code))?.[1] ?? 'record';
}
