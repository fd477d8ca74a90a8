import type { EvidenceReference, RemediationRecord, ReportArtifacts } from '@colophon/records';
import type { ReportDetails } from './report-details.ts';

/** A document beside the report, under the name that it has there. */
export type ReportFile = {
  readonly name: string;
  /** `sha256:<hex>` */
  readonly digest: string;
  /** One document may be two things: a VDR is an SBOM and a scan. */
  readonly kinds: readonly EvidenceReference['kind'][];
};

/**
 * What one document is, sorted. Only a flag may call an SBOM, scan or VEX document a signature too, and nothing in the
 * folder would say so again.
 */
export function documentKinds(kinds: Iterable<EvidenceReference['kind']>): ReportFile['kinds'] {
  const all = [...new Set(kinds)].sort();
  const others = all.filter((kind) => kind !== 'signature');
  return others.length === 0 ? all : others;
}

/** A document that is made for the report, and not kept anywhere. */
export type MadeFile<Content = string> = { readonly name: string; readonly content: Content };

/** Everything that stands beside a report. */
export type ReportFiles = {
  readonly artifacts: ReportArtifacts;
  /** Sorted by name. */
  readonly evidence: readonly ReportFile[];
  readonly made: readonly MadeFile[];
};

/** What says how a report came about: with it and the records anybody can count again. */
export type ReportBasis = {
  readonly format: 'colophon-report-basis/v1';
  readonly period: string;
  /** The last day that counts. */
  readonly as_of: string;
  readonly product: string | null;
  readonly report: string;
  readonly remediation_records: string;
};

/** The `format` of a list of files. */
export const FILE_LIST_FORMAT = 'colophon-file-list/v1';

/** Several documents under one name: `artifacts.sbom` and `artifacts.vulnerability_scan` are one file name each. */
export type FileList = {
  readonly format: typeof FILE_LIST_FORMAT;
  readonly kind: 'sbom' | 'scan';
  readonly files: readonly { readonly name: string; readonly digest: string }[];
};

export function reportFileName(period: string): string {
  return `quarterly-report-${period}.json`;
}

export function basisFileName(period: string): string {
  return `report-basis-${period}.json`;
}

/** What the report's fields have no place for. */
export function notesFileName(period: string): string {
  return `report-notes-${period}.json`;
}

/** The records that are not counted, and answer what the scans list or were set aside. */
export function uncountedFileName(period: string): string {
  return `uncounted-records-${period}.json`;
}

/** The known-exploited catalog that the records were compared with. */
export function catalogFileName(period: string): string {
  return `known-exploited-catalog-${period}.json`;
}

/** The list that stands for several documents of a kind, or for none. */
export function fileListName(kind: FileList['kind'], period: string): string {
  return `${kind === 'sbom' ? 'sboms' : 'vulnerability-scans'}-${period}.json`;
}

/** Every document that a record rests on, the signature over the closed record too. */
export function documentsOf({ id, cve, evidence, closing_signature }: RemediationRecord): readonly EvidenceReference[] {
  if (closing_signature === null) return evidence;
  // Its name is the one under which it is kept: the record cannot name a signature over itself.
  const name = `${cve}-${id.slice(0, 8)}.sigstore.json`;
  return [...evidence, { kind: 'signature', digest: closing_signature.bundle, name }];
}

/**
 * The files that a report names, and what is in those that are made for it (contract §2.10 `artifacts`): every document
 * that one of its records rests on, and `more`, which the caller has beside.
 */
export function reportFiles(details: ReportDetails, more: readonly EvidenceReference[] = []): ReportFiles {
  const { period, asOf, product, records } = details;
  // Of what is set aside who signed it is shown, and not the scans that count for nothing.
  const signatures = details.voided.flatMap((record) => documentsOf({ ...record, evidence: [] }));
  const evidence = namedFiles([...records.flatMap(documentsOf), ...signatures, ...more], period.name);
  const sbom = fileOrList('sbom', fileListName('sbom', period.name), evidence);
  const scan = fileOrList('scan', fileListName('scan', period.name), evidence);
  const remediation_records = `remediation-records-${period.name}.json`;
  const basis: ReportBasis = {
    format: 'colophon-report-basis/v1',
    period: period.name,
    as_of: asOf,
    product: product ?? null,
    report: reportFileName(period.name),
    remediation_records,
  };
  return {
    artifacts: {
      sbom: sbom.name,
      vulnerability_scan: scan.name,
      vex_documents: evidence.flatMap(({ kinds, name }) => (kinds.includes('vex') ? [name] : [])),
      remediation_records,
    },
    evidence,
    made: [
      ...sbom.made,
      ...scan.made,
      { name: remediation_records, content: formatRecords(records) },
      { name: basisFileName(period.name), content: `${JSON.stringify(basis, null, 2)}\n` },
    ],
  };
}

/** What is made when the notes are: the notes, the records beside, and the catalog as it was fetched. */
export function noteFiles(
  period: string,
  notes: string,
  uncounted: readonly RemediationRecord[],
  catalog: Uint8Array | undefined,
): readonly MadeFile<string | Uint8Array>[] {
  return [
    { name: notesFileName(period), content: notes },
    { name: uncountedFileName(period), content: formatRecords(uncounted) },
    ...(catalog === undefined ? [] : [{ name: catalogFileName(period), content: catalog }]),
  ];
}

/** Names of everything that is made for a report beside the report itself and its pages. */
export function madeNames(period: string): readonly string[] {
  return [
    fileListName('sbom', period),
    fileListName('scan', period),
    `remediation-records-${period}.json`,
    basisFileName(period),
    notesFileName(period),
    uncountedFileName(period),
    catalogFileName(period),
  ];
}

/** Records as an array, a line each: a difference between two files shows which record it is in. */
export function formatRecords(records: readonly RemediationRecord[]): string {
  return records.length === 0 ? '[]\n' : `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}

function fileOrList(kind: 'sbom' | 'scan', listName: string, evidence: readonly ReportFile[]) {
  const files = evidence.filter(({ kinds }) => kinds.includes(kind));
  if (files.length === 1) return { name: files[0]!.name, made: [] };
  const list: FileList = {
    format: FILE_LIST_FORMAT,
    kind,
    files: files.map(({ name, digest }) => ({ name, digest })),
  };
  return { name: listName, made: [{ name: listName, content: `${JSON.stringify(list, null, 2)}\n` }] };
}

const LONGEST_NAME = 120;
/** Hex digits of the digest before a name that is taken: so many that nobody makes two documents with the same. */
const PREFIX_LENGTH = 32;
const PREFIXED = /^[0-9a-f]{32}-/i;

/** Each document once, by its digest, under a name that no other file of the folder has. */
function namedFiles(references: readonly EvidenceReference[], period: string): ReportFile[] {
  const byDigest = Map.groupBy(references, ({ digest }) => digest);
  const files = [...byDigest].map(([digest, same]) => ({
    digest,
    kinds: documentKinds(same.map(({ kind }) => kind)),
    name: safeName(same.map(({ name }) => name).sort()[0]!),
  }));
  // Some file systems take two names for one that differ in case alone.
  const owners = Map.groupBy(files, ({ name }) => name.toLowerCase());
  return files
    .map((file) => {
      const isTaken = owners.get(file.name.toLowerCase())!.length > 1 || isOurs(file.name, period);
      return isTaken
        ? { ...file, name: `${file.digest.replace(/^sha256:/, '').slice(0, PREFIX_LENGTH)}-${file.name}` }
        : file;
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names that mean the same to every shell, browser and file system, whatever somebody called a document. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9._+@-]+/g, '_')
    .slice(-LONGEST_NAME)
    .replace(/^[.-]+/, '')
    .replace(/\.+$/, '');
  if (plain === '') return 'document';
  // Windows opens a device under these, whatever stands behind their first dot.
  return DEVICE.test(plain) ? `_${plain}` : plain;
}

const DEVICE = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9])(?:\.|$)/i;

function isOurs(name: string, period: string): boolean {
  const ours = [
    'sha256sums',
    'quarterly-report-',
    'report-basis-',
    'remediation-records-',
    'report-notes-',
    'uncounted-records-',
    'known-exploited-catalog-',
    fileListName('sbom', period),
    fileListName('scan', period),
  ];
  return PREFIXED.test(name) || ours.some((one) => name.toLowerCase().startsWith(one.toLowerCase()));
}
