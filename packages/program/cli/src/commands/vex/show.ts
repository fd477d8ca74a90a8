import type { VexDocument, VexProduct, VexStatement, VexSubject } from '@colophon/vex';
import type { Command } from 'commander';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { counted, moreLine, oneLine } from '../../terminal/terminal.ts';
import type { VexShowResult } from '../../vex-file/vex-document-result.ts';
import { readVexFile } from '../../vex-file/vex-file.ts';

const MOST_SHOWN = 200;
/** Of a text of megabytes no more is looked at than can be shown. */
const MOST_LOOKED_AT = 1000;

/** `colophon vex show`: what a document of any shape says, one statement a line. */
export function defineShow(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon vex show vendor.openvex.json'))
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (file: string, { output, wide }: { readonly output: OutputFormat } & WideFlag) => {
      const { document } = await readVexFile(file);
      const result: VexShowResult = { ok: true, file, document };
      printResult(session.terminal, output, result, () => describe(document, { terminal: session.terminal, wide }));
    });
}

const COLUMNS: readonly Column[] = [
  { heading: 'VULNERABILITY', rank: 1 },
  { heading: 'STATUS', rank: 1 },
  { heading: 'PRODUCT', rank: 1, shortest: 24, isVersioned: true },
  { heading: 'TIME', rank: 3 },
  { heading: 'WHY', rank: 2, shortest: 12 },
];

function describe(document: VexDocument, view: TableView): string {
  const { shape, author, statements, notes = [] } = document;
  const rows = statements.slice(0, MOST_SHOWN).map((statement) => row(statement, view.wide === true));
  const rest = statements.length - MOST_SHOWN;
  const more = rest > 0 ? `${moreLine(rest)}\n` : '';
  const by = author === undefined ? '' : ` by ${oneLine(author)}`;
  const said = notes.map(({ path, message, place_count }) => {
    const places = place_count === 1 ? '' : ` (${place_count} places)`;
    return `note ${oneLine(path || '(document)')}: ${oneLine(message)}${places}\n`;
  });
  return `${shape}${by}: ${counted(statements.length, 'statement')}\n\n${columnTable(COLUMNS, rows, view)}${more}${said.length === 0 ? '' : `\n${said.join('')}`}`;
}

function row(statement: VexStatement, isWhole: boolean): string[] {
  const { vulnerability, status, products, timestamp } = statement;
  const [first, ...others] = products;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const { justification, action_statement, impact_statement, status_notes } = statement;
  const why = justification ?? action_statement ?? impact_statement ?? status_notes ?? '';
  return [
    vulnerability.name,
    status,
    first === undefined ? '(none)' : `${productName(first)}${more}`,
    timestamp.startsWith('0001') ? 'not known' : timestamp,
    (isWhole ? why : why.slice(0, MOST_LOOKED_AT)).replace(/\s+/g, ' ').trim(),
  ];
}

function productName({ subcomponents = [], ...product }: VexProduct): string {
  const [first, ...others] = subcomponents;
  if (first === undefined) return subjectName(product);
  return `${subjectName(first)}${others.length === 0 ? '' : ` and ${others.length} more`} in ${subjectName(product)}`;
}

function subjectName({ purl, name, id, cpe23, cpe22, hashes = {}, versions = [] }: VexSubject): string {
  const known = purl ?? (id?.startsWith('pkg:') ? id : undefined) ?? name ?? id ?? cpe23 ?? cpe22;
  const label = known ?? Object.values(hashes)[0] ?? '(nothing)';
  return versions.length === 0
    ? label
    : `${label} ${versions.slice(0, 3).join(', ')}${versions.length > 3 ? ', …' : ''}`;
}
