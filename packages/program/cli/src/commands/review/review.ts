import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const REVIEW_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'approve [options] [image-or-file]',
    description: 'sign that you reviewed it and that it may ship; without an artifact, the commit alone',
    load: async () => (await import('./review-decide.ts')).defineDecision('approved'),
  },
  {
    term: 'reject [options] [image-or-file]',
    description: 'sign that you reviewed it and that it must not ship; without an artifact, the commit alone',
    load: async () => (await import('./review-decide.ts')).defineDecision('rejected'),
  },
  {
    term: 'withdraw [options] [image-or-file]',
    description: 'withdraw a rejection, with a reason; counts for policies whose mayWithdraw names the signer',
    load: async () => (await import('./review-withdraw.ts')).defineReviewWithdraw,
  },
  {
    term: 'list [options]',
    description: 'the rejections that stand, and who withdrew which, by the signed list of the evidence store',
    load: async () => (await import('./review-list.ts')).defineReviewList,
  },
];

/** `colophon review …`: a person's own words, and which rejections stand. */
export function defineReview(review: Command, session: Session): void {
  addCommands(review, REVIEW_COMMANDS, session);
}
