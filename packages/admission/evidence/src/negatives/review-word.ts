import { approvalOf, isReviewType, namesNothing, rejectionOf } from '@colophon/admission';
import {
  agentReviewType,
  isAgentIdentity,
  type PeopleIssuers,
  parseReviewWithdrawal,
  reviewWithdrawalType,
  typesUnder,
  type VerifiedSignature,
} from '@colophon/records';
import type { ReviewWordKind } from '@colophon/store';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { isListable, listedWord, wordIssues } from './listed-word.ts';
import { standingRejection, standingWithdrawal } from './standing-list.ts';

const NO_BUNDLE = '0'.repeat(64);

/**
 * What a verified signature says to the list of standing negatives; undefined for everything that is no reviewer's word
 * and no withdrawal. An agent reviews nothing and withdraws nothing.
 * @param peopleIssuers as reviewerOf takes it
 * @throws EvidenceError `evidence.statement_malformed` for a withdrawal that is none, and for a word that no page of a list
 *   could hold: it would be kept, and change nothing
 */
export function reviewWordKind(
  signature: VerifiedSignature,
  predicateBase: string,
  peopleIssuers?: PeopleIssuers,
): ReviewWordKind | undefined {
  const { statement, certificate_identity: identity } = signature;
  if (statement !== undefined && typesUnder(predicateBase, reviewWithdrawalType).includes(statement.predicateType)) {
    const parsed = parseReviewWithdrawal(statement.predicate);
    if (!parsed.ok) throw malformed('The withdrawal does not hold what its type promises.', parsed.issues);
    if (isAgentIdentity(identity)) return undefined;
    const { rejection, reason } = parsed.value;
    assertListable('withdrawals', standingWithdrawal(NO_BUNDLE, rejection, signature, reason));
    return { kind: 'withdrawal', withdrawn: Buffer.from(parsed.value.rejection, 'hex') };
  }
  const ownType = agentReviewType(predicateBase);
  const rejection = rejectionOf(signature, peopleIssuers);
  const certified_at = Date.parse(signature.certified_at ?? '');
  if (rejection === undefined) {
    const approval = approvalOf(signature, ownType);
    return approval && { kind: 'approval', address: approval.person.address, certified_at };
  }
  assertListable('rejections', standingRejection(NO_BUNDLE, rejection));
  if (namesNothing(rejection)) {
    // Of another type it may be about something else.
    if (!isReviewType(statement!.predicateType)) return undefined;
    throw malformed('The rejection names no image and no commit, so it would stop nothing.', []);
  }
  return { kind: 'rejection', address: rejection.person.address, certified_at };
}

function assertListable(kind: 'rejections' | 'withdrawals', word: object): void {
  if (isListable(listedWord(kind, '', word), word)) return;
  const what = kind === 'rejections' ? 'rejection' : 'withdrawal';
  throw malformed(`The ${what} cannot stand in the list of standing negatives.`, wordIssues(kind, word));
}

function malformed(message: string, issues: EvidenceError['issues']): EvidenceError {
  return new EvidenceError('evidence.statement_malformed', message, { issues });
}
