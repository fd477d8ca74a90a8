import type { CatalogAge } from '@colophon/findings';
import type { Command } from 'commander';
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
import { formatTable } from '../../terminal/terminal.ts';

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
      printResult(terminal, flags.output, statusOf(chosen, age), table);
      warnIfStale(terminal, chosen.catalog.catalogVersion, age);
    });
}

/** What is known of a catalog; null is what nobody says. */
type CatalogStatus = ReturnType<typeof statusOf>;

function statusOf({ catalog, entry, name }: ChosenCatalog, { checkedDays, releasedDays, isStale }: CatalogAge) {
  const { catalogVersion, dateReleased, count, entries } = catalog;
  return {
    catalogVersion,
    count,
    knownRansomwareUse: [...entries.values()].filter((one) => one.knownRansomwareCampaignUse === 'Known').length,
    feed: name,
    digest: entry?.digest ?? null,
    dateReleased: dateReleased ?? null,
    daysSinceRelease: releasedDays,
    fetchedAt: entry?.fetchedAt ?? null,
    checkedAt: entry?.checkedAt ?? null,
    daysSinceCheck: checkedDays,
    stale: isStale,
  };
}

function table(status: CatalogStatus): string {
  const { catalogVersion, count, knownRansomwareUse, feed, digest, stale } = status;
  return formatTable([
    ['catalog', `${catalogVersion}${stale ? ' (stale)' : ''}`],
    ['entries', `${count}, ${knownRansomwareUse} used by ransomware`],
    ['feed', feed],
    ['released', timeWithAge(status.dateReleased, status.daysSinceRelease)],
    ['fetched', status.fetchedAt ?? 'never: it is a file'],
    ['checked', timeWithAge(status.checkedAt, status.daysSinceCheck)],
    ['digest', digest ?? '-'],
  ]);
}

function timeWithAge(time: string | null, days: number | null): string {
  return time === null ? 'nobody says' : `${time}${days === null ? '' : `, ${daysAgo(days)}`}`;
}
