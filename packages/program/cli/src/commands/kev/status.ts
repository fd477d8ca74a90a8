import type { CatalogAge } from '@colophon/findings';
import type { Command } from 'commander';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapTable } from '../../column-table/wrapped-lines.ts';
import type { KevStatusResult } from '../../known-exploited/catalog-result.ts';
import {
  type CatalogFlags,
  type ChosenCatalog,
  chosenCatalog,
  withCatalog,
} from '../../known-exploited/catalog-source.ts';
import { ageOf, currentTime, daysAgo, parseDays, warnIfStale } from '../../known-exploited/staleness.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type StatusFlags = CatalogFlags & { readonly maxAge?: number; readonly output: OutputFormat };

/** `colophon kev status`: which catalog is kept, and how old it is. */
export function defineStatus(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon kev status --max-age 2'))
    .option('--max-age <days>', 'stale when it was last checked so many days ago (default: 7)', parseDays);
  withCatalog(command)
    .addOption(outputOption())
    .action(async (flags: StatusFlags, command: Command) => {
      const chosen = await chosenCatalog(flags, command, session);
      const age = ageOf(chosen, currentTime(), flags.maxAge);
      const { terminal } = session;
      printResult(terminal, flags.output, statusOf(chosen, age), (status) => table(status, terminal));
      warnIfStale(terminal, chosen.catalog.catalogVersion, age);
    });
}

function statusOf(
  { catalog, entry, name }: ChosenCatalog,
  { checkedDays, releasedDays, isStale }: CatalogAge,
): KevStatusResult {
  const { catalogVersion, dateReleased, count, entries } = catalog;
  return {
    ok: true,
    catalog_version: catalogVersion,
    entry_count: count,
    ransomware_count: [...entries.values()].filter((one) => one.knownRansomwareCampaignUse === 'Known').length,
    feed: name,
    ...(entry !== undefined && { digest: entry.digest }),
    ...(dateReleased !== undefined && { released_at: dateReleased }),
    ...(releasedDays !== null && { days_since_release: releasedDays }),
    ...(entry !== undefined && { fetched_at: entry.fetchedAt, checked_at: entry.checkedAt }),
    ...(checkedDays !== null && { days_since_check: checkedDays }),
    stale: isStale,
  };
}

function table(status: KevStatusResult, terminal: Terminal): string {
  const { catalog_version, entry_count, ransomware_count, feed, digest, stale } = status;
  const rows = [
    ['catalog', `${catalog_version}${stale ? ' (stale)' : ''}`],
    ['entries', `${entry_count}, ${ransomware_count} used by ransomware`],
    ['feed', feed],
    ['released', timeWithAge(status.released_at, status.days_since_release)],
    ['fetched', status.fetched_at ?? 'never: it is a file'],
    ['checked', timeWithAge(status.checked_at, status.days_since_check)],
    ['digest', digest ?? '-'],
  ];
  return wrapTable(rows, widthOf({ terminal }));
}

function timeWithAge(time: string | undefined, days: number | undefined): string {
  return time === undefined ? 'unknown' : `${time}${days === undefined ? '' : `, ${daysAgo(days)}`}`;
}
