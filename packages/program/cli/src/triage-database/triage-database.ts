import { existsSync } from 'node:fs';
import { dataPaths } from '@colophon/server/data-folder';
import { hasPassword, isPostgresqlAddress, openSqlDatabase, type SqlDatabase } from '@colophon/store';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { dataFolder } from '../home/home.ts';
import { dataFlag, type Session } from '../program/program.ts';

/** What {@link withTriageDatabase} adds to the flags of a command. */
export type TriageDatabaseFlags = { readonly database?: string };

const VARIABLE = 'COLOPHON_DATABASE';

/** Adds `--database` to a command that works with remediation records, catalogs or jobs. */
export function withTriageDatabase(command: Command): Command {
  return command.option(
    '--database <file>',
    `SQLite file, or postgres://user@host/name without a password (default: $${VARIABLE}, else remediation.db in the data folder)`,
  );
}

/**
 * The database that the flag names, else the environment, else the data folder's own, which is made on first use (mode
 * 0600). With `mustExist` a file that is not there is an error with the next step, for commands that only read.
 * @throws CliError `cli.usage`, `cli.no_database`; StoreError `store.address_invalid`, `store.unauthorized`,
 * `store.unavailable`, `store.corrupt`
 */
export async function openTriageDatabase(
  flags: TriageDatabaseFlags,
  command: Command,
  { env }: Pick<Session, 'env'>,
  { mustExist = false, next = 'colophon remediation open' }: { mustExist?: boolean; next?: string } = {},
): Promise<SqlDatabase> {
  const address = flags.database ?? (env[VARIABLE] || dataPaths(dataFolder(env, dataFlag(command))).triageDatabase);
  // Loaded here: most commands need no database.
  if (isPostgresqlAddress(address)) {
    if (flags.database !== undefined && hasPassword(flags.database)) throw passwordOnLine();
  } else if (/^(?:[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(address)) {
    throw new CliError('cli.usage', 'this is the address of no database that can be used', {
      checked: flags.database === undefined ? `$${VARIABLE}` : '--database',
      expected: 'the name of a SQLite file, or postgres://user@host/name',
    });
  } else if (mustExist && !existsSync(address)) {
    throw new CliError('cli.no_database', 'nothing was ever recorded here', { checked: address, next });
  }
  if (isPostgresqlAddress(address)) return openSqlDatabase(address);
  return withFacts({ checked: address }, () => openSqlDatabase(address));
}

function passwordOnLine(): CliError {
  const reason =
    'a password on a command line is read by everybody on this machine, and stays in the history of the shell';
  return new CliError('cli.usage', reason, {
    checked: '--database',
    expected: `the address without a password; the password in PGPASSWORD or ~/.pgpass, or the whole address in $${VARIABLE}`,
  });
}
