import type { Command } from 'commander';
import { type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { type CatalogFlags, chosenCatalog, withCatalog } from '../../known-exploited/catalog-source.ts';
import { tellDisputedRecords } from '../../known-exploited/dispute-words.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationEscalateResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { oneLine } from '../../terminal/terminal.ts';

/** `colophon remediation escalate`: what a catalog makes of open records (contract §2.8, §8). */
export function defineEscalate(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon remediation escalate'));
  withCatalog(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: CatalogFlags & { readonly output: OutputFormat } & WideFlag, command: Command) => {
      const { catalog, entry } = await chosenCatalog(flags, command, session);
      const actor = { at: new Date().toISOString(), by: 'colophon' };
      const [records, open] = await atDesk(flags, command, session, async (desk) => {
        const changed = await desk.escalate(catalog, actor);
        return [changed, await desk.list({ isOpen: true }, actor.at)] as const;
      });
      const result: RemediationEscalateResult = { ok: true, catalog_version: catalog.catalogVersion, records };
      printResult(session.terminal, flags.output, result, ({ catalog_version }) =>
        records.length === 0
          ? `catalog ${oneLine(catalog_version)} says nothing new of open records\n`
          : recordTable(records, { terminal: session.terminal, wide: flags.wide }),
      );
      tellDisputedRecords(session.terminal, open, entry);
    });
}
