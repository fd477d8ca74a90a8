import { basename } from 'node:path';
import { AssessmentMemory } from '@colophon/findings';
import type { Issue } from '@colophon/json';
import type { ScanRecord } from '@colophon/records';
import {
  MAX_OUTPUT_BYTES,
  type OpenedScanFile,
  openScanBytes,
  readScanDocument,
  type ScanFile,
  type ScanFileFacts,
  type ScanStranger,
} from '@colophon/scanners';
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

/** One file with the scans in it; one output may be of several targets. */
export type NamedScanFile = ScanFile & { readonly file: string };

/** As ScanFacts, with what the SBOM says of itself. */
type KnownFacts = ScanFileFacts;

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
export type NamedOpenedFile = { readonly file: string; readonly opened: OpenedScanFile };

/** As `readScans`, of one file, with what was noticed on the way. */
export async function readScanFile(file: string, facts: KnownFacts): Promise<NamedScanFile> {
  return readOpenedFile(await openScanFile(file), facts);
}

/** @throws CliError `cli.file_unreadable`, `cli.file_too_large`, `cli.scan_invalid` */
export async function openScanFile(file: string): Promise<NamedOpenedFile> {
  return openOutput(await readBounded(file, MAX_OUTPUT_BYTES), file);
}

/** As `openScanFile`, of what a scanner has just written; the bytes are gone afterwards. */
export function openOutput(bytes: Uint8Array, file: string): NamedOpenedFile {
  const opened = openScanBytes(bytes, file === '-' ? 'standard input' : basename(file));
  if (!opened.ok) throw scanInvalid(file, opened.issues);
  return { file, opened: opened.value };
}

/** The scans in an opened file. @throws CliError `cli.scan_invalid` */
export function readOpenedFile({ file, opened }: NamedOpenedFile, facts: KnownFacts): Promise<NamedScanFile> {
  // Nobody waits here with the document in hand, which may have hundreds of megabytes.
  return readScanDocument(opened, facts).then((read) => {
    if (!read.ok) throw scanInvalid(file, read.issues, nextOf(read.stranger, file));
    return { file, ...read.value };
  });
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

/** What to do with a document that belongs elsewhere. */
function nextOf(stranger: ScanStranger | undefined, file: string): string | undefined {
  if (file === '-' || stranger === undefined) return undefined;
  return {
    SBOM: `colophon scan run --sbom ${shellWord(file)}`,
    VEX: `colophon vex apply ${shellWord(file)} --scan SCAN`,
    catalog: `colophon kev enrich SCAN --kev ${shellWord(file)}`,
  }[stranger];
}
