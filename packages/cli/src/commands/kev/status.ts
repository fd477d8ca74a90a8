import type { CatalogAge } from '@colophon/triage';
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
export function addStatusCommand(kev: Command, session: Session): void {
  const status = kev
    .command('status')
    .description(
      'the catalog that is kept: version, entries, feed, when it was fetched and checked, whether it is stale',
    )
    .addHelpText('after', example('colophon kev status --max-age 2'))
    .option('--max-age <days>', 'stale when it was last checked so many days ago (default: 7)', parseDays);
  withCatalog(status)
    .addOption(outputOption())
    .action(async (flags: StatusFlags, command: Command) => {
      const chosen = await chosenCatalog(flags, command, session);
      const age = await ageOf(chosen, currentTime(), flags.maxAge);
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
    known_ransomware_use: [...entries.values()].filter((one) => one.knownRansomwareCampaignUse === 'Known').length,
    feed: name,
    digest: entry?.digest ?? null,
    date_released: dateReleased ?? null,
    days_since_release: releasedDays,
    fetched_at: entry?.fetchedAt ?? null,
    checked_at: entry?.checkedAt ?? null,
    days_since_check: checkedDays,
    stale: isStale,
  };
}

function table(status: CatalogStatus): string {
  const { catalogVersion, count, known_ransomware_use, feed, digest, stale } = status;
  return formatTable([
    ['catalog', `${catalogVersion}${stale ? ' (stale)' : ''}`],
    ['entries', `${count}, ${known_ransomware_use} used by ransomware`],
    ['feed', feed],
    ['released', timeWithAge(status.date_released, status.days_since_release)],
    ['fetched', status.fetched_at ?? 'never: it is a file'],
    ['checked', timeWithAge(status.checked_at, status.days_since_check)],
    ['digest', digest ?? '-'],
  ]);
}

function timeWithAge(time: string | null, days: number | null): string {
  return time === null ? 'nobody says' : `${time}${days === null ? '' : `, ${daysAgo(days)}`}`;
}
