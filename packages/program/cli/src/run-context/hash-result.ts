import { digest, type ResultOf, resultOf } from '@colophon/records/result';

/** `colophon hash prompt`, `hash policy`. */
export const hashResult = resultOf('the hash of a prompt or of a policy pack', { hash: digest });
export type HashResult = ResultOf<typeof hashResult>;
