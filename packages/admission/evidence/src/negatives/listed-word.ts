import { createHash } from 'node:crypto';
import { canonicalJson, type Issue, type JsonValue } from '@colophon/json';
import { type NegativesPage, negativesPageIssues } from '@colophon/records';

/** Bytes above which a page is split; no word is longer. */
export const SPLIT_PAGE_BYTES = 256 * 1024;

/** A word as it stands in a page. */
export type ListedWord = {
  readonly kind: keyof NegativesPage;
  /** Hex, where it stands among all words: those of one share stand together. */
  readonly key: string;
  /** Its canonical JSON, and how long that is. */
  readonly text: string;
  readonly bytes: number;
};

/** @param name of the word among those of its share; hex */
export function listedWord(kind: keyof NegativesPage, share: string, word: object, name?: string): ListedWord {
  const text = Buffer.from(canonicalJson(word as JsonValue)).toString();
  return { kind, key: hashOf(share) + (name ?? hashOf(text)), text, bytes: Buffer.byteLength(text) };
}

/** Why no page can hold a word, as far as its form goes. */
export function wordIssues(kind: keyof NegativesPage, word: object): readonly Issue[] {
  return negativesPageIssues({ rejections: [], withdrawals: [], overflows: [], [kind]: [word] });
}

/** True where a page can hold a word. */
export function isListable({ kind, bytes }: ListedWord, word: object): boolean {
  return bytes <= SPLIT_PAGE_BYTES && wordIssues(kind, word).length === 0;
}

/** Hex SHA-256. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
