import { parseCatalog } from '@colophon/findings';
import type { RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import { patchedOn, recordOf } from '../../test/remediation-record.ts';
import { catalogNote } from './report-catalog.ts';

const CVE = 'CVE-2026-1000';

/** Ids of the records that a catalog of one entry contradicts. */
function denying(dateAdded: string, ...records: RemediationRecord[]): readonly string[] {
  const vulnerabilities = [{ cveID: CVE, dateAdded }];
  const feed = { catalogVersion: '2026.11.19', dateReleased: '2026-11-19T08:00:00Z', count: 1, vulnerabilities };
  const read = parseCatalog(Buffer.from(JSON.stringify(feed)));
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return catalogNote({ catalog: read.value, digest: 'sha256:00', checkedAt: null }, 'kev.json', records, '2026-11-20')
    .not_applied;
}

test('an open record says what the catalog says', () => {
  const hidden = recordOf({ cve: CVE });
  const made = recordOf({ cve: 'CVE-2026-2000', cisa_kev: true });
  expect(denying('2026-11-18', hidden, made, recordOf({ cve: CVE, cisa_kev: true }))).toEqual([hidden.id, made.id]);
});

test('a closed record cannot leave out what was in the catalog on the day it was closed', () => {
  const hidden = patchedOn('2026-10-20', { cve: CVE });
  expect(denying('2026-10-20', hidden, patchedOn('2026-10-20', { cve: CVE, cisa_kev: true }))).toEqual([hidden.id]);
  expect(denying('2026-10-21', hidden)).toEqual([]);
});

test('of a record that was set aside nothing is said', () => {
  const resolution = { kind: 'void' } as RemediationRecord['resolution'];
  expect(denying('2026-10-01', patchedOn('2026-10-20', { cve: CVE, resolution }))).toEqual([]);
});
