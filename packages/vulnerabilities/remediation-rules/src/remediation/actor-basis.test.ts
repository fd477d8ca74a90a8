import type { RemediationEvent } from '@colophon/records';
import { expect, test } from 'vitest';
import { actorBasis } from './actor-basis.ts';

const event = (action: RemediationEvent['action'], by: string): RemediationEvent => ({
  at: '2026-11-20T10:00:00Z',
  by,
  action,
  changes: {},
});

test.each(['opened', 'updated', 'closed', 'reopened', 'escalated'] as const)(
  'a name in a history is declared, and the program is nobody: %s',
  (action) => {
    expect(actorBasis(event(action, 'dana@example.com'))).toBe('declared');
    expect(actorBasis(event(action, 'reviewer:dana@example.com'))).toBe('declared');
    expect(actorBasis(event(action, 'colophon'))).toBeUndefined();
  },
);
