import { createHash } from 'node:crypto';
import type { NegativesList } from '@colophon/admission';

const hashes = new WeakMap<NegativesList, string>();

/** Hex SHA-256 of what a list says: the same however often it is signed again, with whatever sequence. */
export function wordsHash(list: NegativesList): string {
  const known = hashes.get(list) ?? hashOf(list);
  hashes.set(list, known);
  return known;
}

/** Word by word: the text of a long list may be longer than a string can be. */
function hashOf({ rejections, withdrawals, overflows = [] }: NegativesList): string {
  const hash = createHash('sha256').update(`${rejections.length} ${withdrawals.length}`);
  for (const word of [...rejections, ...withdrawals, ...overflows]) hash.update(`\n${JSON.stringify(word)}`);
  return hash.digest('hex');
}
