import type { Kind } from '@colophon/fault';

/** What the program's exit says to a script. Never 0 on an exception. */
export const EXIT = {
  ok: 0,
  usage: 1,
  internal: 2,
  peerDown: 3,
  notAuthorized: 4,
  nothingToVerify: 10,
  notFound: 11,
  doesNotMatch: 12,
  untrusted: 13,
  refused: 20,
  overThreshold: 21,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** How the program ends with an error of each kind. */
export const EXIT_OF_KIND = {
  usage: EXIT.usage,
  machine: EXIT.internal,
  peer: EXIT.peerDown,
  unauthorized: EXIT.notAuthorized,
  nothing: EXIT.nothingToVerify,
  'not-found': EXIT.notFound,
  mismatch: EXIT.doesNotMatch,
  untrusted: EXIT.untrusted,
  refused: EXIT.refused,
} as const satisfies Readonly<Record<Kind, ExitCode>>;
