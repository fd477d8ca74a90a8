import type { Issue } from '@colophon/json';
import { STATEMENT_TYPE } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import type { Statement, Subject } from './statement.ts';
import { statementSchema } from './statement-schema.ts';

/**
 * Builds a Statement v1 about `subjects` (contract §2.3).
 *
 * @throws TypeError that names the path and code of every issue, where it would not be read back: no subject, a
 *   subject without digest or with one of the wrong length, a predicate with `issues`.
 */
export function createStatement<Predicate>(
  statement: { subjects: readonly Subject[]; predicateType: string; predicate: Predicate },
  issues: readonly Issue[] = [],
): Statement<Predicate> {
  const { subjects, predicateType, predicate } = statement;
  const built = { _type: STATEMENT_TYPE, subject: subjects, predicateType, predicate } as const;
  const all = [...checkRecord('statement', statementSchema, built, 'contract §2.3'), ...issues];
  if (all.length > 0) throw new TypeError(all.map(({ path, code }) => `${path}: ${code}`).join('; '));
  return built;
}
