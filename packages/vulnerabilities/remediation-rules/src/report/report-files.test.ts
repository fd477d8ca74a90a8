import type { EvidenceReference, RemediationRecord } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchedOn, recordOf } from '../../test/remediation-record.ts';
import { parsePeriod } from './period.ts';
import { type ReportDetails, reportDetails } from './report-details.ts';
import { documentKinds, formatRecords, type ReportFiles, reportFiles } from './report-files.ts';

const digest = (character: string) => `sha256:${character.repeat(64)}`;
const SBOM: EvidenceReference = { kind: 'sbom', digest: digest('a'), name: 'shop.cdx.json' };
const SCAN: EvidenceReference = { kind: 'scan', digest: digest('b'), name: 'scan.json' };
const VEX: EvidenceReference = { kind: 'vex', digest: digest('c'), name: 'shop.vex.json' };
const SIGNATURE: EvidenceReference = { kind: 'signature', digest: digest('d'), name: 'shop.vex.json.asc' };

function detailsOf(records: readonly RemediationRecord[], product?: string): ReportDetails {
  const period = parsePeriod('2026-Q4');
  const asked = { asOf: '2026-11-21', ...(product === undefined ? {} : { product }) };
  const details = period.ok ? reportDetails(records, { period: period.value, ...asked }) : expect.fail();
  return details.ok ? details.value : expect.fail();
}
const filesOf = (...evidence: EvidenceReference[]): ReportFiles =>
  reportFiles(detailsOf(evidence.map((one, index) => recordOf({ cve: `CVE-2026-${index}`, evidence: [one] }))));
const made = ({ made: files }: ReportFiles, name: string): string => files.find((file) => file.name === name)!.content;

test('one document of a kind is named itself, and every other document is kept beside it', () => {
  const files = filesOf(SBOM, SCAN, VEX, SIGNATURE, SBOM);
  expect(files.artifacts).toEqual({
    sbom: 'shop.cdx.json',
    vulnerability_scan: 'scan.json',
    vex_documents: ['shop.vex.json'],
    remediation_records: 'remediation-records-2026-Q4.json',
  });
  expect(files.evidence.map(({ name, kinds }) => `${kinds} ${name}`)).toEqual([
    'scan scan.json',
    'sbom shop.cdx.json',
    'vex shop.vex.json',
    'signature shop.vex.json.asc',
  ]);
  expect(files.made.map(({ name }) => name)).toEqual(['remediation-records-2026-Q4.json', 'report-basis-2026-Q4.json']);
});

test('several are named by a list with their digests', () => {
  const files = filesOf(SBOM, { ...SBOM, digest: digest('e'), name: 'shop-2.cdx.json' }, SCAN);
  expect(files.artifacts.sbom).toBe('sboms-2026-Q4.json');
  expect(JSON.parse(made(files, 'sboms-2026-Q4.json'))).toEqual({
    format: 'colophon-file-list/v1',
    kind: 'sbom',
    files: [
      { name: 'shop-2.cdx.json', digest: digest('e') },
      { name: 'shop.cdx.json', digest: digest('a') },
    ],
  });
});

test('none at all is a list of none: the field stays the name of a file that is there', () => {
  const files = reportFiles(detailsOf([]));
  expect(files.artifacts).toMatchObject({
    sbom: 'sboms-2026-Q4.json',
    vulnerability_scan: 'vulnerability-scans-2026-Q4.json',
  });
  expect(JSON.parse(made(files, 'vulnerability-scans-2026-Q4.json')).files).toEqual([]);
  expect(made(files, 'remediation-records-2026-Q4.json')).toBe('[]\n');
});

test('the signature over a closed record is kept beside it, under a name made from the record', () => {
  const closing_signature = { bundle: digest('f'), signer: 'reviewer:dana@example.com' };
  const files = reportFiles(
    detailsOf([patchedOn('2026-10-06', { id: '0123456789', closing_signature, evidence: [SBOM] })]),
  );
  expect(files.evidence.map(({ name, digest: one }) => `${name} ${one}`)).toEqual([
    `CVE-2026-1000-01234567.sigstore.json ${digest('f')}`,
    `shop.cdx.json ${digest('a')}`,
  ]);
});

test('what is given beside the records is named too', () => {
  expect(reportFiles(detailsOf([]), [SBOM, SCAN, VEX]).artifacts).toMatchObject({
    sbom: 'shop.cdx.json',
    vulnerability_scan: 'scan.json',
    vex_documents: ['shop.vex.json'],
  });
});

test('a document that is two things is one file', () => {
  const files = filesOf(SBOM, { ...SBOM, kind: 'scan', name: 'vdr.json' });
  expect(files.evidence).toEqual([{ name: 'shop.cdx.json', digest: digest('a'), kinds: ['sbom', 'scan'] }]);
  expect(files.artifacts.vulnerability_scan).toBe('shop.cdx.json');
});

test('the basis says what is needed to count again', () => {
  const basis = made(reportFiles(detailsOf([], 'shop')), 'report-basis-2026-Q4.json');
  expect(JSON.parse(basis)).toEqual({
    format: 'colophon-report-basis/v1',
    period: '2026-Q4',
    as_of: '2026-11-21',
    product: 'shop',
    report: 'quarterly-report-2026-Q4.json',
    remediation_records: 'remediation-records-2026-Q4.json',
  });
});

describe('names', () => {
  test('two documents of one name both get another', () => {
    const names = filesOf(SBOM, { ...SBOM, digest: digest('e'), name: 'SHOP.cdx.json' }).evidence.map(
      ({ name }) => name,
    );
    expect(names).toEqual([`${'a'.repeat(32)}-shop.cdx.json`, `${'e'.repeat(32)}-SHOP.cdx.json`]);
  });
  test.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['..', 'document'],
    ['', 'document'],
    ['.hidden', 'hidden'],
    ['-rf', 'rf'],
    ['a b\n<c>.json', 'a_b_c_.json'],
    ['C:\\scan.json', 'C_scan.json'],
    ['päckchen.json', 'p_ckchen.json'],
    ['NUL', '_NUL'],
    ['con.json', '_con.json'],
    ['-aux.', '_aux'],
    ['console.json', 'console.json'],
    ['scan.json...', 'scan.json'],
    ['SHA256SUMS', `${'a'.repeat(32)}-SHA256SUMS`],
    ['sha256sums.sigstore.json', `${'a'.repeat(32)}-sha256sums.sigstore.json`],
    ['quarterly-report-2026-Q4.html', `${'a'.repeat(32)}-quarterly-report-2026-Q4.html`],
    ['sboms-2026-Q4.json', `${'a'.repeat(32)}-sboms-2026-Q4.json`],
  ])('%j becomes %j', (name, expected) => {
    expect(filesOf({ ...SBOM, name }).evidence[0]?.name).toBe(expected);
  });
  test('whatever documents are called, every file has a name of its own that is a plain one', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'nul',
        'NUL.',
        '_nul',
        'a',
        'A',
        'a.json',
        '../a',
        'SHA256SUMS',
        'x'.repeat(500),
        '....',
        `${'0'.padEnd(32, 'f')}-a`,
      ),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 1e9 }), name), { selector: ([number]) => number }),
        (documents) => {
          const files = filesOf(
            ...documents.map(([number, called]) => ({
              ...SBOM,
              digest: `sha256:${String(number).padEnd(64, 'f')}`,
              name: called,
            })),
          );
          const all = [...files.evidence, ...files.made].map((file) => file.name);
          expect(new Set(all.map((one) => one.toLowerCase())).size).toBe(all.length);
          for (const one of all) expect(one).toMatch(/^[A-Za-z0-9_+@][A-Za-z0-9._+@-]{0,160}$/);
        },
      ),
    );
  });
});

test('records are an array with a line for each', () => {
  const records = [recordOf({ id: 'a' }), recordOf({ id: 'b', component: 'line\nbreak' })];
  expect(JSON.parse(formatRecords(records))).toEqual(records);
  expect(formatRecords(records).split('\n')).toHaveLength(5);
});

test('a document is a signature where it is nothing else', () => {
  expect(documentKinds(['vex', 'signature', 'sbom', 'vex'])).toEqual(['sbom', 'vex']);
  expect(documentKinds(['signature', 'signature'])).toEqual(['signature']);
  expect(documentKinds([])).toEqual([]);
});
