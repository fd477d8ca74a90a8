import { seededBytes } from '@colophon/testkit';
import type { TokenUse } from '../src/ledger/ledger-storage.ts';

/** The use of the token with this number, as each process sees it. */
export function replayedToken(number: number): TokenUse {
  return { tokenKey: seededBytes(`replayed ${number}`, 32), now: 1, forgetAt: 2 };
}
