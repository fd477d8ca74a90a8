import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseFeedAddress } from '@colophon/catalogs';
import { currentPublications, openSource } from '@colophon/publishing';
import { isEmailAddress } from '@colophon/records';
import {
  type Job,
  kevRefreshJob,
  newestCatalog,
  RemediationDesk,
  refreshCatalog,
  rescanJob,
  rescanPublication,
} from '@colophon/remediation';
import type { RemediationPolicy } from '@colophon/remediation-rules';
import { requireScanner } from '@colophon/scanners';
import { CatalogStore, type SqlDatabase } from '@colophon/store';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { placeOf, placeOptions } from '../commands/sbom/publishing-place.ts';
import type { Session } from '../program/program.ts';
import { policyOf } from '../remediation-desk/desk-session.ts';
import { coloursFor } from '../terminal/terminal.ts';
import { assertScheduleFits, DEFAULT_EVERY_SECONDS, FEED_VARIABLE, type ScheduleFlags } from './schedule-flags.ts';

/** A re-scan of everything that takes longer is taken for hanging, seconds. */
const RESCAN_TIMEOUT_SECONDS = 6 * 3600;

/** What is to be done again and again; `policy` where SBOMs are scanned. */
export type ScheduledWork = { readonly feed?: string; readonly policy?: RemediationPolicy };

/**
 * What the flags name, and that it can be done on this machine: asked before anything is opened or made.
 * @throws CliError `cli.usage` for an owner that is no e-mail address, `cli.file_unreadable` where the
 * place is a folder that is not there, `cli.policy_invalid`;
 * ScannerError `feeds.scanner_missing`
 */
export async function scheduledWork(flags: ScheduleFlags, session: Session): Promise<ScheduledWork> {
  assertScheduleFits(flags);
  const feed = flags.kev ?? (session.env[FEED_VARIABLE] || undefined);
  assertThere('--rescan', flags.rescan, 'folder');
  assertThere('--kev', feed, 'file');
  const policy = flags.rescan === undefined ? undefined : await scanningPolicy(flags, session);
  return { ...(feed !== undefined && { feed }), ...(policy !== undefined && { policy }) };
}

/**
 * What is not there would be asked for again and again: a folder would have nothing published in it, and of a feed there
 * would be a job for ever that fails.
 */
function assertThere(flag: string, place: string | boolean | undefined, kind: 'file' | 'folder'): void {
  if (typeof place !== 'string' || /^[a-z][a-z0-9+.-]*:\/\//i.test(place) || existsSync(place)) return;
  throw new CliError('cli.file_unreadable', `${place}: there is no such ${kind}`, { checked: flag });
}

async function scanningPolicy(flags: ScheduleFlags, session: Session): Promise<RemediationPolicy> {
  const { owner, scanner } = flags;
  if (owner !== undefined && !isEmailAddress(owner)) {
    throw new CliError('cli.usage', 'the owner is no e-mail address', {
      checked: '--owner',
      expected: 'e.g. dana@example.com',
      found: owner,
    });
  }
  requireScanner({ scanner, env: session.env });
  return policyOf(flags, session);
}

/**
 * The jobs of this work, over this database.
 * @throws CatalogError `feeds.catalog_address_refused`; PublishingError `publishing.target_invalid`
 */
export async function scheduledJobs(
  { feed, policy }: ScheduledWork,
  flags: ScheduleFlags,
  command: Command,
  session: Session,
  db: SqlDatabase,
): Promise<readonly Job[]> {
  if (feed === undefined) await warnOfNoCatalog(db, session);
  return [
    ...(feed === undefined ? [] : [await kevRefresh(feed, flags, db)]),
    ...(policy === undefined ? [] : [await rescan(policy, flags, command, session, db)]),
  ];
}

/** A word for this process that no other has, and that says where it runs. */
export function processOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
}

async function kevRefresh(feed: string, { allowHttp, every }: ScheduleFlags, db: SqlDatabase): Promise<Job> {
  const { name } = parseFeedAddress(feed, allowHttp);
  const [store, desk] = [await CatalogStore.open(db), await RemediationDesk.over(db)];
  return kevRefreshJob({
    feed: name,
    everySeconds: every ?? DEFAULT_EVERY_SECONDS.kevRefresh,
    refresh: (signal) => refreshCatalog({ store, feed, now: timeNow, allowHttp, signal }),
    escalate: async (catalog, at) => (await desk.escalate(catalog, { at, by: 'colophon' })).length,
  });
}

async function rescan(
  policy: RemediationPolicy,
  flags: ScheduleFlags,
  command: Command,
  session: Session,
  db: SqlDatabase,
): Promise<Job> {
  const { scanner, owner, every, rescan: named } = flags;
  const options = await placeOptions(flags, session, { isAnybodys: true });
  const address = placeOf(named === true ? undefined : named, command, session);
  // Opened anew each time: the signal is that of the run.
  const sourceFor = (signal: AbortSignal) => openSource(address, { ...options, signal });
  const { place } = await sourceFor(session.signal);
  const context = { db, catalogs: await CatalogStore.open(db), scanner, env: session.env, policy, owner, now: timeNow };
  return rescanJob({
    place,
    everySeconds: every ?? DEFAULT_EVERY_SECONDS.rescan,
    timeoutSeconds: RESCAN_TIMEOUT_SECONDS,
    publications: async (signal) => {
      assertThere('--rescan', flags.rescan, 'folder');
      return currentPublications(await sourceFor(signal));
    },
    rescan: async (name, signal) => rescanPublication({ ...context, source: await sourceFor(signal), name, signal }),
  });
}

/** A re-scan alone does not know what is exploited. */
async function warnOfNoCatalog(db: SqlDatabase, { terminal }: Session): Promise<void> {
  if ((await newestCatalog(await CatalogStore.open(db))) !== undefined) return;
  const what = 'no known-exploited catalog is kept: no priority counts exploitation. Add --kev FILE';
  terminal.stderr.write(`${coloursFor(terminal).yellow('warning')} ${what}\n`);
}

function timeNow(): string {
  return new Date().toISOString();
}
