import type { PeerAnswer } from './ask-peer.ts';
import { NoAnswer } from './no-answer.ts';

/** Overloaded, or in front of something that is away for a moment. */
const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];

/** Whether asking again may help: the rule of retries for questions that may be asked twice. */
export function isPassing(outcome: PeerAnswer | NoAnswer): boolean {
  return outcome instanceof NoAnswer ? outcome.isPassing : PASSING_STATUSES.includes(outcome.status);
}
