import type { RemediationRecord } from '@colophon/records';
import { type Column, columnTable, type TableView, widthOf } from '../column-table/column-table.ts';
import { cutToWidth, displayWidth } from '../column-table/display-width.ts';
import { oneLine } from '../terminal/terminal.ts';
import { wholeSeconds } from '../time-words/time-words.ts';
import { withdrawnWords } from './record-words.ts';

/** Characters of an id that a table shows; enough to name a record by. */
const SHORT_ID = 8;

const COLUMNS: readonly Column[] = [
  'RECORD',
  'PRIORITY',
  'CVE',
  'COMPONENT',
  'VERSION',
  'PRODUCT',
  'OWNER',
  'TRACKING',
  'DUE',
  'STATE',
].map((heading) => ({ heading, rank: 1 }));
/** What is urgent about a record. */
const URGENT: readonly Column[] = [
  { heading: 'RECORD', rank: 1 },
  { heading: 'PRIORITY', rank: 1 },
  { heading: 'DUE', rank: 1 },
  { heading: 'STATE', rank: 1, shortest: 20 },
];

/**
 * Records as a table, in their order: a line each where that is not wider than the terminal, else what is urgent about
 * each on one line and what it is about below.
 */
export function recordTable(records: readonly RemediationRecord[], view: TableView): string {
  if (records.length === 0) return 'no records\n';
  const rows = records.map((record) => [
    record.id.slice(0, SHORT_ID),
    record.remediation_priority,
    record.cve,
    record.component,
    record.current_version,
    record.product,
    record.owner ?? '-',
    record.tracking_id ?? '-',
    dueWords(record),
    stateWords(record),
  ]);
  const lines = columnTable(COLUMNS, rows, { ...view, wide: true });
  const width = widthOf(view);
  return lines.split('\n').every((line) => displayWidth(line) <= width) ? lines : stacked(records, view);
}

function stacked(records: readonly RemediationRecord[], view: TableView): string {
  const rows = records.map((record) => [
    record.id.slice(0, SHORT_ID),
    record.remediation_priority,
    dueWords(record),
    stateWords(record),
  ]);
  const width = widthOf(view);
  const table = (columns: readonly Column[], isStateBelow: boolean) =>
    columnTable(
      columns,
      rows,
      view,
      (line, row) => `${line}\n${aboutLines(records[row]!, width, isStateBelow).join('\n')}`,
    );
  const whole = table(URGENT, false);
  return whole.split('\n').every((line) => displayWidth(line) <= width) ? whole : table(URGENT.slice(0, -1), true);
}

/** What a record is about and whose it is, in lines of at most `width` columns. */
function aboutLines(record: RemediationRecord, width: number, isStateBelow: boolean): string[] {
  const { cve, component, current_version, product, owner, tracking_id } = record;
  const parts = [
    ...(isStateBelow ? [[stateWords(record)]] : []),
    [cve, `in ${component}`, current_version, `of ${product}`],
    [`${owner ?? 'no owner'},`, tracking_id ?? 'no tracking id'],
  ];
  const indent = ' '.repeat(SHORT_ID + 2);
  return parts
    .flatMap((words) => wrapped(words.map(oneLine), Math.max(SHORT_ID, width - indent.length)))
    .map((line) => `${indent}${line}`);
}

function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const joined = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && displayWidth(joined) <= width) lines[lines.length - 1] = joined;
    else {
      for (let rest = word; rest !== ''; rest = rest.slice(lines.at(-1)!.length)) lines.push(cutToWidth(rest, width));
    }
  }
  return lines;
}

function dueWords({ state, due_at, sla_compliance }: RemediationRecord): string {
  if (state === 'closed') return sla_compliance.replaceAll('_', ' ');
  const time = due_at === null ? 'no time' : wholeSeconds(due_at);
  return sla_compliance === 'overdue' ? `OVERDUE ${time}` : time;
}

function stateWords(record: RemediationRecord): string {
  const { state, vex_status, resolution } = record;
  if (resolution?.kind === 'void') return `void: ${resolution.cause.replaceAll('_', ' ')}`;
  if (state === 'closed') return `closed: ${vex_status}`;
  return withdrawnWords(record) === undefined ? vex_status : `${vex_status}, withdrawn`;
}
