import { existsSync } from 'node:fs';
import { dataPaths } from '@colophon/server/data-folder';
import { type Database, openDatabase } from '@colophon/store';
import { CliError } from '../cli-error/cli-error.ts';
import { upLine } from '../home/up-line.ts';

/**
 * Reads the data folder's database, also while the server writes; changes nothing.
 * @param isChecked - false for a reader that checks the structure of the file itself
 */
export function readDatabase<T>(dataDir: string, read: (db: Database) => T, isChecked = true): T {
  return readDatabaseFile(requireDatabase(dataDir), read, isChecked);
}

/** The same of a file that is there. */
export function readDatabaseFile<T>(file: string, read: (db: Database) => T, isChecked = true): T {
  const db = openDatabase(file, { readonly: true, isChecked });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/**
 * The file of the data folder's database.
 * @param data the global `--data` of the line, for what to type next
 * @throws CliError `cli.file_unreadable` (exit 11) where there is none
 */
export function requireDatabase(dataDir: string, data?: string): string {
  const file = dataPaths(dataDir).database;
  if (existsSync(file)) return file;
  throw new CliError('cli.file_unreadable', 'nothing was ever started in this data folder', {
    checked: file,
    next: upLine(data),
    kind: 'not-found',
  });
}
