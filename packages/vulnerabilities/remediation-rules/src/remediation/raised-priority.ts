import { decidePriority, dueAt, type PriorityInput } from '@colophon/findings';
import { parseInstant } from '@colophon/notation';
import type { RemediationRecord } from '@colophon/records';
import { REMEDIATION_PRIORITIES } from '@colophon/records';

type Urgency = Pick<RemediationRecord, 'remediation_priority' | 'due_at'>;

/**
 * How urgent a record is after something new is known of it: never less than before. A raised priority gives its hours
 * from the moment at which it was raised, and never a later time than there was.
 * @param at RFC 3339
 */
export function raised({ remediation_priority, due_at }: Urgency, input: PriorityInput, at: string): Urgency {
  const decided = decidePriority(input);
  if (REMEDIATION_PRIORITIES.indexOf(decided) >= REMEDIATION_PRIORITIES.indexOf(remediation_priority)) {
    return { remediation_priority, due_at };
  }
  return { remediation_priority: decided, due_at: earlier(due_at, dueAt(decided, at)) };
}

/** The earlier of two times; null is none. */
export function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return parseInstant(a)! <= parseInstant(b)! ? a : b;
}

/** The more urgent of two priorities. */
export function higherPriority(a: Urgency['remediation_priority'], b: Urgency['remediation_priority']): typeof a {
  return REMEDIATION_PRIORITIES.indexOf(a) <= REMEDIATION_PRIORITIES.indexOf(b) ? a : b;
}
