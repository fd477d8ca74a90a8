import { existsSync } from 'node:fs';
import { compareCatalogs, type KnownExploitedCatalog } from '@colophon/findings';
import { openCatalog } from '@colophon/remediation';
import type { CatalogStore } from '@colophon/store';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import type { KevDiffResult } from '../../known-exploited/catalog-result.ts';
import { readCatalogFile, withCatalogStore } from '../../known-exploited/catalog-source.ts';
import { changeCounts, changeLines, entriesCounted } from '../../known-exploited/catalog-words.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { coloursFor, oneLine } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type DiffFlags = TriageDatabaseFlags & { readonly output: OutputFormat };

/** Lines of each kind of change. */
const MOST_SHOWN = 200;

/** What looks like a file is one, also where it is not there. */
const FILE_NAME = /[/\\]|\.json$/i;

/** `colophon kev diff`: what was added, removed and changed between two catalogs. */
export function defineDiff(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon kev diff 2024.10.22 2025.08.25'));
  withTriageDatabase(command)
    .addOption(outputOption())
    .action(async (older: string, newer: string, flags: DiffFlags, command: Command) => {
      const read = async (name: string): Promise<KnownExploitedCatalog> =>
        existsSync(name) || FILE_NAME.test(name)
          ? readCatalogFile(name)
          : withCatalogStore(flags, command, session, (store) => keptCatalog(store, name));
      const changes = compareCatalogs(await read(older), await read(newer));
      const { terminal } = session;
      printResult(terminal, flags.output, { ok: true, ...changes } satisfies KevDiffResult, () => {
        const [from, to] = [changes.from, changes.to].map(
          ({ catalog_version, entry_count }) => `${oneLine(catalog_version)} (${entriesCounted(entry_count)})`,
        );
        const lines = changeLines(changes, coloursFor(terminal, terminal.stdout), MOST_SHOWN);
        return [`${from} → ${to}: ${changeCounts(changes)}`, ...lines]
          .map((line) => `${wrapLine(line, widthOf({ terminal }))}\n`)
          .join('');
      });
    });
}

/** The one that was kept last under this version or digest. */
async function keptCatalog(store: CatalogStore, name: string): Promise<KnownExploitedCatalog> {
  const entries = await store.list();
  const entry = entries.findLast(({ catalogVersion, digest }) => catalogVersion === name || digest === name);
  const kept = entry === undefined ? undefined : await openCatalog(store, entry);
  if (kept !== undefined) return kept.catalog;
  throw new CliError('cli.no_catalog', `no catalog ${name} is kept, and there is no such file`, {
    checked: name,
    next: 'colophon kev history',
  });
}
