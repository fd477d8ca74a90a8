import { VEX_JUSTIFICATIONS, VEX_STATUSES, type VexStatus } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { type TransitionContext, transitionIssues } from './transition.ts';

const EVERYTHING: TransitionContext = {
  reason: 'a new advisory names another function',
  justification: 'vulnerable_code_not_present',
  action: 'update to 2.17.1',
  proof: { isProven: true, evidence: ['sha256:1'] },
};
const codes = (from: VexStatus | undefined, to: VexStatus, context?: TransitionContext) =>
  transitionIssues(from, to, context).map(({ code }) => code);

describe.each<[from: VexStatus | undefined, allowed: readonly VexStatus[]]>([
  [undefined, ['under_investigation', 'affected', 'not_affected', 'fixed']],
  ['under_investigation', ['under_investigation', 'affected', 'not_affected', 'fixed']],
  ['affected', ['under_investigation', 'affected', 'fixed']],
  ['not_affected', ['under_investigation', 'not_affected', 'fixed']],
  ['fixed', ['under_investigation', 'fixed']],
])('from %s', (from, allowed) => {
  test.each(VEX_STATUSES)('to %s, with everything that could be asked for', (to) => {
    expect(codes(from, to, EVERYTHING)).toEqual(allowed.includes(to) ? [] : ['vex.transition_refused']);
  });

  test.each(VEX_STATUSES)('to %s, with nothing', (to) => {
    const missing = {
      under_investigation: from === undefined ? [] : ['vex.transition_reason_missing'],
      affected: ['vex.transition_action_missing'],
      not_affected: ['vex.transition_justification_missing'],
      fixed: ['vex.transition_proof_missing'],
    }[to];
    expect(codes(from, to)).toEqual(allowed.includes(to) ? missing : ['vex.transition_refused']);
  });
});

test('a refusal says what would be allowed', () => {
  const [issue] = transitionIssues('not_affected', 'affected', EVERYTHING);
  expect(issue?.expected).toBe('under_investigation, not_affected, fixed: affected follows under_investigation');
});

test('a refusal says of which member it speaks, what lacks, and how to give it', () => {
  const justifications = `--justification, one of ${VEX_JUSTIFICATIONS.join(', ')}`;
  const refused: ReadonlyArray<readonly [to: VexStatus, context: TransitionContext, ...words: string[]]> = [
    ['affected', {}, '/action_statement', 'affected needs an action', 'an action: --action TEXT'],
    [
      'under_investigation',
      {},
      '/status_notes',
      'under_investigation after under_investigation needs a reason',
      'a reason: --reason TEXT',
    ],
    ['not_affected', {}, '/justification', 'not_affected needs a justification', justifications],
    [
      'not_affected',
      { justification: 'because' },
      '/justification',
      'the justification is not in the list',
      justifications,
    ],
    [
      'fixed',
      {},
      '/status',
      'fixed needs a proof',
      'the record of a remediation that a newer SBOM and its scan have closed: --proof FILE',
    ],
  ];
  for (const [to, context, path, message, expected] of refused) {
    const facts = { path, message, expected, source: 'contract §3' };
    expect(transitionIssues('under_investigation', to, context)).toEqual([expect.objectContaining(facts)]);
  }
  expect(transitionIssues('fixed', 'affected')).toMatchObject([
    { path: '/status', message: 'fixed cannot become affected' },
  ]);
});

test.each(VEX_JUSTIFICATIONS)('%s is a justification', (justification) => {
  expect(codes('under_investigation', 'not_affected', { justification })).toEqual([]);
});

test.each(['code_not_reachable', 'NOT_PRESENT', '__proto__'])('%s is none', (justification) => {
  expect(codes('under_investigation', 'not_affected', { justification })).toEqual([
    'vex.transition_justification_unknown',
  ]);
});

test.each(['', '  '])('%j is neither a reason, an action nor a justification', (blank) => {
  expect(codes('fixed', 'under_investigation', { reason: blank })).toEqual(['vex.transition_reason_missing']);
  expect(codes('affected', 'affected', { action: blank })).toEqual(['vex.transition_action_missing']);
  expect(codes(undefined, 'not_affected', { justification: blank })).toEqual(['vex.transition_justification_missing']);
});

test('an untyped caller cannot prove by something that is merely there', () => {
  const proof = { isProven: 'yes', evidence: [] } as unknown as TransitionContext['proof'];
  expect(codes('affected', 'fixed', { proof })).toEqual(['vex.transition_proof_missing']);
});
