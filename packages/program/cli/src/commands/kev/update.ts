import type { RemediationRecord } from '@colophon/records';
import { type CatalogRefresh, RemediationDesk, refreshCatalog, shownRefresh } from '@colophon/remediation';
import { type CatalogEntry, CatalogStore } from '@colophon/store';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import type { KevUpdateResult } from '../../known-exploited/catalog-result.ts';
import { OFFICIAL_FEED } from '../../known-exploited/catalog-source.ts';
import { type Colours, changeCounts, changeLines, entriesCounted } from '../../known-exploited/catalog-words.ts';
import { currentTime } from '../../known-exploited/staleness.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { showUntilDone } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { coloursFor, oneLine } from '../../terminal/terminal.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../../triage-database/triage-database.ts';

type UpdateFlags = TriageDatabaseFlags & {
  readonly kev?: string;
  readonly force?: boolean;
  readonly allowHttp?: boolean;
  readonly timeout?: number;
  readonly output: OutputFormat;
};
type Refreshed = Exclude<CatalogRefresh, { outcome: 'refused' }>;

const VARIABLE = 'COLOPHON_KEV_FEED';
/** Lines of each kind of change. */
const MOST_SHOWN = 20;
const LONGEST_TIMEOUT_SECONDS = 3600;

/** `colophon kev update`: the catalog of a feed, kept where it is plausible (contract §2.8, §4.3). Exit 20 refuses it. */
export function defineUpdate(command: Command, session: Session): void {
  withNeeds(command, {
    what: 'where the catalog is published',
    oneOf: ['--kev', `$${VARIABLE}`],
    value: OFFICIAL_FEED,
  })
    .option('--kev <file-or-url>', `where the known-exploited catalog is published (default: $${VARIABLE})`)
    .option('--force', 'accept a feed that shrank, is older than the kept one, or is dated in the future')
    .option('--allow-http', 'read a feed over plain http from another machine')
    .option('--timeout <seconds>', 'how long the whole response may take (default: 60)', parseSeconds)
    .addHelpText('after', example('colophon kev update --kev \\', `  ${OFFICIAL_FEED}`));
  withTriageDatabase(command)
    .addOption(outputOption())
    .action(async (flags: UpdateFlags, command: Command) => {
      const feed = flags.kev ?? (session.env[VARIABLE] as string);
      const db = await openTriageDatabase(flags, command, session);
      try {
        const store = await CatalogStore.open(db);
        const done = showUntilDone(session.terminal, 'fetching the catalog …');
        const refresh = await refreshCatalog({
          store,
          feed,
          now: currentTime,
          force: flags.force,
          allowHttp: flags.allowHttp,
          timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
          signal: session.signal,
        }).finally(done);
        if (refresh.outcome === 'refused') throw refused(refresh);
        // Also after "unchanged": records may be newer than the catalog, and the last update may have ended right here.
        const desk = await RemediationDesk.over(db);
        const records = await desk.escalate(refresh.catalog, { at: refresh.entry.checkedAt, by: 'colophon' });
        const result: KevUpdateResult = { ok: true, ...shownRefresh(refresh), records };
        const { terminal } = session;
        const colours = coloursFor(terminal, terminal.stdout);
        for (const { message, code } of result.warnings) terminal.stderr.write(`${oneLine(`${message} [${code}]`)}\n`);
        printResult(terminal, flags.output, result, () =>
          describe(refresh, records, colours)
            .map((line) => `${wrapLine(line, widthOf({ terminal }))}\n`)
            .join(''),
        );
      } finally {
        await db.close();
      }
    });
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds;
  throw new InvalidArgumentError(`Seconds from 1 to ${LONGEST_TIMEOUT_SECONDS} are expected.`);
}

function refused({ feed, issues, canBeForced, kept }: Extract<CatalogRefresh, { outcome: 'refused' }>): CliError {
  const stays = kept === undefined ? 'no catalog is kept' : `${editionOf(kept)}, stays`;
  const code = canBeForced ? 'cli.catalog_refused' : 'cli.catalog_invalid';
  const message = canBeForced ? 'the feed is not plausible' : 'the feed is not a known-exploited catalog';
  return new CliError(code, `${message}; ${stays}`, {
    checked: feed,
    issues,
    next: canBeForced
      ? 'check the feed; --force stores it anyway'
      : 'check the address: it may serve an error page, a truncated catalog, or CSV, which is not supported',
  });
}

function editionOf({ catalogVersion, count, fetchedAt }: CatalogEntry): string {
  return `catalog ${oneLine(catalogVersion)} with ${entriesCounted(count)}, fetched ${fetchedAt}`;
}

function describe(refresh: Refreshed, records: readonly RemediationRecord[], colours: Colours): string[] {
  const { feed, checkedAt, digest } = refresh.entry;
  const changes = refresh.outcome === 'updated' ? refresh.changes : undefined;
  const lines = [
    `${refresh.outcome === 'updated' ? colours.green('kept') : 'unchanged'}  ${editionOf(refresh.entry)}`,
    `  feed    ${oneLine(feed)}`,
    `  digest  ${digest}`,
    `  asked   ${checkedAt}`,
  ];
  if (changes !== undefined) {
    lines.push('', `since ${oneLine(changes.from.catalog_version)}: ${changeCounts(changes)}`);
    lines.push(...changeLines(changes, colours, MOST_SHOWN).map((line) => `  ${line}`));
  }
  if (records.length > 0) lines.push('', `open records that this changes: ${records.length}`);
  lines.push(...records.slice(0, MOST_SHOWN).map((record) => `  ${recordLine(record)}`));
  if (records.length > MOST_SHOWN) lines.push('  … colophon remediation list has them all');
  return lines;
}

function recordLine({ product, cve, component, cisa_kev, remediation_priority, due_at }: RemediationRecord): string {
  const event = cisa_kev ? 'is exploited' : 'has left the catalog, and keeps its priority';
  return oneLine(
    `${cve} in ${component} of ${product} ${event}: ${remediation_priority}, due ${due_at ?? 'at no time'}`,
  );
}
