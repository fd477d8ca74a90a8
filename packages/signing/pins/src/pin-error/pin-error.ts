import { declareErrors } from '@colophon/fault';

const KINDS = {
  'pin.fork': 'untrusted',
  'pin.inconsistent': 'untrusted',
  'pin.history_smaller': 'untrusted',
  'pin.log_retired': 'untrusted',
  'pin.log_behind': 'untrusted',
  'pin.checkpoint_invalid': 'untrusted',
  'pin.no_checkpoint': 'untrusted',
  'pin.other_log': 'mismatch',
  'pin.log_unavailable': 'peer',
  'pin.log_refused': 'peer',
  'pin.damaged': 'machine',
  'pin.busy': 'machine',
  'pin.unavailable': 'machine',
} as const;

/** What a person needs to see beside the code. */
export type PinFacts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};

/** A history that is not the one that was seen, or a pin that cannot be used. */
export const PinError = declareErrors<typeof KINDS, PinFacts, { readonly facts: PinFacts }>(
  'PinError',
  KINDS,
  (facts) => ({ facts }),
);
export type PinError = InstanceType<typeof PinError>;
