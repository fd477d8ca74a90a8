import type { KnownExploitedEntry } from '@colophon/findings';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapTable } from '../../column-table/wrapped-lines.ts';
import type { KevShowResult } from '../../known-exploited/catalog-result.ts';
import { type CatalogFlags, chosenCatalog, withCatalog } from '../../known-exploited/catalog-source.ts';
import { parseCve } from '../../known-exploited/cve-argument.ts';
import { ageOf, currentTime, warnIfStale } from '../../known-exploited/staleness.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type ShowFlags = CatalogFlags & { readonly output: OutputFormat };

/** `colophon kev show`: what the catalog says of one CVE. Exit 11 says that it is not in it. */
export function defineShow(command: Command, session: Session): void {
  withCatalog(command.addHelpText('after', example('colophon kev show CVE-2021-44228')))
    .addOption(outputOption())
    .action(async (text: string, flags: ShowFlags, command: Command) => {
      const cve = parseCve(text);
      const chosen = await chosenCatalog(flags, command, session);
      const { terminal } = session;
      warnIfStale(terminal, chosen.catalog.catalogVersion, ageOf(chosen, currentTime()));
      const { catalogVersion, entries } = chosen.catalog;
      const entry = entries.get(cve);
      if (entry === undefined) throw notInCatalog(cve, catalogVersion, chosen.name);
      const result: KevShowResult = { ok: true, catalog_version: catalogVersion, vulnerability: cve, entry };
      printResult(terminal, flags.output, result, () => table(entry, terminal));
    });
}

function notInCatalog(cve: string, catalogVersion: string, checked: string): CliError {
  const message = `${cve} is not in catalog ${catalogVersion}`;
  return new CliError('cli.not_in_catalog', message, { checked, next: `colophon kev history ${cve}` });
}

function table({ cwes = [], ...texts }: KnownExploitedEntry, terminal: Terminal): string {
  const rows = Object.entries(texts).filter(([, text]) => text !== undefined);
  const all = [...rows, ...(cwes.length === 0 ? [] : [['cwes', cwes.join(', ')]])];
  return wrapTable(all, widthOf({ terminal }));
}
