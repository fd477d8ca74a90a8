import type { Issue } from '@colophon/json';
import { VEX_JUSTIFICATIONS, VEX_STATUSES, type VexStatus } from '@colophon/records';

/** Why a status may not follow another one; listed in docs/errors.md. */
export const TRANSITION_KINDS = {
  'vex.transition_refused': 'refused',
  'vex.transition_reason_missing': 'refused',
  'vex.transition_justification_missing': 'refused',
  'vex.transition_justification_unknown': 'refused',
  'vex.transition_action_missing': 'refused',
  'vex.transition_proof_missing': 'refused',
} as const;
export type TransitionCode = keyof typeof TRANSITION_KINDS;

export type TransitionIssue = Issue & { readonly code: TransitionCode };

/**
 * Proof that something is fixed: the rules of remediation have held a newer SBOM and its scans against the record (by
 * the same scanner, with a database not older, which lists the vulnerability no more). Nothing else makes one.
 */
export type FixProof = {
  readonly isProven: true;
  /** Digests of what it rests on. */
  readonly evidence: readonly string[];
};

/** What comes with a change of status. */
export type TransitionContext = {
  /** Why it is investigated again. */
  readonly reason?: string | undefined;
  readonly justification?: string | undefined;
  /** What to do about it. */
  readonly action?: string | undefined;
  readonly proof?: FixProof | undefined;
};

/** Where each status may lead; to stay is to say it again, with everything that it needs. */
const NEXT: Readonly<Record<VexStatus, readonly VexStatus[]>> = {
  under_investigation: VEX_STATUSES,
  affected: ['under_investigation', 'affected', 'fixed'],
  not_affected: ['under_investigation', 'not_affected', 'fixed'],
  fixed: ['under_investigation', 'fixed'],
};

/**
 * Every reason for which a status may not follow another one; empty where it may. A vulnerability that nobody spoke of
 * yet begins under investigation: `from` is undefined, and no reason is needed to say just that.
 * @see contract §3; decision 0023
 */
export function transitionIssues(
  from: VexStatus | undefined,
  to: VexStatus,
  context: TransitionContext = {},
): readonly TransitionIssue[] {
  const allowed = NEXT[from ?? 'under_investigation'];
  if (!allowed.includes(to)) {
    return [
      issue(
        'vex.transition_refused',
        '/status',
        `${from} cannot become ${to}`,
        `${allowed.join(', ')}: ${to} follows under_investigation`,
      ),
    ];
  }
  return REQUIRED[to](context, from);
}

const REQUIRED: Readonly<
  Record<VexStatus, (context: TransitionContext, from: VexStatus | undefined) => readonly TransitionIssue[]>
> = {
  under_investigation: ({ reason }, from) =>
    from === undefined || isSaid(reason)
      ? []
      : [
          issue(
            'vex.transition_reason_missing',
            '/status_notes',
            `under_investigation after ${from} needs a reason`,
            'a reason: --reason TEXT',
          ),
        ],
  affected: ({ action }) =>
    isSaid(action)
      ? []
      : [
          issue(
            'vex.transition_action_missing',
            '/action_statement',
            'affected needs an action',
            'an action: --action TEXT',
          ),
        ],
  not_affected: ({ justification }) => {
    if (!isSaid(justification)) {
      return [
        issue(
          'vex.transition_justification_missing',
          '/justification',
          'not_affected needs a justification',
          JUSTIFICATIONS,
        ),
      ];
    }
    if (VEX_JUSTIFICATIONS.includes(justification as (typeof VEX_JUSTIFICATIONS)[number])) return [];
    return [
      issue(
        'vex.transition_justification_unknown',
        '/justification',
        'the justification is not in the list',
        JUSTIFICATIONS,
      ),
    ];
  },
  fixed: ({ proof }) =>
    proof?.isProven === true
      ? []
      : [
          issue(
            'vex.transition_proof_missing',
            '/status',
            'fixed needs a proof',
            'the record of a remediation that a newer SBOM and its scan have closed: --proof FILE',
          ),
        ],
};

const JUSTIFICATIONS = `--justification, one of ${VEX_JUSTIFICATIONS.join(', ')}`;

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function issue(code: TransitionCode, path: string, message: string, expected: string): TransitionIssue {
  return { path, code, message, expected, source: 'contract §3' };
}
