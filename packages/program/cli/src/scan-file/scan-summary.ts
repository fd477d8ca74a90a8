import type { AssessmentNote } from '@colophon/findings';
import type { ScanRecord } from '@colophon/records';
import { type Finding, SEVERITIES } from '@colophon/records';
import { coloursFor, counted, oneLine, type Terminal } from '../terminal/terminal.ts';
import { wholeSeconds } from '../time-words/time-words.ts';

/** What was read, and what came of it. */
export type ScanSummary = {
  readonly scans: readonly ScanRecord[];
  readonly findings: readonly Finding[];
  readonly notes: readonly AssessmentNote[];
};

/** Of each kind so many are told in words. */
const MOST_EXAMPLES = 3;

/** What a person is told of an import, on standard error: scans, findings, what was not read and why, notes. */
export function describeScans({ scans, findings, notes }: ScanSummary, terminal: Terminal): string {
  const colours = coloursFor(terminal);
  const lines = scans.map((scan) => `  ${oneLine(describeScan(scan))}`);
  return [
    `${describeMerging(scans, findings)}${describeSeverities(findings)}`,
    ...lines.slice(0, MOST_SCANS),
    ...(lines.length > MOST_SCANS ? [`  … and ${counted(lines.length - MOST_SCANS, 'scan')} more`] : []),
    ...section(
      'not read',
      scans.flatMap(({ source, unread }) =>
        unread.map(({ path, code, message, count = 1 }) => ({
          code,
          count,
          text: `${source.name} ${path} ${message}`,
        })),
      ),
      colours,
    ),
    ...describeNotes(notes, terminal),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function describeMerging(scans: readonly ScanRecord[], findings: readonly Finding[]): string {
  const listed = scans.reduce((sum, scan) => sum + scan.findings.length, 0);
  if (scans.length === 1 && listed === findings.length) return counted(listed, 'finding');
  return `${counted(scans.length, 'scan')} with ${counted(listed, 'finding')}, ${findings.length} after merging`;
}

/** `: 2 critical, 1 low; 1 of them suppressed`; nothing where nothing was found. */
function describeSeverities(findings: readonly Finding[]): string {
  const bySeverity = Map.groupBy(findings, ({ severity }) => severity);
  const counts = SEVERITIES.flatMap((severity) => {
    const number = bySeverity.get(severity)?.length ?? 0;
    return number === 0 ? [] : [`${number} ${severity}`];
  });
  const suppressed = findings.filter((finding) => finding.suppressed !== undefined).length;
  const silent = suppressed > 0 ? `; ${suppressed} of them suppressed` : '';
  return counts.length === 0 ? '' : `: ${counts.join(', ')}${silent}`;
}

/** What was noticed, in lines; none where that is nothing. */
export function describeNotes(notes: readonly AssessmentNote[], terminal: Terminal): readonly string[] {
  const said = notes.map(({ code, message, id, scanner, count }) => ({
    code,
    count,
    text: `${scanner} ${id}: ${message}`,
  }));
  return section('noticed', said, coloursFor(terminal));
}

const MOST_SCANS = 20;

function describeScan({ scanner, source, findings, scannedAt, target }: ScanRecord): string {
  const who = `${scanner.name}${scanner.version === undefined ? '' : ` ${scanner.version}`}`;
  const database =
    scanner.databaseBuiltAt === undefined ? '' : `, database of ${wholeSeconds(scanner.databaseBuiltAt)}`;
  const when = scannedAt === undefined ? '' : `, scanned ${wholeSeconds(scannedAt)}`;
  const what = target === undefined ? '' : ` of ${target}`;
  return `${source.name}: ${who}${what}, ${counted(findings.length, 'finding')}${database}${when}`;
}

type Said = { readonly code: string; readonly count: number; readonly text: string };

function section(title: string, said: readonly Said[], colours: ReturnType<typeof coloursFor>): string[] {
  if (said.length === 0) return [];
  const byCode = Map.groupBy(said, ({ code }) => code);
  return [
    `${title}:`,
    ...[...byCode]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([code, all]) => {
        const count = all.reduce((sum, one) => sum + one.count, 0);
        const examples = all.slice(0, MOST_EXAMPLES);
        const rest = count - examples.reduce((sum, one) => sum + one.count, 0);
        return [
          `  ${colours.yellow(code)} ${count}`,
          ...examples.map(({ text }) => `    ${oneLine(text)}`),
          ...(rest > 0 ? [`    … and ${rest} more`] : []),
        ];
      }),
  ];
}
