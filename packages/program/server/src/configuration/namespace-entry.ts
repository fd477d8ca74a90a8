import {
  EXPECTED_CLAIM_ARC,
  EXPECTED_PREDICATE_BASE,
  isClaimArc,
  isPredicateBase,
  type Namespace,
} from '@colophon/records/namespace';
import type { IssueNotes } from './configuration-issue.ts';
import type { ConfigurationFile } from './configuration-schema.ts';

/** Reads `predicateBase` and `claimArc`. */
export function readNamespace(
  { predicateBase, claimArc }: Pick<ConfigurationFile, 'predicateBase' | 'claimArc'>,
  notes: IssueNotes,
): Partial<Namespace> {
  const code = 'configuration.namespace_invalid';
  if (predicateBase !== undefined && !isPredicateBase(predicateBase)) {
    notes.note(['predicateBase'], code, 'no base of predicate types', EXPECTED_PREDICATE_BASE);
  }
  if (claimArc !== undefined && !isClaimArc(claimArc)) {
    notes.note(['claimArc'], code, 'no arc for claims', EXPECTED_CLAIM_ARC);
  }
  return {
    ...(predicateBase === undefined ? {} : { predicateBase }),
    ...(claimArc === undefined ? {} : { claimArc }),
  };
}
