import { type AssessmentNote, combinedFindings } from '@colophon/findings';
import { dayNumber, parseInstant } from '@colophon/notation';
import { type Finding, RATED_SEVERITIES, type ScanRecord, SEVERITIES, type Severity } from '@colophon/records';
import type { KnownSbom } from '@colophon/scanners';
import { InvalidArgumentError, Option } from 'commander';
import { wideOption } from '../column-table/column-table.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { assertWritableFile, writeOutput } from '../input/input.ts';
import { outputOption, type Session } from '../program/program.ts';
import type { OutputFormat } from '../report/report.ts';
import { sarifLog } from '../sarif/sarif.ts';
import { jsonText } from '../terminal/json-text.ts';
import { findingMarkdown, findingSarif, findingTable, writeJsonArray } from './finding-output.ts';
import { describeScans } from './scan-summary.ts';

/** The flags of every command that ends with a list of findings. */
export type ScanFlags = {
  readonly record?: string;
  readonly databaseTime?: string;
  readonly scannedAt?: string;
  readonly failOn?: Severity;
  readonly output: OutputFormat | 'sarif' | 'markdown';
  readonly wide?: boolean;
};

/** The options behind ScanFlags. */
export function scanOptions(): Option[] {
  return [
    new Option('--record <file>', 'write a scan record for the remediation workflow: scanner, target, findings'),
    new Option(
      '--database-time <time>',
      'when the scanner’s database was built, where the output does not state it',
    ).argParser(time),
    new Option('--scanned-at <time>', 'time of the scan, where the output does not state it').argParser(time),
    new Option('--fail-on <severity>', 'exit 21 for a finding of this severity or a worse one').choices(
      RATED_SEVERITIES,
    ),
    outputOption('sarif', 'markdown'),
    wideOption(),
  ];
}

/** Clocks of two machines differ by so much. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** RFC 3339, or a day in UTC, and not yet to come. */
function time(text: string): string {
  const instant = parseInstant(dayNumber(text) === undefined ? text : `${text}T00:00:00Z`);
  if (instant !== undefined && instant <= Date.now() + CLOCK_TOLERANCE_MS) return new Date(instant).toISOString();
  if (instant !== undefined)
    throw new InvalidArgumentError(`It is in the future: here it is ${new Date().toISOString()}.`);
  throw new InvalidArgumentError('It is a time such as 2026-11-21T12:00:00Z, or a day such as 2026-11-21.');
}

/** Says now, and not after minutes of reading, that the scan could not be kept there. */
export function assertRecordWritable({ record }: ScanFlags): void {
  if (record !== undefined) assertWritableFile(record);
}

/** What was scanned, and where it stands. */
export type PresentedScans = {
  readonly scans: readonly ScanRecord[];
  readonly notes: readonly AssessmentNote[];
  /** The file that results point to in a code scanner's page. */
  readonly file: string;
  readonly sbom?: KnownSbom;
};

/**
 * Merges the findings of scans, prints them, keeps the scans, tells people what was read, and sets exit 21 where something
 * is too severe.
 */
export function presentScans(presented: PresentedScans, flags: ScanFlags, session: Session): void {
  const { scans, sbom } = presented;
  const { terminal } = session;
  const combined = combinedFindings(scans);
  const { findings } = combined;
  const elsewhere = sbom === undefined ? [] : notInSbom(findings, sbom);
  const notes = [...presented.notes, ...combined.notes, ...elsewhere];
  if (flags.record !== undefined) writeOutput(flags.record, recordText(scans));
  if (flags.output === 'json') writeJsonArray(terminal, findings);
  else if (flags.output === 'sarif') writeDocument(session, sarifLog(findingSarif(findings, presented.file)));
  else if (flags.output === 'markdown') terminal.stdout.write(findingMarkdown(findings));
  else terminal.stdout.write(findingTable(findings, { terminal, wide: flags.wide }));
  terminal.stderr.write(describeScans({ scans, findings, notes }, terminal));
  const { failOn } = flags;
  if (failOn === undefined) return;
  const isTooSevere = ({ severity, suppressed }: Finding) =>
    suppressed === undefined && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn);
  const tooSevere = findings.filter(isTooSevere).length;
  if (tooSevere === 0) return;
  terminal.stderr.write(`${tooSevere} at or above ${failOn}\n`);
  session.setExitCode(EXIT.overThreshold);
}

function writeDocument({ terminal }: Session, document: unknown): void {
  terminal.stdout.write(`${jsonText(document)}\n`);
}

/** One record, or an array of them: `readScans` takes both. */
function recordText(scans: readonly ScanRecord[]): string {
  return `${JSON.stringify(scans.length === 1 ? scans[0] : scans, null, 2)}\n`;
}

function notInSbom(findings: readonly Finding[], { has }: KnownSbom): AssessmentNote[] {
  const message = 'The SBOM has no such component:';
  const missing = findings.filter(({ component }) => !has(component));
  return missing.map(({ id, component, reportedBy }) => ({
    code: 'finding.not_in_sbom',
    message: `${message} ${component.purl ?? `${component.name} ${component.version ?? ''}`.trim()}`,
    id,
    scanner: reportedBy[0]?.scanner ?? '',
    count: 1,
  }));
}
