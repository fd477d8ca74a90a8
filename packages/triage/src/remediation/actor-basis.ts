import type { RemediationEvent, RemediationRecord } from './remediation-record.ts';

/** What the name in an event rests on: a signature of that person over the closed record, or whoever wrote it there. */
export type ActorBasis = 'signed' | 'declared';

/** The name under which the program itself works. */
const PROGRAM = 'colophon';
const REVIEWER = 'reviewer:';

/**
 * What the name in an event of a record rests on; undefined for the program itself. A closed record is signed as it then
 * is, so the signature is the word of its signer for the event that closed it, and of nobody for those before.
 */
export function actorBasis(
  { closing_signature: signature, history }: RemediationRecord,
  event: RemediationEvent,
): ActorBasis | undefined {
  if (event.by === PROGRAM) return undefined;
  const isClosing = event.action === 'closed' && event === history.findLast(({ action }) => action === 'closed');
  return isClosing && signature?.signer === `${REVIEWER}${event.by}` ? 'signed' : 'declared';
}
