import { compileSubjectPattern } from '@colophon/policy-file/subject-pattern';
import { type Database, EvidenceStore } from '@colophon/store';
import { parseQuery } from '../query/parse-query.ts';
import type { QueryIssue } from '../query/query-issue.ts';
import { answerQuery, type QueryAnswer } from './query-answer.ts';

/** The answer to a question, or what is wrong with the question. */
export type QueryResult =
  | { readonly ok: true; readonly value: QueryAnswer }
  | { readonly ok: false; readonly issues: readonly [QueryIssue] };

/** Answers a question of docs/query.md from a store. */
export function answerQuestion(store: EvidenceStore, text: string): QueryResult {
  const parsed = parseQuery(text);
  return parsed.ok ? { ok: true, value: answerQuery(store, parsed.value) } : parsed;
}

/** The store in a database that another process writes, for questions alone. @throws StoreError */
export function openEvidenceReader(db: Database): EvidenceStore {
  return new EvidenceStore(db, { compileMatcher });
}

/** A pattern of `~`; one that cannot be read matches nothing. */
export function compileMatcher(pattern: string): (text: string) => boolean {
  const compiled = compileSubjectPattern(pattern);
  return compiled.ok ? compiled.matches : () => false;
}
