import { parseCatalog } from '@colophon/findings';
import { findFaults, type Issue } from '@colophon/json';
import { dayOf } from '@colophon/notation';
import {
  digestOf,
  type EvidenceReference,
  type NotedInput,
  type QuarterlyReport,
  quarterlyReportSchema,
  type RemediationRecord,
  type ReportNotes,
} from '@colophon/records';
import {
  type CatalogInReport,
  catalogFileName,
  countReport,
  differencesOf,
  documentsOf,
  evidenceOf,
  FILE_LIST_FORMAT,
  type FileList,
  fileListName,
  notesDifferences,
  notesFileName,
  type ReportBasis,
  type ReportDetails,
  type ReportDifference,
  reportNotes,
  uncountedFileName,
} from '@colophon/remediation-rules';
import { auditReport } from '../report-audit/report-audit.ts';
import { CHECKSUMS } from '../report-folder/checksums.ts';
import type { ReportFolder } from '../report-folder/read-report-folder.ts';
import { isMadeFile, type NamedDocuments, pageDifferences } from './pages-again.ts';
import { detailsOf, parsedPeriod, parseRecords } from './report-records.ts';

/** An error with its code, and with what a person needs to see beside it. */
type ToldError = Error & { readonly code: string; readonly facts?: { readonly issues?: readonly Issue[] } };

/** What follows from the records of a report, compared with the report. */
export type Counted = {
  readonly records: number;
  /** The records whose every document is there. */
  readonly shown: readonly RemediationRecord[];
  /** Those set aside whose signature is there. */
  readonly voided: readonly RemediationRecord[];
  readonly differences: readonly ReportDifference[];
  /** In which the pages for people are not those that follow from the folder; undefined where none can be made. */
  readonly pages?: readonly ReportDifference[];
  /** Files of which nothing but the digest was looked at. */
  readonly unread: readonly string[];
  /** As they follow from the folder; undefined where nothing can be counted. */
  readonly notes?: ReportNotes;
};

/**
 * Everything that follows from the records; where nothing can be counted from them, that is what differs.
 * @param version of the program, which makes the pages again
 */
export async function countAgain(folder: ReportFolder, basis: ReportBasis, version: string): Promise<Counted> {
  try {
    const report = await folder.json<QuarterlyReport>(basis.report);
    const artifacts = await artifactDifferences(report, basis, folder);
    if (artifacts === undefined) {
      const expected = 'the fields of the contract';
      return uncountable({ path: basis.report, expected, found: 'artifacts that are none' });
    }
    return await countFolder(folder, basis, report, artifacts, version);
  } catch (error) {
    if (!folder.isOf(error)) throw error;
    const { code, message, facts } = error as ToldError;
    const [first] = facts?.issues ?? [];
    const found = first === undefined ? message : `${first.path ?? ''} ${first.message} [${first.code}]`;
    return uncountable({ path: code, expected: 'what the report can be counted from', found });
  }
}

function uncountable(facts: Omit<ReportDifference, 'code'>): Counted {
  return { records: 0, shown: [], voided: [], unread: [], differences: [{ code: 'report.uncountable', ...facts }] };
}

async function countFolder(
  folder: ReportFolder,
  basis: ReportBasis,
  report: QuarterlyReport,
  artifacts: readonly ReportDifference[],
  version: string,
): Promise<Counted> {
  const records = parseRecords(await folder.bytes(basis.remediation_records), basis.remediation_records);
  const beside = uncountedFileName(basis.period);
  const uncounted = folder.has(beside) ? parseRecords(await folder.bytes(beside), beside) : [];
  const all = [...records, ...uncounted];
  const details = detailsAgain(basis, all);
  const counted = countReport(details, report.artifacts);
  const named = await namedDocuments(folder, report);
  const scans = scansOf(folder, named, details.records);
  const audit = await auditReport({
    records: details.records,
    all,
    scans,
    source: async (digest) => {
      const name = folder.nameOf(digest);
      return name === undefined || !folder.has(name) ? undefined : { name, bytes: await folder.bytes(name) };
    },
    ...(basis.product !== null && { product: basis.product }),
  });
  const { catalog, found, differences: unreadable } = await notedAs(folder, basis);
  const { closings, listings } = audit;
  const inputs = inputsOf(folder, basis, named);
  const notes = reportNotes({ details, uncounted, closings, listings, catalog, inputs });
  const isThere = ({ digest }: { readonly digest: string }) => folder.has(folder.nameOf(digest) ?? '');
  const setAside = details.voided.map((record) => ({ record, documents: documentsOf({ ...record, evidence: [] }) }));
  const counts = details.records.map((record) => ({ record, documents: documentsOf(record) }));
  const shown = (some: typeof counts) =>
    some.filter(({ documents }) => documents.every(isThere)).map(({ record }) => record);
  const pages = await pageDifferences(folder, basis, { details, report: counted, notes, named, version });
  const documents = [...counts, ...setAside].flatMap((one) => one.documents);
  return {
    records: records.length,
    notes,
    pages,
    shown: shown(counts),
    voided: shown(setAside),
    unread: unreadFiles(folder, basis, [...documents, ...scans]),
    differences: [
      ...artifacts,
      ...differencesOf(counted, report, 'report.figure_differs'),
      ...basisDifferences(basis, details, records),
      ...evidenceDifferences(documents, folder, named),
      ...(found === undefined
        ? [noteMissing(notesFileName(basis.period))]
        : notesDifferences(notes, found, notesFileName(basis.period))),
      ...unreadable,
      ...audit.differences,
      ...pages,
    ],
  };
}

/** Every file that the report names is there and listed; undefined where it names them in no form that can be read. */
async function artifactDifferences(
  { artifacts }: QuarterlyReport,
  basis: ReportBasis,
  folder: ReportFolder,
): Promise<ReportDifference[] | undefined> {
  if (!areArtifacts(artifacts)) return undefined;
  const { sbom, vulnerability_scan, vex_documents, remediation_records } = artifacts;
  const listed = new Set(folder.checksums.map(({ name }) => name));
  const named: ReadonlyArray<readonly [field: string, name: string]> = [
    ['artifacts.sbom', sbom],
    ['artifacts.vulnerability_scan', vulnerability_scan],
    ...vex_documents.map((name) => ['artifacts.vex_documents', name] as const),
    ['artifacts.remediation_records', remediation_records],
  ];
  const found = named.flatMap(([path, name]): ReportDifference[] => {
    if (folder.has(name) && listed.has(name)) return [];
    const expected = `a file of the folder that ${CHECKSUMS} lists`;
    return [{ code: 'report.artifact_missing', path, expected, found: name }];
  });
  if (found.length > 0) return found;
  const lists = await Promise.all([
    listDifferences('sbom', sbom, folder),
    listDifferences('scan', vulnerability_scan, folder),
  ]);
  const records = basis.remediation_records;
  const path = 'artifacts.remediation_records';
  const isOther = records !== remediation_records;
  return [
    ...lists.flat(),
    ...(isOther
      ? [{ code: 'report.artifact_differs', path, expected: records, found: remediation_records } as const]
      : []),
  ];
}

const ARTIFACTS_READING = {
  schema: quarterlyReportSchema.properties.artifacts,
  order: 'declared',
  // A name of another form is no file of the folder, and is told by that.
  compilePattern: () => ({ test: () => true }),
} as const;

/** True where every file is named by text. A member more is told as a figure that differs, like any other of the report. */
function areArtifacts(value: unknown): boolean {
  const [fault] = findFaults(value, 1, ARTIFACTS_READING).faults;
  return fault === undefined || fault.rule === 'unknown';
}

type ListedFile = Partial<FileList['files'][number]> | null;

/** The files that a list stands for; undefined where the name is that of a document itself. */
async function listedFiles(
  kind: FileList['kind'],
  name: string,
  folder: ReportFolder,
): Promise<readonly ListedFile[] | 'no list' | undefined> {
  const basis = await folder.basis();
  if (name !== fileListName(kind, basis.period)) return undefined;
  const list = await folder.json<Partial<FileList>>(name);
  const isList = list.format === FILE_LIST_FORMAT && list.kind === kind && Array.isArray(list.files);
  return isList ? list.files! : 'no list';
}

/** Every file that a list of several names is there too. */
async function listDifferences(
  kind: FileList['kind'],
  name: string,
  folder: ReportFolder,
): Promise<ReportDifference[]> {
  const differs = (expected: string, found: string): ReportDifference => {
    return { code: 'report.artifact_differs', path: name, expected, found };
  };
  const files = await listedFiles(kind, name, folder);
  if (files === undefined) return [];
  if (files === 'no list') return [differs(`a list of files of kind ${kind}`, 'another document')];
  return files.flatMap((file) => {
    const found = folder.nameOf(String(file?.digest));
    return found !== undefined && found === file?.name
      ? []
      : [differs(`${file?.name} ${file?.digest}`, found ?? 'no such file')];
  });
}

function detailsAgain(basis: ReportBasis, records: readonly RemediationRecord[]): ReportDetails {
  const period = parsedPeriod(basis.period);
  const request = { period, asOf: basis.as_of, ...(basis.product !== null && { product: basis.product }) };
  return detailsOf(records, request, basis.remediation_records);
}

/** What the basis says of the records, against what they are. */
function basisDifferences(
  basis: ReportBasis,
  details: ReportDetails,
  records: readonly RemediationRecord[],
): ReportDifference[] {
  const differences: ReportDifference[] = [];
  if (details.asOf !== basis.as_of) {
    differences.push({ code: 'report.basis_differs', path: 'as_of', expected: details.asOf, found: basis.as_of });
  }
  const counted = new Set(details.records.map(({ id }) => id));
  if (records.length !== counted.size || records.some(({ id }) => !counted.has(id))) {
    const expected = `${details.records.length} records of the period`;
    const path = basis.remediation_records;
    differences.push({ code: 'report.record_stray', path, expected, found: `${records.length}` });
  }
  return differences;
}

/** Every document that a record rests on is there, and is named where the report names its kind. */
function evidenceDifferences(
  documents: readonly EvidenceReference[],
  folder: ReportFolder,
  named: NamedDocuments,
): ReportDifference[] {
  const references = new Map(documents.map((one) => [`${one.kind} ${one.digest}`, one] as const));
  return [...references.values()].flatMap(({ kind, digest, name }): ReportDifference[] => {
    const file = folder.nameOf(digest);
    if (file === undefined) {
      const path = `${kind} ${name}`;
      return [{ code: 'report.document_missing', path, expected: digest, found: 'no such file' }];
    }
    if (kind === 'signature') return [];
    const path = FIELD_OF_KIND[kind];
    return named[kind].has(file) ? [] : [{ code: 'report.artifact_differs', path, expected: file, found: 'not named' }];
  });
}

const FIELD_OF_KIND = {
  sbom: 'artifacts.sbom',
  scan: 'artifacts.vulnerability_scan',
  vex: 'artifacts.vex_documents',
} as const;

async function namedDocuments(folder: ReportFolder, { artifacts }: QuarterlyReport): Promise<NamedDocuments> {
  const namesIn = async (kind: FileList['kind'], name: string) => {
    const files = await listedFiles(kind, name, folder);
    return files === undefined || files === 'no list' ? [name] : files.flatMap((file) => file?.name ?? []);
  };
  return {
    sbom: new Set(await namesIn('sbom', artifacts.sbom)),
    scan: new Set(await namesIn('scan', artifacts.vulnerability_scan)),
    vex: new Set(artifacts.vex_documents),
  };
}

/** Every scan that the report names, and every one that a record rests on. */
function scansOf(
  { checksums }: ReportFolder,
  { scan }: NamedDocuments,
  records: readonly RemediationRecord[],
): { readonly name: string; readonly digest: string }[] {
  const restedOn = new Set(records.flatMap((record) => evidenceOf(record, 'scan')));
  return checksums.filter(({ name, digest }) => scan.has(name) || restedOn.has(digest));
}

/** Everything that figures and notes follow from, but for the catalog: records, and each document that the report names. */
function inputsOf(folder: ReportFolder, basis: ReportBasis, { sbom, scan, vex }: NamedDocuments): NotedInput[] {
  const names = new Set([...sbom, ...scan, ...vex, basis.remediation_records, uncountedFileName(basis.period)]);
  return folder.checksums.flatMap(({ name, digest }) => (names.has(name) ? [{ file: name, digest }] : []));
}

/** Whatever the author laid beside the report: it is bound to the folder, and nobody says what is in it. */
function unreadFiles(
  folder: ReportFolder,
  basis: ReportBasis,
  read: ReadonlyArray<{ readonly digest: string }>,
): string[] {
  const digests = new Set(read.map(({ digest }) => digest));
  return folder.checksums.flatMap(({ name, digest }) => (digests.has(digest) || isMadeFile(name, basis) ? [] : [name]));
}

type Noted = {
  readonly catalog: CatalogInReport | undefined;
  readonly found: Partial<ReportNotes> | undefined;
  readonly differences: readonly ReportDifference[];
};

/** The notes as they lie there, and the catalog: of that, when its feed was asked is in the notes alone. */
async function notedAs(folder: ReportFolder, { period }: ReportBasis): Promise<Noted> {
  const name = notesFileName(period);
  const found = folder.has(name) ? await folder.json<Partial<ReportNotes>>(name) : undefined;
  const file = catalogFileName(period);
  const bytes = folder.has(file) ? await folder.bytes(file) : undefined;
  const read = bytes && parseCatalog(bytes);
  const said = found?.catalog?.checked_at;
  const checkedAt = typeof said === 'string' && dayOf(said) !== undefined ? said : null;
  const unread: ReportDifference = {
    code: 'report.document_unreadable',
    path: file,
    expected: 'a known-exploited catalog',
    found: 'another document',
  };
  return {
    found,
    catalog: bytes && read?.ok ? { catalog: read.value, digest: digestOf(bytes), checkedAt } : undefined,
    differences: read === undefined || read.ok ? [] : [unread],
  };
}

function noteMissing(path: string): ReportDifference {
  return { code: 'report.note_missing', path, expected: 'the notes on the report', found: 'no such file' };
}
