import { normaliseVulnerabilityId } from '@colophon/findings';
import type { RemediationPriority, RemediationRecord } from '@colophon/records';
import { type Command, Option } from 'commander';
import { type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { priorityOption } from '../../known-exploited/priority-table.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationRecordsResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { countedOutcomes } from '../../remediation-desk/record-words.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type ListFlags = TriageDatabaseFlags & {
  readonly open?: boolean;
  readonly closed?: boolean;
  readonly overdue?: boolean;
  readonly productName?: string;
  readonly vulnerability?: string;
  readonly priority?: readonly RemediationPriority[];
  readonly owner?: string;
  readonly output: OutputFormat;
} & WideFlag;

/** `colophon remediation list`: records as they stand now, the most urgent first. */
export function defineList(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon remediation list --overdue --owner dana@example.com'))
    .addOption(new Option('--open', 'only open ones').conflicts('closed'))
    .option('--closed', 'only closed ones')
    .option('--overdue', 'only records past their due time')
    .option('--product-name <name>', 'only of this product')
    .option('--vulnerability <id>', 'only of this vulnerability, under any of its names')
    .addOption(priorityOption())
    .option('--owner <email>', 'only of this owner');
  withTriageDatabase(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: ListFlags, command: Command) => {
      const filter = {
        ...(flags.productName !== undefined && { product: flags.productName }),
        ...(flags.vulnerability !== undefined && { cve: normaliseVulnerabilityId(flags.vulnerability) }),
        ...(flags.open !== flags.closed && { isOpen: flags.open === true }),
      };
      const at = new Date().toISOString();
      const { records, others } = await atDesk(flags, command, session, async (desk) => {
        const records = (await desk.list(filter, at)).filter((record) => isWanted(record, flags));
        // A name that is misspelt finds nothing, too; that nothing is open or overdue is an answer.
        const isNamed = (flags.productName ?? flags.vulnerability ?? flags.owner) !== undefined;
        return { records, others: isNamed && records.length === 0 ? (await desk.list({}, at)).length : 0 };
      });
      printResult(session.terminal, flags.output, { ok: true, records } satisfies RemediationRecordsResult, () =>
        others > 0
          ? `no such record among ${others}: colophon remediation list\n`
          : `${recordTable(records, { terminal: session.terminal, wide: flags.wide })}${summary(records)}`,
      );
    });
}

function isWanted(record: RemediationRecord, { overdue, owner, priority }: ListFlags): boolean {
  if (priority !== undefined && !priority.includes(record.remediation_priority)) return false;
  if (overdue && record.sla_compliance !== 'overdue') return false;
  return owner === undefined || record.owner?.toLowerCase() === owner.trim().toLowerCase();
}

function summary(records: readonly RemediationRecord[]): string {
  if (records.length === 0) return '';
  const of = (is: (record: RemediationRecord) => boolean) => records.filter(is);
  const open = of(({ state, sla_compliance }) => state === 'open' && sla_compliance !== 'overdue');
  const voided = of(({ resolution }) => resolution?.kind === 'void');
  const closed = of(({ state, resolution }) => state === 'closed' && resolution?.kind !== 'void');
  const overdue = of(({ sla_compliance }) => sla_compliance === 'overdue');
  return `${countedOutcomes({ 'open in time': open, overdue, closed, void: voided })}\n`;
}
