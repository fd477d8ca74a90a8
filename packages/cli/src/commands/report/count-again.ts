import type { FileList, QuarterlyReport, RemediationRecord, ReportBasis } from '@colophon/triage';
import { CliError } from '../../cli-error/cli-error.ts';
import { CHECKSUMS } from '../../report-folder/checksums.ts';
import type { ReportFolder } from '../../report-folder/read-report-folder.ts';
import { type Difference, differencesOf } from './report-differences.ts';
import { detailsOf, parsedPeriod, parseRecords } from './report-records.ts';

/** What follows from the records of a report, held against the report. */
export type Counted = {
  readonly records: number;
  /** The records whose every document is there. */
  readonly shown: readonly RemediationRecord[];
  readonly differences: readonly Difference[];
};

/** Everything that follows from the records; where nothing can be counted from them, that is what differs. */
export async function countAgain(folder: ReportFolder, basis: ReportBasis): Promise<Counted> {
  const { documentsOf } = await import('@colophon/triage');
  try {
    const report = await folder.json<QuarterlyReport>(basis.report);
    const artifacts = await artifactDifferences(report, basis, folder);
    if (artifacts === undefined) {
      const difference = {
        what: basis.report,
        expected: 'the fields of the contract',
        found: 'artifacts that are none',
      };
      return { records: 0, shown: [], differences: [difference] };
    }
    const records = await parseRecords(await folder.bytes(basis.remediation_records), basis.remediation_records);
    return {
      records: records.length,
      shown: records.filter((record) =>
        documentsOf(record).every(({ digest }) => folder.has(folder.nameOf(digest) ?? '')),
      ),
      differences: [
        ...artifacts,
        ...(await figureDifferences(basis, report, records)),
        ...(await evidenceDifferences(records, folder, report)),
      ],
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { code, message, facts } = error;
    const [first] = facts.issues ?? [];
    const found = first === undefined ? message : `${first.path ?? ''} ${first.message} [${first.code}]`;
    return {
      records: 0,
      shown: [],
      differences: [{ what: code, expected: 'what the report can be counted from', found }],
    };
  }
}

/** Every file that the report names is there and listed; undefined where it names them in no form that can be read. */
async function artifactDifferences(
  { artifacts }: QuarterlyReport,
  basis: ReportBasis,
  folder: ReportFolder,
): Promise<Difference[] | undefined> {
  const { isJsonObject } = await import('@colophon/records');
  if (!isJsonObject(artifacts)) return undefined;
  const { sbom, vulnerability_scan, vex_documents, remediation_records } = artifacts;
  if (!Array.isArray(vex_documents)) return undefined;
  const listed = new Set(folder.checksums.map(({ name }) => name));
  const named: ReadonlyArray<readonly [field: string, name: unknown]> = [
    ['artifacts.sbom', sbom],
    ['artifacts.vulnerability_scan', vulnerability_scan],
    ...vex_documents.map((name) => ['artifacts.vex_documents', name] as const),
    ['artifacts.remediation_records', remediation_records],
  ];
  const found = named.flatMap(([what, name]) =>
    typeof name === 'string' && folder.has(name) && listed.has(name)
      ? []
      : [{ what, expected: `a file of the folder that ${CHECKSUMS} lists`, found: String(name) }],
  );
  if (found.length > 0) return found;
  const lists = await Promise.all([
    listDifferences('sbom', sbom, folder),
    listDifferences('scan', vulnerability_scan, folder),
  ]);
  const records = basis.remediation_records;
  return [
    ...lists.flat(),
    ...(records === remediation_records
      ? []
      : [{ what: 'artifacts.remediation_records', expected: records, found: remediation_records }]),
  ];
}

/** Every file that a list of several names is there too. */
async function listDifferences(kind: FileList['kind'], name: string, folder: ReportFolder): Promise<Difference[]> {
  const { fileListName } = await import('@colophon/triage');
  const basis = await folder.basis();
  if (name !== fileListName(kind, basis.period)) return [];
  const list = await folder.json<Partial<FileList>>(name);
  if (list.kind !== kind || !Array.isArray(list.files)) {
    return [{ what: name, expected: `a list of files of kind ${kind}`, found: 'another document' }];
  }
  return list.files.flatMap((file: Partial<FileList['files'][number]> | null) => {
    const found = folder.nameOf(String(file?.digest));
    return found !== undefined && found === file?.name
      ? []
      : [{ what: name, expected: `${file?.name} ${file?.digest}`, found: found ?? 'no such file' }];
  });
}

/** The figures as they follow from the records, against those that the report has. */
async function figureDifferences(
  basis: ReportBasis,
  report: QuarterlyReport,
  records: readonly RemediationRecord[],
): Promise<Difference[]> {
  const { countReport } = await import('@colophon/triage');
  const period = await parsedPeriod(basis.period);
  const request = { period, asOf: basis.as_of, ...(basis.product !== null && { product: basis.product }) };
  const details = await detailsOf(records, request, basis.remediation_records);
  const stray = records.length - details.records.length;
  return [
    ...differencesOf(countReport(details, report.artifacts), report),
    ...(details.asOf === basis.as_of ? [] : [{ what: 'as_of', expected: details.asOf, found: basis.as_of }]),
    ...(stray === 0
      ? []
      : [
          {
            what: basis.remediation_records,
            expected: `${details.records.length} records of the period`,
            found: `${records.length}`,
          },
        ]),
  ];
}

/** Every document that a record rests on is there, and is named where the report names its kind. */
async function evidenceDifferences(
  records: readonly RemediationRecord[],
  folder: ReportFolder,
  { artifacts }: QuarterlyReport,
): Promise<Difference[]> {
  const { documentsOf } = await import('@colophon/triage');
  const vex = new Set(artifacts.vex_documents);
  const references = new Map(
    records.flatMap((record) => documentsOf(record).map((one) => [`${one.kind} ${one.digest}`, one] as const)),
  );
  return [...references.values()].flatMap(({ kind, digest, name }) => {
    const file = folder.nameOf(digest);
    if (file === undefined) return [{ what: `${kind} ${name}`, expected: digest, found: 'no such file' }];
    if (kind === 'vex' && !vex.has(file))
      return [{ what: 'artifacts.vex_documents', expected: file, found: 'not named' }];
    return [];
  });
}
