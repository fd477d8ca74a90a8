import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { UsedTokenStore } from './used-token-store.ts';

test('a token is used once until it may be forgotten', async () => {
  const db = openDatabase(':memory:');
  const store = new UsedTokenStore(db);
  const use = (token: number, now: number) =>
    db.write(() => store.use(new Uint8Array(32).fill(token), { now, forgetAt: 100 }));
  expect(await use(1, 0)).toBe(true);
  expect(await use(1, 1)).toBe(false);
  expect(await use(2, 1)).toBe(true);
  expect(await use(1, 100)).toBe(false);
  expect(await use(1, 101)).toBe(true);
  db.close();
});

test('a token that was used for one purpose is unused for another', async () => {
  const db = openDatabase(':memory:');
  const [one, other] = [new UsedTokenStore(db), new UsedTokenStore(db, 'used_caller_token')];
  const use = (store: UsedTokenStore) => db.write(() => store.use(new Uint8Array(32), { now: 1, forgetAt: 100 }));
  expect([await use(one), await use(other), await use(one), await use(other)]).toEqual([true, true, false, false]);
  db.close();
});
