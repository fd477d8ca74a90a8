import { CallerDesk } from '@colophon/issuer';
import type { Database } from '@colophon/store';
import type { Command } from 'commander';
import { type IssuerPlace, issuerPlace, issuerPlaceAtOnce } from '../configuration/issuer-place.ts';
import { readDatabase } from '../database/database.ts';
import { changeLedger, withUpLine } from '../database/ledger-change.ts';
import { startedInstallation } from '../home/started-installation.ts';
import type { Session } from '../program/program.ts';

/** Where the issuer keeps its callers, and what its configuration says about them. */
export type CallerPlace = {
  readonly dataDir: string;
  /** The global `--data` of the line. */
  readonly data: string | undefined;
  /** Callers of the configuration, by name; undefined where none is named. */
  readonly configured: readonly string[] | undefined;
  /** Those of them that may have API keys. */
  readonly keyed: readonly string[];
  /** Days that a key may live, where they are configured. */
  readonly maxKeyDays: number | undefined;
};

/** The one place where the data folder and the configured callers are looked up. @throws CliError `cli.no_issuer` */
export function callerPlace(command: Command, session: Session): CallerPlace {
  return placeOf(issuerPlace(command, session));
}

/** The same for a list and a revocation, which no other error in a configuration may stop. */
export function callerPlaceAtOnce(command: Command, session: Session): CallerPlace {
  return placeOf(issuerPlaceAtOnce(command, session));
}

function placeOf({ dataDir, data, configuration }: IssuerPlace): CallerPlace {
  startedInstallation(dataDir, data);
  const callers = configuration?.live.callerList;
  return {
    dataDir,
    data,
    configured: callers?.map(({ name }) => name),
    keyed: callers?.filter(({ apiKey }) => apiKey).map(({ name }) => name) ?? [],
    maxKeyDays: configuration?.fixed.limits.apiKeyDays,
  };
}

/** Reads keys and callers, also while the server runs; changes nothing. */
export function readCallers<T>({ dataDir, data }: CallerPlace, read: (db: Database) => T): T {
  return withUpLine(data, () => readDatabase(dataDir, read));
}

/** Changes keys and callers, also while the server runs: it looks at the file with each request. */
export async function changeCallers<T>(
  { dataDir, data }: CallerPlace,
  change: (desk: CallerDesk) => Promise<T>,
): Promise<T> {
  return changeLedger(dataDir, data, (db) => change(new CallerDesk(db)));
}
