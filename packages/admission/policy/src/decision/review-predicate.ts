import { isTimestamp } from '@colophon/notation';
import { isEmailAddress, parseAgentReview } from '@colophon/records';
import type { AdmissionProfile } from '../policy/policy.ts';
import { type Finding, shown } from './reason.ts';

/** What a review says, as far as a decision looks at it; each field is there only when it is of its type. */
export type ReviewPredicate = {
  readonly human_reviewer?: string;
  readonly review_timestamp?: string;
  readonly commit_sha?: string;
  readonly review_duration_seconds?: number;
  readonly findings: readonly Finding[];
};

type Field = 'reviewer' | 'timestamp';

/** Nothing to see: spaces of any kind, control and format characters, also those of no width. */
const BLANK = /^[\p{C}\p{Z}]*$/u;

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
  const timestamp: unknown = fields.get('review_timestamp');
  const duration: unknown = fields.get('review_duration_seconds');
  const commit: unknown = fields.get('commit_sha');
  const hasDuration = typeof duration === 'number' && Number.isFinite(duration) && duration >= 0;
  if (profile === 'strict') findings.push(...checkOthers(predicate));
  return {
    ...(typeof reviewer === 'string' ? { human_reviewer: reviewer } : {}),
    ...(typeof timestamp === 'string' && isTimestamp(timestamp) ? { review_timestamp: timestamp } : {}),
    ...(typeof commit === 'string' ? { commit_sha: commit } : {}),
    ...(hasDuration ? { review_duration_seconds: duration } : {}),
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
  if (BLANK.test(value)) return [{ code: `admission.${field}_blank`, message: `${name} is blank.`, expected }];
  if (isGood(value)) return [];
  return [
    { code: `admission.${field}_malformed`, message: `${name} is not ${expected}.`, expected, found: shown(value) },
  ];
}

/** Everything else that a review may hold, by its own parser. */
function checkOthers(predicate: unknown): Finding[] {
  const parsed = parseAgentReview(predicate);
  if (parsed.ok) return [];
  return parsed.issues
    .filter(({ path }) => !['', '/human_reviewer', '/review_timestamp'].includes(path))
    .map(({ path, message, expected }) => {
      const finding = { code: 'admission.predicate_malformed', message: `${path} of the review: ${message}` } as const;
      return expected === undefined ? finding : { ...finding, expected };
    });
}
