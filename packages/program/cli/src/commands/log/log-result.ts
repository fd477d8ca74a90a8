import { verifiedLog } from '@colophon/authority/result';
import {
  alsoHaving,
  count,
  digestHex,
  documentOf,
  flag,
  having,
  listOf,
  oneOf,
  orNull,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';
import { loggedEntry } from '@colophon/sigstore/result';

/** `colophon log search`. */
export const logSearchResult = resultOf('entries about one artifact', {
  entries: listOf('the oldest first', loggedEntry),
  more: flag('whether the log has more than were read'),
});
export type LogSearchResult = ResultOf<typeof logSearchResult>;

/** `colophon log get`. */
export const logGetResult = alsoHaving(resultOf('one log entry', loggedEntry.properties), {
  attestation: documentOf('the statement that the log keeps beside an intoto entry, held against its hash in the body'),
});
export type LogGetResult = ResultOf<typeof logGetResult>;

/** `colophon log verify`. */
export const logVerifyResult = resultOf('the logs of the data folder', {
  logs: listOf(
    'each of them, those that a restore froze first',
    alsoHaving(verifiedLog, { frozen_origin: string('name of a log that was frozen; absent where it is written') }),
  ),
});
export type LogVerifyResult = ResultOf<typeof logVerifyResult>;

/** `colophon log restore`. */
export const logRestoreResult = resultOf('logs that were begun in the place of others', {
  transparency_origin: string('name of the transparency log, the first line of its checkpoints'),
  certificate_origin: string('name of the certificate log, as its pins have it'),
  log_index: { ...count, description: 'index of the first entry, which says what is said here' },
  uuid: string('its id'),
  restored: listOf(
    'the logs that ended',
    having('one log that was frozen', {
      log: oneOf('which of the two', ['transparency', 'certificate']),
      origin: string('its name'),
      key_id: { ...digestHex, description: 'SHA-256 of its key, hex: its log id' },
      pinned_size: { ...count, description: 'entries that it had, by the largest checkpoint that is known' },
      pinned_root: orNull({ ...digestHex, description: 'root over them, hex; null where no checkpoint is known' }),
      kept_size: { ...count, description: 'entries that were left of it, and are still served' },
    }),
  ),
});
export type LogRestoreResult = ResultOf<typeof logRestoreResult>;
