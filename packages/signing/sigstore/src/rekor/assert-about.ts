import { isJsonObject, type JsonValue } from '@colophon/json';
import { parseHexDigest } from '@colophon/notation';
import { LogError } from './log-error.ts';
import type { LoggedEntry } from './log-result.ts';

/**
 * Holds where an entry that a search for a digest led to has that digest, or cannot say: a log's index is not proven, and
 * may lead to an entry about something else. Of an envelope the log keeps the hash alone.
 * @param digest as LogClient.searchByDigest takes it
 * @throws LogError `log.entry_mismatch`
 */
export function assertAbout({ kind, body }: Pick<LoggedEntry, 'kind' | 'body'>, digest: string): void {
  if (kind !== 'hashedrekord') return;
  const hash = memberOf(memberOf(memberOf(body, 'spec'), 'data'), 'hash');
  const asked = parseHexDigest(digest.toLowerCase());
  if (memberOf(hash, 'algorithm') === asked?.algorithm && memberOf(hash, 'value') === asked?.hex) return;
  throw new LogError('log.entry_mismatch', 'the log answered with an entry about something else');
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
