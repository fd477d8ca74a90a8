import type { Finding } from '@colophon/records';
import { type Column, columnTable, type TableView } from '../column-table/column-table.ts';
import type { SarifFinding } from '../sarif/sarif.ts';
import { jsonText } from '../terminal/json-text.ts';
import { coloursFor, counted, moreLine, oneLine, type Terminal } from '../terminal/terminal.ts';

/** Lines that a person still reads. */
const MOST_SHOWN = 200;
/** Characters that are written at once: one text of a million findings is longer than a string may be. */
const CHUNK = 1024 * 1024;

/** Writes an array as `jsonText` would, in parts. */
export function writeJsonArray(terminal: Terminal, list: readonly unknown[]): void {
  let waiting = '[';
  for (const [index, one] of list.entries()) {
    waiting += `${index === 0 ? '\n' : ',\n'}  ${jsonText(one).replaceAll('\n', '\n  ')}`;
    if (waiting.length < CHUNK) continue;
    terminal.stdout.write(waiting);
    waiting = '';
  }
  terminal.stdout.write(`${waiting}${list.length === 0 ? ']' : '\n]'}\n`);
}

const COLUMNS: readonly Column[] = [
  { heading: 'SEVERITY', rank: 1 },
  { heading: 'SCORE', rank: 5 },
  { heading: 'ID', rank: 1 },
  { heading: 'COMPONENT', rank: 1, shortest: 20 },
  { heading: 'VERSION', rank: 2 },
  { heading: 'FIXED IN', rank: 4, shortest: 12, isList: true },
  { heading: 'REPORTED BY', rank: 6 },
  { heading: 'SUPPRESSED', rank: 3 },
];

/** The worst first, on a line each; what nobody counts has its reason. */
export function findingTable(findings: readonly Finding[], view: TableView): string {
  if (findings.length === 0) return 'no findings\n';
  const colours = coloursFor(view.terminal, view.terminal.stdout);
  const shown = findings.slice(0, MOST_SHOWN);
  const rows = shown.map((finding) => [...cellsOf(finding), finding.suppressed ?? '']);
  const table = columnTable(COLUMNS, rows, view, (line, row) => {
    const { severity, suppressed } = shown[row]!;
    if (suppressed !== undefined) return colours.dim(line);
    if (severity === 'critical' || severity === 'high') {
      return `${colours.red(severity)}${line.slice(severity.length)}`;
    }
    return severity === 'medium' ? `${colours.yellow(severity)}${line.slice(severity.length)}` : line;
  });
  const rest = findings.length - shown.length;
  const more = rest > 0 ? `${moreLine(rest)}\n` : '';
  return `${table}${more}`;
}

function cellsOf({ severity, cvss, id, component, fixedInVersions, reportedBy }: Finding): string[] {
  const scanners = [...new Set(reportedBy.map(({ scanner }) => scanner))].join(', ');
  return [
    severity,
    cvss?.score.toFixed(1) ?? '-',
    id,
    component.name,
    component.version ?? '-',
    fixedInVersions.join(', ') || '-',
    scanners || '-',
  ];
}

/** Characters of a cell; a list of fixed versions can be longer than a screen. */
const WIDEST_CELL = 48;

function markdownCells(finding: Finding): string[] {
  const { suppressed } = finding;
  const [reportedBy = '', ...others] = cellsOf(finding).reverse();
  const last = suppressed === undefined ? reportedBy : `${reportedBy} (suppressed: ${suppressed})`;
  return [...others.reverse(), last].map((cell) =>
    cell.length > WIDEST_CELL ? `${cell.slice(0, WIDEST_CELL - 1)}…` : cell,
  );
}

/** For a pull request or a job's summary. */
export function findingMarkdown(findings: readonly Finding[]): string {
  const rows = findings
    .slice(0, MOST_SHOWN)
    .map((finding) => `| ${markdownCells(finding).map(markdownCell).join(' | ')} |`);
  const rest = findings.length - rows.length;
  const lines = [
    `### ${counted(findings.length, 'finding')}`,
    '',
    ...(rows.length === 0
      ? []
      : [
          '| Severity | Score | Id | Component | Version | Fixed in | Reported by |',
          '|---|---|---|---|---|---|---|',
          ...rows,
        ]),
    ...(rest > 0 ? ['', `… and ${rest} more.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Text from outside in a table of Markdown: nothing in it ends the cell or becomes a link, an image or a tag. */
function markdownCell(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>()#!|@&~]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Characters of a description; the database that published it has the rest. */
const LONGEST_HELP = 1_000;

const LEVELS = { critical: 'error', high: 'error', medium: 'warning' } as const;

/** For a code scanner's page; every finding that counts stands at the file that was scanned. */
export function findingSarif(findings: readonly Finding[], file: string): SarifFinding[] {
  return findings
    .filter(({ suppressed }) => suppressed === undefined)
    .map(({ id, severity, component, fixedInVersions, cvss, description }) => {
      const what = `${component.name}${component.version === undefined ? '' : `@${component.version}`}`;
      const score = cvss === undefined ? '' : `, CVSS ${cvss.score.toFixed(1)}`;
      const fixed =
        fixedInVersions.length === 0 ? 'no fixed version is known' : `fixed in ${fixedInVersions.join(', ')}`;
      return {
        code: id,
        level: LEVELS[severity as keyof typeof LEVELS] ?? 'note',
        message: oneLine(`${id} in ${what}: ${severity}${score}; ${fixed}`),
        file,
        help: oneLine(description.slice(0, LONGEST_HELP)) || `The vulnerability ${oneLine(id)}.`,
        ...(component.purl === undefined ? {} : { path: component.purl }),
      };
    });
}
