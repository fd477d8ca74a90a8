import { declareErrors } from '@colophon/fault';

const KINDS = { 'signature.not_a_signature': 'mismatch' } as const;

/** What a person needs to see beside the code. */
type Facts = { readonly expected?: string; readonly found?: string; readonly next?: string };

/** A bundle that verifies does not say what was asked for. */
export const SignatureError = declareErrors('SignatureError', KINDS, (facts: Facts) => ({ facts }));
export type SignatureError = InstanceType<typeof SignatureError>;
