import { declareErrors } from '@colophon/fault';

const KINDS = {
  'erasure.token_not_found': 'not-found',
  'erasure.erased_already': 'nothing',
  'erasure.not_sequenced': 'refused',
  'erasure.is_event': 'refused',
  'erasure.reason_invalid': 'usage',
  'erasure.reason_repeats_payload': 'refused',
  'erasure.unfinished': 'machine',
} as const;

/** A row of the ledger cannot be erased, or not yet wholly. */
export const ErasureError = declareErrors('ErasureError', KINDS);
export type ErasureError = InstanceType<typeof ErasureError>;
