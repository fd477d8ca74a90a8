import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '@colophon/durable-file';

/** Who connects to what. */
export type PostgresqlLogin = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
};

/** Others may do something with the file. */
const OTHERS = 0o077;

/**
 * The password of the first line that fits in `$PGPASSFILE`, else `~/.pgpass`; undefined where there is none. A file that
 * others can open is passed over, as every client of PostgreSQL does.
 * @see https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function passwordFromFile(login: PostgresqlLogin, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const file = env['PGPASSFILE'] || join(homeFolder(env), '.pgpass');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || (found.mode & OTHERS) !== 0) return undefined;
  // A socket's folder is called localhost in this file.
  const host = login.host.startsWith('/') ? 'localhost' : login.host;
  const wanted = [host, String(login.port), login.database, login.user];
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    const fields = line.startsWith('#') ? [] : fieldsOf(line);
    const password = fields[wanted.length];
    if (password && wanted.every((value, i) => fields[i] === '*' || fields[i] === value)) return password;
  }
  return undefined;
}

/** Between colons; a backslash takes the character after it as it is. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|:)((?:[^:\\]|\\.)*)/g)].map(([, field = '']) => field.replace(/\\(.)/g, '$1'));
}
