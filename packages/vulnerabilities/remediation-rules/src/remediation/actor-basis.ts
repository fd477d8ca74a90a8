import type { RemediationEvent } from '@colophon/records';

/** The name under which the program itself works. */
const PROGRAM = 'colophon';

/**
 * What the name in an event of a record rests on: whoever wrote it there, so it is `declared`; undefined for the program
 * itself. Who signed a closed record is another question, which `closing_signature` and its verification answer.
 */
export function actorBasis({ by }: RemediationEvent): 'declared' | undefined {
  return by === PROGRAM ? undefined : 'declared';
}
