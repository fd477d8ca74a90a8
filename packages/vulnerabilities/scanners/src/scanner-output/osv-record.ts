import type { StatedScore } from '@colophon/findings';
import { listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import { statedScore } from './stated-score.ts';

/** Every id that an OSV record has for its vulnerability. */
export function osvIds(record: Members): string[] {
  return [...[textOf(record['id'])].filter((id) => id !== undefined), ...textsOf(record['aliases'])];
}

/** The vectors of an OSV record, of the whole and of what it affects; the `score` of OSV is a vector. */
export function osvScores(record: Members): StatedScore[] {
  const source = textOf(record['id'])?.split('-', 1)[0]?.toLowerCase();
  const parts = [record, ...listOf(record['affected']).map(objectOf)];
  const listed = parts.flatMap(({ severity }) => listOf(severity).map((entry) => objectOf(entry)['score']));
  // RustSec's records have their vector here, and for long nowhere else.
  const own = parts.map(({ database_specific: more }) => objectOf(more)['cvss']);
  const vectors = [...listed, ...own.map((cvss) => objectOf(cvss)['vectorString'] ?? cvss)];
  return [...new Set(vectors)].flatMap((vector) => statedScore(vector, undefined, source));
}

/** In one word, where the database has one. */
export function osvSeverity(record: Members): string | undefined {
  const { severity } = objectOf(record['database_specific']);
  // Distributions have words of their own among the vectors, each under its own type; and some change the record by
  // hand and put one in the place of the list.
  const words = listOf(record['severity'])
    .map(objectOf)
    .filter(({ type }) => textOf(type)?.startsWith('CVSS') === false)
    .map(({ score }) => textOf(score));
  return textOf(severity) ?? words.find((word) => word !== undefined) ?? textOf(record['severity']);
}

/** The short text before the long one. */
export function osvDescription(record: Members): string | undefined {
  return textOf(record['summary']) ?? textOf(record['details']);
}

/** Why nobody counts the record any more. */
export function osvWithdrawn(record: Members): string | undefined {
  const withdrawn = textOf(record['withdrawn']);
  return withdrawn === undefined ? undefined : `withdrawn: ${withdrawn}`;
}
