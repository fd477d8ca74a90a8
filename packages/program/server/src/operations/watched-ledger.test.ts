import { openDatabase, SqliteLedger } from '@colophon/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NO_METER } from './meter.ts';
import { WatchedLedger } from './watched-ledger.ts';

const row = (jti: string) => ({
  row: {
    jti,
    issued_at: 1,
    salt: new Uint8Array(32),
    leaf_version: 2,
    leaf_hash: new Uint8Array(32),
    payload: '{}',
    authorization: null,
  },
});

function watched() {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  const failed: string[] = [];
  const meter = { ...NO_METER, ledgerFailed: (operation: string) => void failed.push(operation) };
  const probe = vi.fn(() => db.probe());
  const ledger = new WatchedLedger(new SqliteLedger(db), { meter, probe, retryMs: 10 });
  onTestFinished(() => ledger.close());
  const readOnly = (on: boolean) => db.sqlite.exec(`PRAGMA query_only = ${on ? 1 : 0}`);
  return { ledger, readOnly, failed, probe };
}

test('a ledger that cannot be written is failing until something can be written, which is tried', async () => {
  const { ledger, readOnly, failed, probe } = watched();
  await ledger.append([row('a')]);
  expect(ledger.isFailing).toBe(false);
  readOnly(true);
  await expect(ledger.append([row('b')])).rejects.toMatchObject({ code: 'store.unavailable' });
  expect([ledger.isFailing, failed]).toEqual([true, ['write']]);
  await expect.poll(() => probe.mock.calls.length).toBeGreaterThan(2);
  expect(ledger.isFailing).toBe(true);
  readOnly(false);
  await expect.poll(() => ledger.isFailing).toBe(false);
});

test('while nothing failed nothing is tried, and a refused request is no failure', async () => {
  const { ledger, failed, probe } = watched();
  await ledger.append([row('a')]);
  await expect(ledger.append([row('a')])).rejects.toMatchObject({ code: 'store.conflict' });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([ledger.isFailing, failed, probe.mock.calls]).toEqual([false, [], []]);
});
