import type { Database } from '@colophon/store';
import { CtEntryStore, LogEntryStore, UsedTokenStore } from '@colophon/store';
import { CertificateLogCheck } from './certificate-log-check.ts';
import { type LogContent, type LogReport, type LogTrust, verifyLog } from './log-check.ts';
import { TransparencyLogCheck } from './transparency-log-check.ts';

/**
 * Reads both logs from end to end, and believes nothing that is only stored: every leaf is hashed again from its
 * content, every node of the trees is computed from these hashes, every head that was ever signed must have that root and a
 * valid signature, and what stands beside the entries (times, promises, chains, search keys) is held against them. Writes
 * nothing; the database may be opened for reading alone. What a damaged file holds is a problem, and thrown by nobody.
 *
 * @throws StoreError where the file cannot be read, or a tree contradicts its newest head
 */
export function verifyLogs(db: Database, trust: LogTrust): LogReport[] {
  const entries = new LogEntryStore(db);
  const certificates = new CtEntryStore(db);
  const contents: readonly LogContent[] = [
    new TransparencyLogCheck(entries, trust),
    new CertificateLogCheck(certificates, trust),
  ];
  const reports = contents.map((content) => verifyLog(db, content));
  const [first] = reports;
  const problems = [...fileProblems(db), ...first!.problems];
  const checks = [
    ...first!.checks,
    { check: 'file', detail: 'every page, row and index entry of the database, by SQLite’s integrity check' },
  ];
  return [{ ...first!, problems, checks }, ...reports.slice(1)];
}

function* fileProblems(db: Database): Generator<string> {
  for (const row of db.sqlite.prepare('PRAGMA integrity_check(20)').all()) {
    const finding = String(row['integrity_check']);
    if (finding !== 'ok') yield `the file is damaged: ${finding}`;
  }
  const isUsed = db.sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'used_token'").get() !== undefined;
  const changed = isUsed ? new UsedTokenStore(db).check().changed : 0;
  if (changed > 0) yield `${changed} used tokens are not as they were written`;
  for (const table of db.changedTables()) yield `${table} is not the table or index that this program makes`;
}
