import { normaliseVulnerabilityId } from '@colophon/findings';
import type { RemediationRecord } from '@colophon/records';
import { isJoined } from '@colophon/remediation-rules';
import type { RemediationNames } from '@colophon/store';
import { RemediationError } from './remediation-error.ts';

/** Shortest beginning of an id that is looked for. */
const LEAST_PREFIX = 4;
const LONGEST_NAME = 1000;
const SHOWN = 5;
/** Of ids of vulnerabilities: all of a year differ in their numbers. */
const MOST_DIFFERING = 2;

/** How a person may call a record: its id, the beginning of it, or its CVE (in whatever spelling). */
export function findRecords(reference: string, records: readonly RemediationRecord[]): readonly RemediationRecord[] {
  const text = reference.trim();
  const id = normaliseVulnerabilityId(text);
  const named = records.filter(({ cve, aliases }) => cve === id || aliases.includes(id));
  if (named.length > 0) return named;
  const prefix = text.toLowerCase();
  const byId = records.filter((record) => record.id.startsWith(prefix));
  return prefix.length >= LEAST_PREFIX ? byId : byId.filter((record) => record.id === prefix);
}

/** What a store is asked for to find them: never less than they are. */
export function namesOf(reference: string): RemediationNames {
  const text = reference.trim();
  // A pattern has a longest length in SQLite; nothing is called so.
  if (text.length > LONGEST_NAME) return { vulnerabilities: [] };
  const prefix = text.toLowerCase();
  const vulnerabilities = [normaliseVulnerabilityId(text)];
  return prefix.length >= LEAST_PREFIX ? { vulnerabilities, idPrefix: prefix } : { vulnerabilities };
}

/**
 * The one record that a reference means.
 * @throws RemediationError `remediation.record_unknown`, with near ones; `remediation.record_ambiguous`, with all
 */
export function theRecord(reference: string, records: readonly RemediationRecord[]): RemediationRecord {
  const called = findRecords(reference, records);
  // One that another one goes on with is meant only by its own id.
  const standing = called.filter((record) => !isJoined(record));
  const found = standing.length === 0 ? called : standing;
  const [first, ...more] = found;
  if (first === undefined) throw unknownRecord(reference, records);
  if (more.length === 0) return first;
  throw new RemediationError('remediation.record_ambiguous', `${reference} is ${found.length} records`, {
    expected: 'the id of one, or enough of its beginning',
    found: shown(found),
    next: 'colophon remediation list',
  });
}

/** Nothing is known by this name; what comes near is. */
export function unknownRecord(reference: string, records: readonly RemediationRecord[]): RemediationError {
  const text = normaliseVulnerabilityId(reference.trim());
  const near = records.filter(
    ({ id, cve }) => common(id, text.toLowerCase()) >= LEAST_PREFIX - 1 || differing(cve, text) <= MOST_DIFFERING,
  );
  return new RemediationError('remediation.record_unknown', `no record is known as ${reference}`, {
    expected: `an id, at least ${LEAST_PREFIX} characters of its beginning, or a CVE`,
    found:
      near.length === 0
        ? `${records.length} other record${records.length === 1 ? '' : 's'}`
        : `near it: ${shown(near)}`,
    next: 'colophon remediation list',
  });
}

function shown(records: readonly RemediationRecord[]): string {
  const names = records
    .slice(0, SHOWN)
    .map(({ id, cve, component, product }) => `${id.slice(0, 12)} (${cve} in ${component} of ${product})`);
  return `${names.join(', ')}${records.length > SHOWN ? `, and ${records.length - SHOWN} more` : ''}`;
}

/** Characters from the first to the last in which two texts differ: 1 for a wrong or lost one, 2 for two exchanged. */
function differing(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  const start = common(a, b);
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - start - end;
}

function common(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
