import { basename } from 'node:path';
import { MAX_OUTPUT_BYTES, messagesOf, parseOutputDocument, readOutputDocument } from '@colophon/feeds';
import {
  AssessmentMemory,
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
import { digestOfBytes } from '../byte-digest/byte-digest.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { shellWord } from '../terminal/terminal.ts';
import { readScannedSbom } from './scanned-sbom.ts';

/** What a file of findings does not say itself. */
export type ScanFacts = {
  /** The SBOM that was scanned: a file. */
  readonly sbom?: string;
  /** RFC 3339; for outputs that do not say when the scanner looked. */
  readonly scannedAt?: string;
  /** RFC 3339; for outputs that do not say when the scanner's database was built. */
  readonly databaseBuiltAt?: string;
  /** RFC 3339; a publication after it is no publication. Default: now. */
  readonly at?: string;
};

/** What a file turned out to be. */
export type ScanFileKind = 'scanner output' | 'scan record' | 'findings';

/** One file with the scans in it; one output may be of several targets. */
export type ScanFile = {
  readonly file: string;
  readonly kind: ScanFileKind;
  readonly scans: readonly ScanRecord[];
  readonly notes: readonly AssessmentNote[];
};

/** As ScanFacts, with what the SBOM says of itself. */
type KnownFacts = Omit<ScanFacts, 'sbom'> & { readonly sbom?: ScannedSbom; readonly memory?: AssessmentMemory };

/** The scanner of an array of findings, which does not say whose they are. */
export const NO_SCANNER = 'findings';

/**
 * The scans in files, told apart by content: outputs of scanners, our own records (one, or an array of them), and arrays
 * of findings (contract §2.7), which are a scan of the scanner `findings`. One file may hold several scans. `-` is
 * standard input. What a record says of itself stays as it is.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`, `cli.sbom_invalid`, `cli.scan_invalid` (exit 20) with
 * every issue
 */
export async function readScans(files: readonly string[], facts: ScanFacts = {}): Promise<ScanRecord[]> {
  const known = await knownFacts(facts);
  const scans: ScanRecord[] = [];
  for (const file of files) {
    for (const scan of (await readScanFile(file, known)).scans) scans.push(scan);
  }
  return scans;
}

/** The facts with the SBOM read, for the files that `readScanFile` reads one after the other. */
export async function knownFacts({ sbom, ...facts }: ScanFacts): Promise<KnownFacts> {
  const memory = new AssessmentMemory();
  return { ...facts, memory, ...(sbom === undefined ? {} : { sbom: (await readScannedSbom(sbom)).sbom }) };
}

/** A file of findings that was read as a document, and not yet as findings. */
export type OpenedScanFile = {
  readonly file: string;
  readonly document: unknown;
  readonly source: ScanRecord['source'];
};

/** As `readScans`, of one file, with what was noticed on the way. */
export async function readScanFile(file: string, facts: KnownFacts): Promise<ScanFile> {
  return readScanDocument(await openScanFile(file), facts);
}

/** @throws CliError `cli.file_unreadable`, `cli.file_too_large`, `cli.scan_invalid` */
export async function openScanFile(file: string): Promise<OpenedScanFile> {
  return openScanBytes(await readBounded(file, MAX_OUTPUT_BYTES), file);
}

/** As `openScanFile`, of what a scanner has just written; the bytes are gone afterwards. */
export async function openScanBytes(bytes: Uint8Array, file: string): Promise<OpenedScanFile> {
  const digest = digestOfBytes(bytes);
  const document = parseOutputDocument(bytes, { isGivenAway: true });
  if (!document.ok) throw scanInvalid(file, document.issues);
  const source = { name: file === '-' ? 'standard input' : basename(file), digest };
  return { file, document: await listedFindings(document.value), source };
}

/** Members that others put a list of findings into. */
const LIST_MEMBERS = ['findings', 'vulnerabilities'];

/**
 * Findings as the array that they are otherwise: the contract shows one alone (§2.7), others write one on each line, or
 * the array into a member. What is none of these comes back as it is.
 */
async function listedFindings(document: unknown): Promise<unknown> {
  if (typeof document !== 'object' || document === null || isScanRecord(document)) return document;
  const documents = messagesOf(document);
  if (looksLikeFindings(documents) || documents.every(isScanRecord)) return documents;
  const members = document as Readonly<Record<string, unknown>>;
  return LIST_MEMBERS.map((name) => members[name]).find(looksLikeFindings) ?? document;
}

/** The scans in an opened file. @throws CliError `cli.scan_invalid` */
export async function readScanDocument(
  { file, document, source }: OpenedScanFile,
  facts: KnownFacts,
): Promise<ScanFile> {
  return readDocument(document, { file, source, facts: { at: new Date().toISOString(), ...facts } });
}

type Place = { readonly file: string; readonly source: ScanRecord['source']; readonly facts: KnownFacts };

async function readDocument(document: unknown, place: Place): Promise<ScanFile> {
  const records = Array.isArray(document) && document.length > 0 ? document : [document];
  if (records.every(isScanRecord)) return readRecords(records, place.file);
  if (looksLikeFindings(document)) return readFindingsList(document, place);
  return readOutput(document, place);
}

/** By the members that a finding has and no scanner's entry: an id and a component that is an object. */
export function looksLikeFindings(document: unknown): boolean {
  if (!Array.isArray(document)) return false;
  return document.slice(0, 100).some((entry: unknown) => {
    const { id, component } = (entry ?? {}) as { id?: unknown; component?: unknown };
    return typeof id === 'string' && typeof component === 'object' && component !== null;
  });
}

async function readRecords(records: readonly unknown[], file: string): Promise<ScanFile> {
  const parsed = records.map((record) => parseScanRecord(record));
  const issues = parsed.flatMap((one, index) =>
    one.ok
      ? []
      : one.issues.map((issue) => ({ ...issue, path: `${records.length > 1 ? `/${index}` : ''}${issue.path}` })),
  );
  if (issues.length > 0) throw scanInvalid(file, issues);
  return { file, kind: 'scan record', scans: parsed.flatMap((one) => (one.ok ? [one.value] : [])), notes: [] };
}

async function readFindingsList(document: unknown, { file, source, facts }: Place): Promise<ScanFile> {
  const { findings, notes, issues } = assessFindingsList(document, optionsOf(facts));
  if (findings.length === 0 && issues.length > 0) throw scanInvalid(file, issues);
  const unread = issues.map(({ path, code, message }) => ({ path, code, message }));
  const reading = withFacts({ scanner: { name: NO_SCANNER }, unread }, facts);
  return { file, kind: 'findings', scans: [scanRecord(reading, findings, source, facts.sbom)], notes };
}

async function readOutput(document: unknown, place: Place): Promise<ScanFile> {
  const output = readOutputDocument(document);
  if (!output.ok) throw scanInvalid(place.file, output.issues, nextOf(document, place.file));
  return assessOutput(output.value, place);
}

async function assessOutput(readings: readonly ScannerReading[], { file, source, facts }: Place): Promise<ScanFile> {
  // Only when this has been waited for, nobody holds the document any more, which may have hundreds of megabytes.
  await Promise.resolve();
  const notes: AssessmentNote[] = [];
  const scans = readings.map((reading) => {
    const assessed = assessFindings([reading], optionsOf(facts));
    for (const note of assessed.notes) notes.push(note);
    return scanRecord(withFacts(reading, facts), assessed.findings, source, facts.sbom);
  });
  return { file, kind: 'scanner output', scans, notes };
}

function optionsOf({ at, memory }: KnownFacts): AssessmentOptions {
  return { ...(at === undefined ? {} : { at }), ...(memory === undefined ? {} : { memory }) };
}

/** What the output says itself counts. */
function withFacts(
  { scanner, ...reading }: Omit<ScannerReading, 'reported'>,
  { scannedAt, databaseBuiltAt }: KnownFacts,
): Omit<ScannerReading, 'reported'> {
  return {
    ...(scannedAt === undefined ? {} : { scannedAt }),
    ...reading,
    scanner: { ...(databaseBuiltAt === undefined ? {} : { databaseBuiltAt }), ...scanner },
  };
}

/** Of a list that is wrong throughout, so many say enough. */
const MOST_ISSUES = 20;

/** The error of a file that is there and has no findings that can be read. */
export function scanInvalid(
  file: string,
  issues: readonly Issue[],
  next?: string,
  what = 'no findings that can be read',
): CliError {
  const [first] = issues;
  const message = `${file === '-' ? 'standard input' : file} has ${what}: ${first?.message ?? 'it is empty'}`;
  return new CliError('cli.scan_invalid', message, {
    checked: file,
    issues: issues.slice(0, MOST_ISSUES),
    ...(issues.length > MOST_ISSUES ? { found: `${issues.length} issues` } : {}),
    ...(next === undefined ? {} : { next }),
  });
}

/** What to do with a document that belongs elsewhere, by what it has at its root. */
function nextOf(document: unknown, file: string): string | undefined {
  const root = (document ?? {}) as Readonly<Record<string, unknown>>;
  if (file === '-') return undefined;
  if (root['bomFormat'] === 'CycloneDX') return `colophon scan run --sbom ${shellWord(file)}`;
  if (Array.isArray(root['statements'])) return `colophon vex apply ${shellWord(file)} --findings SCAN`;
  if (root['catalogVersion'] !== undefined) return `colophon kev enrich SCAN --kev ${shellWord(file)}`;
  return undefined;
}
