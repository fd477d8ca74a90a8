import type { RemediationRecord } from '@colophon/triage';
import type { Command } from 'commander';
import { outputOption, type Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import { countedOutcomes, recordTable } from '../../remediation-desk/record-words.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type ListFlags = TriageDatabaseFlags & {
  readonly open?: boolean;
  readonly closed?: boolean;
  readonly overdue?: boolean;
  readonly product?: string;
  readonly cve?: string;
  readonly owner?: string;
  readonly output: OutputFormat;
};

/** `colophon remediation list`: records as they stand now, the most urgent first. */
export function addListCommand(remediation: Command, session: Session): void {
  const command = remediation
    .command('list')
    .description('records as they stand now, the most urgent first')
    .option('--open', 'only open ones')
    .option('--closed', 'only closed ones')
    .option('--overdue', 'only those whose time is over')
    .option('--product <name>', 'only of this product')
    .option('--cve <id>', 'only of this vulnerability, under any of its names')
    .option('--owner <email>', 'only of this owner');
  withTriageDatabase(command)
    .addOption(outputOption())
    .action(async (flags: ListFlags, command: Command) => {
      const { normaliseVulnerabilityId } = await import('@colophon/triage');
      const cve = flags.cve === undefined ? undefined : normaliseVulnerabilityId(flags.cve);
      const records = await atDesk(flags, command, session, async (desk) => {
        const all = await desk.list(
          flags.product === undefined ? {} : { product: flags.product },
          new Date().toISOString(),
        );
        return all.filter((record) => isWanted(record, flags, cve));
      });
      printResult(session.terminal, flags.output, records, () => `${recordTable(records)}${summary(records)}`);
    });
}

function isWanted(record: RemediationRecord, flags: ListFlags, cve: string | undefined): boolean {
  if (flags.open && !flags.closed && record.state !== 'open') return false;
  if (flags.closed && !flags.open && record.state !== 'closed') return false;
  if (flags.overdue && record.sla_compliance !== 'overdue') return false;
  if (flags.owner !== undefined && record.owner !== flags.owner) return false;
  return cve === undefined || record.cve === cve || record.aliases.includes(cve);
}

function summary(records: readonly RemediationRecord[]): string {
  const of = (is: (record: RemediationRecord) => boolean) => records.filter(is);
  const open = of(({ state, sla_compliance }) => state === 'open' && sla_compliance !== 'overdue');
  const overdue = of(({ sla_compliance }) => sla_compliance === 'overdue');
  return `${countedOutcomes({ 'open in time': open, overdue, closed: of(({ state }) => state === 'closed') })}\n`;
}
