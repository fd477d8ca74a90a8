import { isEmailAddress, isTimestamp } from '@colophon/records';
import type { AdmissionProfile } from '../policy/policy.ts';
import { type Finding, shown } from './reason.ts';

/** What a review says, as far as a decision looks at it; each field is there only when it is of its type. */
export type ReviewPredicate = {
  readonly human_reviewer?: string;
  readonly commit_sha?: string;
  readonly review_duration_seconds?: number;
  readonly isRejection: boolean;
  readonly findings: readonly Finding[];
};

type Field = 'reviewer' | 'timestamp';

/**
 * Reads the predicate of an agent-review statement. Strict: a reviewer's e-mail address and a real time, and nothing
 * of a wrong type beside them. `spec`: both fields are text and not empty, and nothing else is looked at.
 * @see contract §2.4, §5.3
 */
export function readReviewPredicate(predicate: unknown, profile: AdmissionProfile): ReviewPredicate {
  const fields = new Map(typeof predicate === 'object' && predicate !== null ? Object.entries(predicate) : []);
  const findings = [
    ...checkText(fields, 'human_reviewer', 'reviewer', profile, isEmailAddress, 'an e-mail address'),
    ...checkText(fields, 'review_timestamp', 'timestamp', profile, isTimestamp, 'a time, RFC 3339 in UTC'),
  ];
  const reviewer: unknown = fields.get('human_reviewer');
  const duration: unknown = fields.get('review_duration_seconds');
  const commit: unknown = fields.get('commit_sha');
  const decision: unknown = fields.get('decision');
  const hasDuration = typeof duration === 'number' && Number.isFinite(duration) && duration >= 0;
  if (profile === 'strict') {
    if (fields.has('decision') && decision !== 'approved' && decision !== 'rejected') {
      findings.push(malformed('decision', 'approved or rejected', decision));
    }
    if (fields.has('commit_sha') && typeof commit !== 'string') {
      findings.push(malformed('commit_sha', 'a commit id', commit));
    }
    if (fields.has('review_duration_seconds') && !hasDuration) {
      findings.push(malformed('review_duration_seconds', 'seconds', duration));
    }
  }
  return {
    ...(typeof reviewer === 'string' ? { human_reviewer: reviewer } : {}),
    ...(typeof commit === 'string' ? { commit_sha: commit } : {}),
    ...(hasDuration ? { review_duration_seconds: duration } : {}),
    isRejection: profile === 'strict' && decision === 'rejected',
    findings,
  };
}

function checkText(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  field: Field,
  profile: AdmissionProfile,
  isGood: (text: string) => boolean,
  expected: string,
): Finding[] {
  const value = fields.get(name);
  if (!fields.has(name))
    return [{ code: `admission.${field}_missing`, message: `The review has no ${name}.`, expected }];
  if (value === null) return [{ code: `admission.${field}_null`, message: `${name} is null.`, expected }];
  if (typeof value !== 'string') {
    return [{ code: `admission.${field}_malformed`, message: `${name} is not text.`, expected, found: typeof value }];
  }
  if (value === '') return [{ code: `admission.${field}_empty`, message: `${name} is empty.`, expected }];
  if (profile === 'spec') return [];
  if (value.trim() === '') return [{ code: `admission.${field}_blank`, message: `${name} is blank.`, expected }];
  if (isGood(value)) return [];
  return [
    { code: `admission.${field}_malformed`, message: `${name} is not ${expected}.`, expected, found: shown(value) },
  ];
}

function malformed(field: string, expected: string, found: unknown): Finding {
  const text = typeof found === 'string' ? shown(found) : found === null ? 'null' : typeof found;
  return { code: 'admission.predicate_malformed', message: `${field} of the review is wrong.`, expected, found: text };
}
