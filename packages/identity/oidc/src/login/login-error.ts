import { declareErrors } from '@colophon/fault';

const KINDS = {
  'login.provider_unreachable': 'peer',
  'login.provider_invalid': 'peer',
  'login.refused': 'unauthorized',
  'login.timed_out': 'unauthorized',
  'login.token_refused': 'untrusted',
} as const;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};

/** Nobody was logged in. No message and no fact holds a token, a code, a state or a verifier. */
export const LoginError = declareErrors('LoginError', KINDS, (facts: Facts) => ({ facts }));
export type LoginError = InstanceType<typeof LoginError>;
