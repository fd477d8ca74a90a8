import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeFileDurably } from '@colophon/durable-file';
import { isJsonObject, parseStrictJson } from '@colophon/json';
import type { JournalEntry, RunJournal } from '@colophon/witness';

/** A journal with a file for each open run; what is in a file that cannot be read is told, and left. */
export function openRunJournal(folder: string, onUnreadable: (file: string) => void): RunJournal {
  makeFolder(folder, 0o700);
  const fileOf = (runId: string) => join(folder, `${runId}.json`);
  return {
    opened: (entry) => writeFileDurably(fileOf(entry.opening.runId), JSON.stringify(entry), 0o600),
    ended: (runId) => rmSync(fileOf(runId), { force: true }),
    entries: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => {
          const entry = entryIn(readFileSync(join(folder, name)));
          if (entry === undefined) onUnreadable(join(folder, name));
          return entry ?? [];
        }),
  };
}

function entryIn(bytes: Uint8Array): JournalEntry | undefined {
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok || !isJsonObject(parsed.value) || !isJsonObject(parsed.value['opening'] ?? null)) return undefined;
  const entry = parsed.value as unknown as JournalEntry;
  const { runId, agentName, agentVersion, policyPackHash, startedAt } = entry.opening;
  const texts = [runId, agentName, agentVersion, policyPackHash, entry.caller, entry.tokenHash];
  return texts.every((text) => typeof text === 'string') && Number.isSafeInteger(startedAt) ? entry : undefined;
}
