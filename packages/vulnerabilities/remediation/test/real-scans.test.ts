import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assessFindings,
  enrichFindings,
  type KnownExploitedCatalog,
  parseCatalog,
  scanRecord,
} from '@colophon/findings';
import { digestOf, type RemediationRecord, type ScanRecord } from '@colophon/records';
import {
  DEFAULT_REMEDIATION_POLICY,
  type OpeningContext,
  openRecords,
  parseRemediationRecord,
} from '@colophon/remediation-rules';
import { readScannerOutput } from '@colophon/scanners';
import { describe, expect, test } from 'vitest';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const AT = '2026-11-21T00:00:00Z';

const folders = existsSync(DATA) ? readdirSync(DATA).filter((name) => name.startsWith('scan-')) : [];
const filesOf = (folder: string) => readdirSync(join(DATA, folder)).map((name) => join(DATA, folder, name));

function scansIn(file: string): ScanRecord[] {
  const bytes = readFileSync(file);
  const read = readScannerOutput(bytes);
  if (!read.ok) return [];
  const source = { name: 'scan.json', digest: digestOf(bytes) };
  return read.value.map((reading) => scanRecord(reading, assessFindings([reading], { at: AT }).findings, source));
}

function catalog(): KnownExploitedCatalog {
  const file = filesOf('kev').find((name) => name.endsWith('.json') && !name.includes('schema'))!;
  const parsed = parseCatalog(readFileSync(file));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues.slice(0, 3)));
  return parsed.value;
}

function opening(scan: ScanRecord, known: readonly RemediationRecord[], exploited: KnownExploitedCatalog) {
  const context: OpeningContext = {
    at: AT,
    by: 'colophon',
    product: 'real',
    scan: { record: scan, digest: scan.source.digest, name: scan.source.name },
    catalogVersion: exploited.catalogVersion,
    policy: DEFAULT_REMEDIATION_POLICY,
    known,
  };
  const opened = openRecords(enrichFindings(scan.findings, exploited, { at: AT }), context);
  if (!opened.ok) throw new Error(JSON.stringify(opened.issues));
  return opened.value;
}

// Without the data there is still a suite here, whose test is skipped: a file without any counts as failed.
describe.each(folders.length === 0 ? ['scan-*'] : folders)('%s', (folder) => {
  test.skipIf(folders.length === 0)(
    'every finding of every real output leads to one record, whose history says what it is',
    () => {
      const exploited = catalog();
      for (const scan of filesOf(folder).flatMap(scansIn)) {
        const { opened } = opening(scan, [], exploited);
        expect(new Set(opened.map(({ id }) => id)).size).toBe(opened.length);
        expect(opened.length > 0).toBe(scan.findings.length > 0);
        for (const record of opened) expect(parseRemediationRecord(record)).toEqual({ ok: true, value: record });
        const again = opening(scan, opened, exploited);
        expect([again.opened, again.reopened, again.updated]).toEqual([[], [], []]);
        expect(again.unchanged).toHaveLength(opened.length);
      }
    },
  );
});
