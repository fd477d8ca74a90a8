import { declareErrors } from '@colophon/fault';

const KINDS = {
  'log.unavailable': 'peer',
  'log.refused': 'unauthorized',
  'log.not_found': 'not-found',
  'log.answer_invalid': 'untrusted',
  'log.entry_mismatch': 'mismatch',
  'log.untrusted': 'untrusted',
  'log.proof_invalid': 'untrusted',
  'log.promise_invalid': 'untrusted',
} as const;

/** One of {@link LogError.codes}. */
export type LogErrorCode = keyof typeof KINDS;

/** The transparency log could not be read, or what it said does not hold. */
export const LogError = declareErrors('LogError', KINDS, (details: { readonly status?: number }) => details);
export type LogError = InstanceType<typeof LogError>;
