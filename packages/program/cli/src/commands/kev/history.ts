import {
  compareCatalogs,
  compareEntries,
  type KnownExploitedCatalog,
  type KnownExploitedEntry,
} from '@colophon/findings';
import { openCatalog, shownCatalog } from '@colophon/remediation';
import type { CatalogEntry, CatalogStore } from '@colophon/store';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import type { CatalogEvent, KevHistoryResult } from '../../known-exploited/catalog-result.ts';
import { noCatalog, withCatalogStore } from '../../known-exploited/catalog-source.ts';
import { entryLine, fieldChanges } from '../../known-exploited/catalog-words.ts';
import { parseCve } from '../../known-exploited/cve-argument.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';

import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type HistoryFlags = TriageDatabaseFlags & { readonly last: number; readonly output: OutputFormat } & WideFlag;

/** A kept catalog, and how many entries differ from the one before. */
type Step = NonNullable<KevHistoryResult['catalogs']>[number];

/** `colophon kev history`: the catalogs that are kept, or what happened to one CVE in them. */
export function defineHistory(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon kev history', 'colophon kev history CVE-2021-44228'))
    .option('--last <number>', 'number of catalogs', parseNumber, 20);
  withTriageDatabase(command)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (text: string | undefined, flags: HistoryFlags, command: Command) => {
      const cve = text === undefined ? undefined : parseCve(text);
      await withCatalogStore(flags, command, session, async (store) => {
        const entries = await store.list();
        if (entries.length === 0) throw noCatalog();
        const { terminal } = session;
        const view = { terminal, wide: flags.wide };
        if (cve !== undefined) {
          const events = await appearances(store, entries, cve, session);
          const result: KevHistoryResult = { ok: true, vulnerability: cve, events };
          printResult(terminal, flags.output, result, () => describeEvents(cve, events, view));
          return;
        }
        const catalogs = await steps(store, entries, flags.last, session);
        const result: KevHistoryResult = { ok: true, catalogs, omitted_count: entries.length - catalogs.length };
        printResult(terminal, flags.output, result, () => table(catalogs, view));
      });
    });
}

/** Each catalog with the one that was kept before it, oldest first. */
async function* inOrder(store: CatalogStore, entries: readonly CatalogEntry[], session: Session) {
  const progress = progressLine(session.terminal);
  let before: KnownExploitedCatalog | undefined;
  for (const [index, entry] of entries.entries()) {
    progress.show(`reading catalog ${index + 1} of ${entries.length}`);
    const catalog = (await openCatalog(store, entry))?.catalog;
    if (catalog === undefined) continue;
    yield { entry, catalog, before };
    before = catalog;
  }
  progress.clear();
}

async function steps(
  store: CatalogStore,
  entries: readonly CatalogEntry[],
  last: number,
  session: Session,
): Promise<Step[]> {
  const found: Step[] = [];
  // One more, which the first of them is compared with.
  for await (const { entry, catalog, before } of inOrder(store, entries.slice(-last - 1), session)) {
    const changes = before === undefined ? undefined : compareCatalogs(before, catalog);
    found.push({
      ...shownCatalog(entry),
      ...(changes !== undefined && {
        changes: {
          added_count: changes.added.length,
          removed_count: changes.removed.length,
          changed_count: changes.changed.length,
        },
      }),
    });
  }
  return found.slice(-last);
}

async function appearances(
  store: CatalogStore,
  entries: readonly CatalogEntry[],
  cve: string,
  session: Session,
): Promise<CatalogEvent[]> {
  const events: CatalogEvent[] = [];
  for await (const { entry, catalog, before } of inOrder(store, entries, session)) {
    const { catalogVersion, fetchedAt } = entry;
    const [was, is] = [before?.entries.get(cve), catalog.entries.get(cve)];
    const changes = was === undefined || is === undefined ? undefined : compareEntries(was, is)?.changes;
    const at = { catalog_version: catalogVersion, fetched_at: fetchedAt };
    if (was === undefined && is !== undefined) {
      events.push({ ...at, event: before === undefined ? 'first_seen' : 'added', entry: is });
    } else if (was !== undefined && is === undefined) events.push({ ...at, event: 'removed', entry: was });
    else if (changes !== undefined) events.push({ ...at, event: 'changed', changes });
  }
  return events;
}

const CATALOGS: readonly Column[] = [
  { heading: 'VERSION', rank: 1 },
  { heading: 'ENTRIES', rank: 1 },
  { heading: 'ADDED', rank: 1 },
  { heading: 'REMOVED', rank: 1 },
  { heading: 'CHANGED', rank: 1 },
  { heading: 'FETCHED', rank: 2 },
  { heading: 'CHECKED', rank: 3 },
  { heading: 'FEED', rank: 4 },
];

function table(catalogs: readonly Step[], view: TableView): string {
  return columnTable(
    CATALOGS,
    catalogs.map(({ catalog_version, entry_count, forced, changes, fetched_at, checked_at, feed }) => [
      `${catalog_version}${forced === true ? ' (forced)' : ''}`,
      String(entry_count),
      ...[changes?.added_count, changes?.removed_count, changes?.changed_count].map((number) => String(number ?? '-')),
      fetched_at,
      checked_at,
      feed,
    ]),
    view,
  );
}

const EVENTS: readonly Column[] = [
  { heading: 'CATALOG', rank: 1 },
  { heading: 'FETCHED', rank: 2 },
  { heading: 'EVENT', rank: 1 },
  { heading: 'ENTRY', rank: 1, shortest: 32 },
];

function describeEvents(cve: string, events: readonly CatalogEvent[], view: TableView): string {
  if (events.length === 0) return `${cve} is in none of the catalogs that are kept\n`;
  return columnTable(
    EVENTS,
    events.map(({ catalog_version, fetched_at, event, entry, changes }) => [
      catalog_version,
      fetched_at,
      event.replace('_', ' '),
      entry === undefined ? fieldChanges(changes ?? {}) : entryLine(entry as KnownExploitedEntry),
    ]),
    view,
  );
}

function parseNumber(text: string): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number >= 1) return number;
  throw new InvalidArgumentError('A whole number from 1 is expected.');
}
