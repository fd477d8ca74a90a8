import type { RemediationRecord, VoidCause } from '@colophon/records';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { type TableView, type WideFlag, wideOption } from '../../column-table/column-table.ts';
import {
  assertSignerOrUnsigned,
  type DocumentSigningFlags,
  documentSignerNeed,
  withDocumentSigning,
} from '../../document-signature/document-signer.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { actorOf, atDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationRecordsResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { oneLine } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';
import { recordSigner } from './close.ts';

type VoidFlags = TriageDatabaseFlags &
  DocumentSigningFlags & {
    readonly mistake?: boolean;
    readonly withdrawnAdvisory?: boolean;
    readonly reason: string;
    readonly by?: string;
    readonly unsigned?: boolean;
    readonly output: OutputFormat;
  } & WideFlag;

/** `colophon remediation void`: records that nobody should have opened. They stay, and are counted nowhere. */
export function defineVoid(command: Command, session: Session): void {
  withNeeds(
    command,
    { what: 'why it is voided', oneOf: ['--mistake', '--withdrawn-advisory'] },
    documentSignerNeed('--unsigned'),
  )
    .addHelpText(
      'after',
      example(
        'colophon remediation void CVE-2024-1234 --withdrawn-advisory \\',
        '  --reason "withdrawn by its CNA" --reviewer dana@example.com',
      ),
    )
    .option('--mistake', 'opened by mistake: another product, a test, the wrong SBOM')
    .option('--withdrawn-advisory', 'the advisory was withdrawn by its publisher')
    .requiredOption('--reason <text>', 'why, for the history and the report')
    .option('--by <email>', 'whose change it is (default: the user of this machine)')
    .option('--unsigned', 'sign nothing: the voided record proves nothing to others');
  withTriageDatabase(withDocumentSigning(command))
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (references: string[], flags: VoidFlags, command: Command) => {
      const cause = causeOf(flags);
      assertSignerOrUnsigned(flags, 'the record', session);
      const actor = actorOf(flags, flags.reviewer);
      const sign = flags.unsigned ? undefined : await recordSigner(flags, command, session);
      const reason = flags.reason.trim();
      const records = await atDesk(flags, command, session, (desk) =>
        desk.void(references, { ...actor, cause, reason, ...(sign && { sign }) }),
      );
      const result: RemediationRecordsResult = { ok: true, records };
      printResult(session.terminal, flags.output, result, () =>
        describe(records, { terminal: session.terminal, wide: flags.wide }),
      );
    });
}

function causeOf({ mistake, withdrawnAdvisory }: VoidFlags): Exclude<VoidCause, 'joined'> {
  if (!mistake || !withdrawnAdvisory) return mistake ? 'mistake' : 'withdrawn_advisory';
  throw new CliError('cli.usage', 'a record is voided for one cause', {
    expected: '--mistake or --withdrawn-advisory',
    found: 'both',
    next: 'colophon remediation close RECORD --vex FILE',
  });
}

function describe(records: readonly RemediationRecord[], view: TableView): string {
  const lines = records.map(
    ({ id, closing_signature }) =>
      `${id.slice(0, 8)} voided, signed by ${oneLine(closing_signature?.signer ?? 'nobody')}\n`,
  );
  return `${recordTable(records, view)}${lines.join('')}`;
}
