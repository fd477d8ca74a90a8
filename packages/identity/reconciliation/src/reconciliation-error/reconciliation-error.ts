import { declareErrors } from '@colophon/fault';

const KINDS = {
  'reconciliation.log_unavailable': 'peer',
  'reconciliation.answer_invalid': 'untrusted',
  'reconciliation.log_untrusted': 'untrusted',
  'reconciliation.log_shorter': 'untrusted',
  'reconciliation.start_mismatch': 'untrusted',
  'reconciliation.tree_mismatch': 'untrusted',
} as const;

/** A log cannot be read, or is not the log that it is taken for: nothing is known then about what it holds. */
export const ReconciliationError = declareErrors('ReconciliationError', KINDS);
