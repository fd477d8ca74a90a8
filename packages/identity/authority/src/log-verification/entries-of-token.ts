import { X509Certificate } from 'node:crypto';
import { CtEntryStore, type Database, LogEntryStore } from '@colophon/store';
import { decodeEntry } from '../ct-log/logged-certificate.ts';
import { recordedSigners } from '../log-entry/recorded-signers.ts';
import type { TokenEntries } from './log-result.ts';

/**
 * Every entry of both logs with a certificate that names this token: what was certified of it, and what was signed with that. Both logs
 * are read from end to end. `db` may be opened for reading alone; a file without logs has no entries.
 * @param firstIndex entries of the trees before the one in this file
 * @throws StoreError where the file cannot be read
 */
export function entriesOfToken(db: Database, jti: string, firstIndex = 0): TokenEntries {
  const name = Buffer.from(jti);
  return {
    certificates: hasTable(db, 'ct_entry') ? [...certificatesOf(db, name)] : [],
    log_entries: hasTable(db, 'log_entry') ? [...logEntriesOf(db, name, firstIndex)] : [],
  };
}

function* certificatesOf(db: Database, name: Buffer): Generator<TokenEntries['certificates'][number]> {
  for (const { entry_index, leaf_input, extra_data, timestamp } of new CtEntryStore(db).rowsFrom()) {
    if (!has(leaf_input, name)) continue;
    const submitted = decodeEntry(leaf_input, extra_data)?.submitted;
    yield {
      log_index: entry_index,
      serial: submitted === undefined ? '' : new X509Certificate(submitted).serialNumber.toLowerCase(),
      logged_at: new Date(timestamp).toISOString(),
    };
  }
}

function* logEntriesOf(db: Database, name: Buffer, firstIndex: number): Generator<TokenEntries['log_entries'][number]> {
  const entries = new LogEntryStore(db);
  const tree = (entries.knownTreeId() ?? 0n).toString(16).padStart(16, '0');
  for (const { log_index, leaf_hash, body, integrated_time } of entries.rowsFrom()) {
    if (!recordedSigners(body).some(({ chain }) => chain.some(({ raw }) => has(raw, name)))) continue;
    yield {
      log_index: firstIndex + log_index,
      uuid: tree + Buffer.from(leaf_hash).toString('hex'),
      integrated_at: new Date(integrated_time * 1000).toISOString().replace('.000Z', 'Z'),
    };
  }
}

function has(bytes: Uint8Array, name: Buffer): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(name);
}

function hasTable({ sqlite }: Database, table: string): boolean {
  return sqlite.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
}
