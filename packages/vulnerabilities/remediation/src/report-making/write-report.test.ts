import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, type RemediationRecord } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { notAffectedOn, recordOf } from '../../../remediation-rules/test/remediation-record.ts';
import { parsedPeriod } from '../recount/report-records.ts';
import { type GivenDocument, keptDocuments } from './kept-documents.ts';
import { type PreparedReport, prepareReport, type ReportSources } from './prepare-report.ts';
import { type ReportWriting, writeReport } from './write-report.ts';

const VEX: GivenDocument = { kind: 'vex', name: 'shop.vex.json', bytes: Buffer.from('{}') };
const BUNDLE: GivenDocument = { kind: 'signature', name: 'shop.vex.json.sigstore.json', bytes: Buffer.from('{ }') };
const referenceTo = ({ kind, name, bytes }: GivenDocument) => ({ kind, name, digest: digestOf(bytes) });
const RECORDS: readonly RemediationRecord[] = [
  recordOf(),
  notAffectedOn('2026-10-20', { cve: 'CVE-2026-1001', evidence: [VEX, BUNDLE].map(referenceTo) }),
];

/** A report of these records, as a console would make it: with the package alone. */
function prepared(more: Partial<ReportSources> = {}, given = [VEX, BUNDLE]): Promise<PreparedReport> {
  return prepareReport({
    period: parsedPeriod('2026-Q4'),
    asOf: '2026-11-20',
    now: '2026-11-20T12:00:00Z',
    records: RECORDS,
    source: 'the records',
    documents: keptDocuments(given, async () => undefined),
    show: () => {},
    ...more,
  });
}

/** Writes it, and answers with the folder, whether it is there or not. */
async function written(report: PreparedReport, more: Partial<ReportWriting> = {}) {
  const path = join(temporaryFolder(onTestFinished), 'report');
  const { signal } = new AbortController();
  const options = {
    path,
    version: '1.2.3',
    mayReplace: false,
    unwritable: (_path: string, cause: unknown) => cause,
    signal,
  };
  const error = await writeReport(report, { ...options, show: () => {}, ...more }).then(
    () => undefined,
    (one: unknown) => one,
  );
  return { path, error };
}

test('a report is one folder with every document that its records rest on', async () => {
  const report = await prepared();
  expect(report.report).toMatchObject({ total_cves_discovered: 2, artifacts: { vex_documents: ['shop.vex.json'] } });
  const { path } = await written(report);
  expect(readFileSync(join(path, 'shop.vex.json'), 'utf8')).toBe('{}');
  const listed = readFileSync(join(path, 'SHA256SUMS'), 'utf8').match(/\S+$/gm);
  expect(readdirSync(path).sort()).toEqual([...(listed ?? []), 'SHA256SUMS'].sort());
});

test('what whoever verifies it will refuse is known before it is written', async () => {
  const { differences, statements } = await prepared();
  expect(differences.map(({ code }) => code)).toContain('report.closing_unproven');
  expect(statements).toEqual([{ digest: referenceTo(VEX).digest, state: 'unchecked' }]);
});

test('the report is signed when all else is there, and the list of checksums after it', async () => {
  const signed: string[] = [];
  const steps: string[] = [];
  const { path } = await written(await prepared(), {
    show: (step) => steps.push(step),
    sign: async (name) => {
      signed.push(name);
      return Buffer.from(`over ${name}`);
    },
  });
  expect(signed).toEqual(['quarterly-report-2026-Q4.json', 'SHA256SUMS']);
  expect(steps.slice(-2)).toEqual(signed.map((name) => `signing ${name}`));
  for (const name of signed) expect(readFileSync(join(path, `${name}.sigstore.json`), 'utf8')).toBe(`over ${name}`);
});

test('where the signer fails or the signal says so, nothing is left behind', async () => {
  const failing = await written(await prepared(), { sign: () => Promise.reject(new Error('no log')) });
  expect(failing.error).toMatchObject({ message: 'no log' });
  const aborted = await written(await prepared(), { signal: AbortSignal.abort(new Error('enough')) });
  expect(aborted.error).toMatchObject({ message: 'enough' });
  for (const { path } of [failing, aborted]) {
    expect([existsSync(path), readdirSync(join(path, '..'))]).toEqual([false, []]);
  }
});

test('a document that nobody has is named, and nothing is signed or left behind', async () => {
  const sign = () => Promise.reject(new Error('signed'));
  const { path, error } = await written(await prepared({}, [BUNDLE]), { sign });
  expect(error).toMatchObject({
    code: 'report.document_not_kept',
    kind: 'not-found',
    facts: { checked: referenceTo(VEX).digest },
  });
  expect(existsSync(path)).toBe(false);
});

test('a product that no record is of is no product without findings', async () => {
  await expect(prepared({ product: 'shpo' })).rejects.toMatchObject({
    code: 'report.no_records',
    facts: { expected: 'shop' },
  });
});

test('a statement with a signature that does not hold is in no report', async () => {
  const verify = () => Promise.reject(Object.assign(new Error('no'), { code: 'artifact.mismatch' }));
  await expect(prepared({ verify })).rejects.toMatchObject({
    code: 'report.statement_signature_broken',
    facts: { checked: referenceTo(VEX).digest, found: 'artifact.mismatch' },
  });
});

test('a report of a day to come would call a quarter finished that is not: there is none', async () => {
  await expect(prepared({ asOf: '2026-11-21' })).rejects.toMatchObject({ code: 'report.day_invalid', kind: 'usage' });
  await expect(prepared({ asOf: '2026-11-20T23:59:59Z' })).resolves.toBeDefined();
});
