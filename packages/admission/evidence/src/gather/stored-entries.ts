import { isSha256Hex } from '@colophon/notation';
import { queryEvidence } from '../client/evidence-client.ts';
import { EvidenceClientError } from '../client-error/client-error.ts';
import type { EntryRow } from '../evidence/query-result.ts';

const PAGE = 1000;
/** More than one document is about; a server that never ends is stopped there. */
const MOST_ENTRIES = 100_000;

/**
 * The ids of all entries of a set that meet a condition, however many answers it takes. Which of them count is not for
 * the server to say.
 * @throws EvidenceClientError `evidence.refused`, as queryEvidence
 */
export async function findEntries(
  server: string,
  set: 'runs' | 'entries',
  condition: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (let from = 0; ; ) {
    const question = `${set} where (${condition}) and log_entry.log_index >= ${from} order by log_entry.log_index limit ${PAGE}`;
    const { rows, more } = await queryEvidence(server, question);
    const page = (Array.isArray(rows) ? rows : []) as readonly EntryRow[];
    const before = found.size;
    for (const row of page) if (isId(row?.id)) found.add(row.id);
    if (more !== true) return [...found];
    const last = Number(page.at(-1)?.log_entry?.log_index);
    if (found.size === before || found.size > MOST_ENTRIES || !Number.isSafeInteger(last)) {
      throw new EvidenceClientError('evidence.refused', `the evidence store does not give all its ${set}`, {
        checked: server,
        expected: `at most ${MOST_ENTRIES} ${set}, in the order of the log; --commit and --where ask for fewer`,
      });
    }
    from = last;
  }
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && isSha256Hex(id);
}
