import type { Kind } from '../kind/kind.ts';

/** The HTTP status that says what an error of each kind says; a code may be declared with another one. */
export const STATUS_OF_KIND: Readonly<Record<Kind, number>> = {
  usage: 400,
  untrusted: 400,
  unauthorized: 401,
  'not-found': 404,
  nothing: 404,
  mismatch: 422,
  refused: 422,
  machine: 500,
  peer: 503,
};
