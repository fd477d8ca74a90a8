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
