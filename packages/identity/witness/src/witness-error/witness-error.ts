import { declareErrors } from '@colophon/fault';

const KINDS = {
  'witness.run_unknown': 'not-found',
  'witness.upstream_unknown': 'not-found',
  'witness.path_refused': 'usage',
  'witness.endpoint_refused': { kind: 'refused', httpStatus: 403 },
  'witness.method_refused': { kind: 'usage', httpStatus: 405 },
  // With this one clients go on without a websocket.
  'witness.websocket_refused': { kind: 'usage', httpStatus: 426 },
  'witness.busy': 'peer',
  'witness.unauthorized': 'unauthorized',
  'witness.request_invalid': 'usage',
  'witness.internal': 'machine',
  'witness.not_isolated': 'refused',
  'witness.unavailable': 'peer',
  'witness.refused': 'refused',
  'witness.upstream_unavailable': { kind: 'peer', httpStatus: 502 },
} as const;

/** What a person needs to see beside the code. */
export type WitnessFacts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly issues?: ReadonlyArray<{ readonly code: string; readonly message: string; readonly found?: string }>;
};

/**
 * What the witness answers itself, where a request cannot be passed on, and why it does not start or does not answer. No
 * message holds anything of a request.
 */
export const WitnessError = declareErrors<typeof KINDS, WitnessFacts, { readonly facts: WitnessFacts }>(
  'WitnessError',
  KINDS,
  (facts) => ({ facts }),
);
export type WitnessError = InstanceType<typeof WitnessError>;
export type WitnessErrorCode = WitnessError['code'];
