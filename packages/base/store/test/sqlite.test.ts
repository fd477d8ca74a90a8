import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { jobStoreContract } from './job-store-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { codeOf, connected, sqlDatabaseContract } from './sql-database-contract.ts';
import { triageStoresContract } from './triage-stores-contract.ts';

const freshAddress = () => join(temporaryFolder(onTestFinished), 'triage.db');

describe('SQLite', () => {
  sqlDatabaseContract(freshAddress);
  triageStoresContract(freshAddress);
  jobStoreContract(freshAddress);
  ledgerContract(freshAddress, { atOnce: 1_000 });

  test('held by another writer is unavailable, nothing is written, and it works again', async () => {
    const address = freshAddress();
    const { DatabaseSync } = await import('node:sqlite');
    const db = await connected(address);
    await db.migrate('test', ['CREATE TABLE t (a BIGINT)']);
    const other = new DatabaseSync(address);
    onTestFinished(() => other.close());
    await db.all({ text: 'PRAGMA busy_timeout = 1' });
    other.exec('BEGIN IMMEDIATE');
    const insert = { text: 'INSERT INTO t VALUES (1)' };
    expect(await codeOf(db.write([insert]))).toBe('store.unavailable');
    other.exec('COMMIT');
    expect(await db.write([insert])).toEqual([1]);
    expect(await db.all({ text: 'SELECT a FROM t' })).toHaveLength(1);
  });
});
