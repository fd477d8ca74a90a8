import type { RemediationRecord } from '@colophon/records';
import { formatTable, oneLine, type Terminal } from '../terminal/terminal.ts';
import { wholeSeconds } from '../time-words/time-words.ts';
import { withdrawnWords } from './record-words.ts';

/** Characters of an id that a table shows; enough to name a record by. */
const SHORT_ID = 8;

/**
 * Records as a table, in their order: a line each where that is not wider than the terminal, else what is urgent about
 * each on one line and what it is about below. What is no terminal gets a line each, for programs to take apart.
 */
export function recordTable(records: readonly RemediationRecord[], terminal: Terminal): string {
  if (records.length === 0) return 'no records\n';
  const wide = formatTable([
    ['RECORD', 'PRIORITY', 'CVE', 'COMPONENT', 'VERSION', 'PRODUCT', 'OWNER', 'TRACKING', 'DUE', 'STATE'],
    ...records.map((record) => [
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
    ]),
  ]);
  const width = columnsOf(terminal);
  return wide.split('\n').every((line) => line.length <= width) ? wide : stacked(records);
}

function stacked(records: readonly RemediationRecord[]): string {
  const [head, ...lines] = formatTable([
    ['RECORD', 'PRIORITY', 'DUE', 'STATE'],
    ...records.map((record) => [
      record.id.slice(0, SHORT_ID),
      record.remediation_priority,
      dueWords(record),
      stateWords(record),
    ]),
  ])
    .trimEnd()
    .split('\n');
  const indent = ' '.repeat(SHORT_ID + 2);
  const blocks = records.map(({ cve, component, current_version, product, owner, tracking_id }, index) => {
    const about = `${indent}${cve} in ${component} ${current_version} of ${product}`;
    const whose = `${indent}${owner ?? 'no owner'}, ${tracking_id ?? 'no tracking id'}`;
    return [lines[index]!, oneLine(about), oneLine(whose)].map((line) => `${line}\n`).join('');
  });
  return [`${head}\n`, ...blocks].join('');
}

/** Of a terminal, or where it is said; without end for what is none. */
function columnsOf({ stdout, env }: Terminal): number {
  const { columns } = stdout as { readonly columns?: number };
  return columns || Number(env['COLUMNS']) || Number.POSITIVE_INFINITY;
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
