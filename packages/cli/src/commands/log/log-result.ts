import { verifiedLog } from '@colophon/authority/result';
import { flag, listOf, type ResultOf, resultOf } from '@colophon/records/result';
import { loggedEntry } from '@colophon/sigstore/result';

/** `colophon log search`. */
export const logSearchResult = resultOf('entries about one artifact', {
  entries: listOf('the oldest first', loggedEntry),
  more: flag('whether the log has more than were read'),
});
export type LogSearchResult = ResultOf<typeof logSearchResult>;

/** `colophon log get`. */
export const logGetResult = resultOf('one log entry', loggedEntry.properties);
export type LogGetResult = ResultOf<typeof logGetResult>;

/** `colophon log verify`. */
export const logVerifyResult = resultOf('the logs of the data folder', {
  logs: listOf('each of them', verifiedLog),
});
export type LogVerifyResult = ResultOf<typeof logVerifyResult>;
