import {
  type AssessmentMemory,
  type AssessmentNote,
  type AssessmentOptions,
  assessFindings,
  assessFindingsList,
  isScanRecord,
  parseScanRecord,
  type ScannerReading,
  scanRecord,
} from '@colophon/findings';
import type { Issue } from '@colophon/json';
import type { ScannedSbom, ScanRecord } from '@colophon/records';
import { messagesOf, parseOutputDocument } from '../scanner-output/output-document.ts';
import { readOutputDocument } from '../scanner-output/read-scanner-output.ts';
import { digestOf } from './file-digest.ts';

/** What a file of findings does not say itself. */
export type ScanFileFacts = {
  readonly sbom?: ScannedSbom;
  /** RFC 3339; for outputs that do not say when the scanner looked. */
  readonly scannedAt?: string;
  /** RFC 3339; for outputs that do not say when the scanner's database was built. */
  readonly databaseBuiltAt?: string;
  /** RFC 3339; a publication after it is no publication. Default: now. */
  readonly at?: string;
  /** Of files that are read one after the other. */
  readonly memory?: AssessmentMemory;
};

/** What a file turned out to be. */
export type ScanFileKind = 'scanner output' | 'scan record' | 'findings';

/** One file with the scans in it; one output may be of several targets. */
export type ScanFile = {
  readonly kind: ScanFileKind;
  readonly scans: readonly ScanRecord[];
  readonly notes: readonly AssessmentNote[];
};

/** What belongs elsewhere, where it was given as a scan. */
export type ScanStranger = 'SBOM' | 'VEX' | 'catalog';

/** What was read, or every issue of a file that has no findings that can be read. */
export type ScanResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly stranger?: ScanStranger };

/** The scanner of an array of findings, which does not say whose they are. */
export const NO_SCANNER = 'findings';

/** A file of findings that was read as a document, and not yet as findings. */
export type OpenedScanFile = {
  readonly document: unknown;
  readonly source: ScanRecord['source'];
};

/**
 * A file of findings as a document; the bytes are gone afterwards.
 * @param name what the file is called in the scan's record
 */
export function openScanBytes(bytes: Uint8Array, name: string): ScanResult<OpenedScanFile> {
  const digest = digestOf(bytes);
  const document = parseOutputDocument(bytes, { isGivenAway: true });
  if (!document.ok) return document;
  return { ok: true, value: { document: listedFindings(document.value), source: { name, digest } } };
}

/** Members that others put a list of findings into. */
const LIST_MEMBERS = ['findings', 'vulnerabilities'];

/**
 * Findings as the array that they are otherwise: the contract shows one alone (§2.7), others write one on each line, or
 * the array into a member. What is none of these comes back as it is.
 */
function listedFindings(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || isScanRecord(document)) return document;
  const documents = messagesOf(document);
  if (looksLikeFindings(documents) || documents.every(isScanRecord)) return documents;
  const members = document as Readonly<Record<string, unknown>>;
  return LIST_MEMBERS.map((name) => members[name]).find(looksLikeFindings) ?? document;
}

/**
 * The scans in an opened file, told apart by content: the output of a scanner, our own records (one, or an array of them),
 * or an array of findings (contract §2.7), which are a scan of the scanner `findings`. What a record says of itself stays
 * as it is.
 */
export async function readScanDocument(
  { document, source }: OpenedScanFile,
  facts: ScanFileFacts,
): Promise<ScanResult<ScanFile>> {
  const place = { source, facts: { at: new Date().toISOString(), ...facts } };
  const records = Array.isArray(document) && document.length > 0 ? document : [document];
  if (records.every(isScanRecord)) return readRecords(records);
  if (looksLikeFindings(document)) return readFindingsList(document, place);
  return readOutput(document, place);
}

type Place = { readonly source: ScanRecord['source']; readonly facts: ScanFileFacts };

/** By the members that a finding has and no scanner's entry: an id and a component that is an object. */
export function looksLikeFindings(document: unknown): boolean {
  if (!Array.isArray(document)) return false;
  return document.slice(0, 100).some((entry: unknown) => {
    const { id, component } = (entry ?? {}) as { id?: unknown; component?: unknown };
    return typeof id === 'string' && typeof component === 'object' && component !== null;
  });
}

function readRecords(records: readonly unknown[]): ScanResult<ScanFile> {
  const parsed = records.map((record) => parseScanRecord(record));
  const issues = parsed.flatMap((one, index) =>
    one.ok
      ? []
      : one.issues.map((issue) => ({ ...issue, path: `${records.length > 1 ? `/${index}` : ''}${issue.path}` })),
  );
  if (issues.length > 0) return { ok: false, issues };
  const scans = parsed.flatMap((one) => (one.ok ? [one.value] : []));
  return { ok: true, value: { kind: 'scan record', scans, notes: [] } };
}

function readFindingsList(document: unknown, { source, facts }: Place): ScanResult<ScanFile> {
  const { findings, notes, issues } = assessFindingsList(document, optionsOf(facts));
  if (findings.length === 0 && issues.length > 0) return { ok: false, issues };
  const unread = issues.map(({ path, code, message }) => ({ path, code, message }));
  const reading = withFacts({ scanner: { name: NO_SCANNER }, unread }, facts);
  const scans = [scanRecord(reading, findings, source, facts.sbom)];
  return { ok: true, value: { kind: 'findings', scans, notes } };
}

async function readOutput(document: unknown, place: Place): Promise<ScanResult<ScanFile>> {
  const output = readOutputDocument(document);
  // Not awaited here: a caller that waits would hold the document in memory.
  if (output.ok) return assessOutput(output.value, place);
  const stranger = strangerOf(document);
  return { ok: false, issues: output.issues, ...(stranger === undefined ? {} : { stranger }) };
}

async function assessOutput(
  readings: readonly ScannerReading[],
  { source, facts }: Place,
): Promise<ScanResult<ScanFile>> {
  // Only when this has been waited for, nobody holds the document any more, which may have hundreds of megabytes.
  await Promise.resolve();
  const notes: AssessmentNote[] = [];
  const scans = readings.map((reading) => {
    const assessed = assessFindings([reading], optionsOf(facts));
    for (const note of assessed.notes) notes.push(note);
    return scanRecord(withFacts(reading, facts), assessed.findings, source, facts.sbom);
  });
  return { ok: true, value: { kind: 'scanner output', scans, notes } };
}

function optionsOf({ at, memory }: ScanFileFacts): AssessmentOptions {
  return { ...(at === undefined ? {} : { at }), ...(memory === undefined ? {} : { memory }) };
}

/** What the output says itself counts. */
function withFacts(
  { scanner, ...reading }: Omit<ScannerReading, 'reported'>,
  { scannedAt, databaseBuiltAt }: ScanFileFacts,
): Omit<ScannerReading, 'reported'> {
  return {
    ...(scannedAt === undefined ? {} : { scannedAt }),
    ...reading,
    scanner: { ...(databaseBuiltAt === undefined ? {} : { databaseBuiltAt }), ...scanner },
  };
}

/** What a document is that belongs elsewhere, by what it has at its root. */
function strangerOf(document: unknown): ScanStranger | undefined {
  const root = (document ?? {}) as Readonly<Record<string, unknown>>;
  if (root['bomFormat'] === 'CycloneDX') return 'SBOM';
  if (Array.isArray(root['statements'])) return 'VEX';
  return root['catalogVersion'] === undefined ? undefined : 'catalog';
}
