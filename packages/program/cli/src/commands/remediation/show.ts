import type { Command } from 'commander';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationShowResult } from '../../remediation-desk/record-result.ts';
import { recordPage } from '../../remediation-desk/record-words.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

/** `colophon remediation show`: everything about one record. */
export function defineShow(command: Command, session: Session): void {
  withTriageDatabase(command.addHelpText('after', example('colophon remediation show CVE-2021-44228')))
    .addOption(outputOption())
    .action(
      async (reference: string, flags: TriageDatabaseFlags & { readonly output: OutputFormat }, command: Command) => {
        const at = new Date().toISOString();
        const record = await atDesk(flags, command, session, (desk) => desk.find(reference, at));
        const result: RemediationShowResult = { ok: true, record };
        printResult(session.terminal, flags.output, result, () => recordPage(record, session.terminal));
      },
    );
}
