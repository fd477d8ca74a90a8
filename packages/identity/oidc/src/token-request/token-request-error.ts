import { declareErrors } from '@colophon/fault';

const KINDS = {
  'issuer.unreachable': 'peer',
  'issuer.refused': 'refused',
  'issuer.credential_unavailable': 'peer',
} as const;

/** One of several problems of a request, as the issuer lists them. */
export type RequestProblem = {
  /** JSON Pointer. */
  readonly path?: string;
  readonly code: string;
  readonly message: string;
  readonly expected?: string;
};

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly RequestProblem[];
};

/** No token could be had. No message and no fact holds a secret or a token, whatever the peer says. */
export const TokenRequestError = declareErrors('TokenRequestError', KINDS, (facts: Facts) => ({ facts }));
export type TokenRequestError = InstanceType<typeof TokenRequestError>;
