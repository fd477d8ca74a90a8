import { SCANNER_NAMES, type ScannerName } from '@colophon/scanners';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { PLACE_HELP, type PlaceFlags, withPlace } from '../commands/sbom/publishing-place.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../triage-database/triage-database.ts';
import { parseInterval } from './interval.ts';

/** What {@link withSchedule} adds to the flags of a command. */
export type ScheduleFlags = TriageDatabaseFlags &
  PlaceFlags & {
    readonly kev?: string;
    readonly allowHttp?: boolean;
    /** True for the place that the server of this data folder serves. */
    readonly rescan?: string | true;
    readonly scanner?: ScannerName;
    readonly owner?: string;
    readonly remediationPolicy?: string;
    /** Seconds. */
    readonly every?: number;
  };

/** Variable with the known-exploited feed, as in `kev update`. */
export const FEED_VARIABLE = 'COLOPHON_KEV_FEED';

/** How often each job runs where nobody says it, seconds. */
export const DEFAULT_EVERY_SECONDS = { kevRefresh: 6 * 3600, rescan: 24 * 3600 } as const;

/**
 * Refuses flags of a job that is not asked for.
 * @throws CliError `cli.usage`
 */
export function assertScheduleFits({ rescan, owner, scanner, remediationPolicy }: ScheduleFlags): void {
  if (rescan !== undefined) return;
  const given = { '--owner': owner, '--scanner': scanner, '--remediation-policy': remediationPolicy };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  throw new CliError('cli.usage', `${names.join(' and ')} is for a re-scan`, {
    expected: 'with --rescan',
    found: names.join(', '),
  });
}

/** Adds what says which jobs are run, and how often. */
export function withSchedule(command: Command): Command {
  command
    .option('--kev <file-or-url>', 'refresh the known-exploited catalog from there')
    .option('--allow-http', 'read a feed over plain http from another machine')
    .option('--rescan [place]', `scan the newest SBOM of each artifact that is published here: ${PLACE_HELP}`)
    .addOption(
      new Option('--scanner <name>', 'which scanner (default: the first that is installed)').choices(SCANNER_NAMES),
    )
    .option('--owner <email>', 'owner of the records that a re-scan opens')
    .option('--remediation-policy <file>', 'who must own records (default: $COLOPHON_REMEDIATION_POLICY)')
    .option(
      '--every <time>',
      'from one run to the next, e.g. 15m, 6h, 1d (default: 6h the feed, 1d the SBOMs)',
      parseInterval,
    );
  return withTriageDatabase(withPlace(command, { isAnybodys: true }));
}
