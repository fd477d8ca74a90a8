import { join } from 'node:path';
import {
  consistencyProof,
  EMPTY_ROOT,
  hashLeaf,
  inclusionProof,
  rootFromLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '@colophon/merkle';
import { seededBytes, temporaryFolder } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { MerkleLogStore, type TreeName } from './merkle-log-store.ts';

const fails = (code: string) => expect.objectContaining({ name: 'StoreError', code });
const leaf = (i: number, salt = 'leaf') => hashLeaf(seededBytes(`${salt} ${i}`, 16));
const leaves = (count: number) => Array.from({ length: count }, (_, i) => leaf(i));

function memory(): Database {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  return db;
}

/** A store with `count` leaves. */
async function grown(count: number, db: Database = memory(), tree: TreeName = 'ledger'): Promise<MerkleLogStore> {
  const log = new MerkleLogStore(db, tree);
  await db.write(() => {
    for (const hash of leaves(count)) log.append(hash);
  });
  return log;
}

const sign = (db: Database, log: MerkleLogStore, size = log.size(), note = `note ${size}`) =>
  db.write(() => log.saveHead({ size, root: log.root(size), note, signedAt: 1_000 + size }));

describe('a tree', () => {
  test('that is new is empty', () => {
    const log = new MerkleLogStore(memory(), 'rekor');
    expect(log.tree).toBe('rekor');
    expect(log.size()).toBe(0);
    expect(log.root()).toEqual(EMPTY_ROOT);
    expect(log.head()).toBeUndefined();
    expect(log.heads()).toEqual([]);
    expect(() => log.verify()).not.toThrow();
  });

  test('has its tables under a name of their own', () => {
    const db = memory();
    new MerkleLogStore(db, 'rekor');
    expect(db.sqlite.prepare('SELECT store, version FROM schema_version').all()).toEqual([
      { store: 'merkle', version: 3 },
    ]);
  });

  test('numbers its leaves from 0 and gives the root and the proofs of all of them', async () => {
    const db = memory();
    const log = new MerkleLogStore(db, 'rekor');
    const indexes = await Promise.all(leaves(21).map((hash) => db.write(() => log.append(hash))));
    expect(indexes).toEqual([...indexes.keys()]);
    expect(log.size()).toBe(21);
    for (let size = 0; size <= 21; size++) {
      const root = rootFromLeafHashes(leaves(size));
      expect(log.root(size)).toEqual(root);
      if (size === 0) continue;
      const proof = inclusionProof(size - 1, size, log.read);
      expect(verifyInclusion({ index: size - 1, size, leafHash: leaf(size - 1), proof, root })).toBe(true);
    }
    expect(log.root()).toEqual(log.root(21));
    expect(() => log.verify()).not.toThrow();
  });

  test('knows nothing of the other trees in the file', async () => {
    const db = memory();
    const ledger = await grown(3, db, 'ledger');
    const ct = await grown(2, db, 'ct');
    await sign(db, ledger);
    expect([ledger.size(), ct.size()]).toEqual([3, 2]);
    expect(ct.head()).toBeUndefined();
    expect(ct.heads()).toEqual([]);
    expect(() => ct.verify()).not.toThrow();
    expect(() => ct.read(0, 2)).toThrow(fails('store.tree_corrupt'));
  });

  test('has no root for more leaves than it has', async () => {
    const log = await grown(3);
    expect(() => log.root(4)).toThrow(TypeError);
    expect(() => log.root(-1)).toThrow(TypeError);
  });

  test('is the same after closing and opening', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const first = openDatabase(file);
    const before = await grown(6, first);
    const root = before.root();
    await sign(first, before);
    first.close();
    const second = openDatabase(file);
    onTestFinished(() => second.close());
    const after = new MerkleLogStore(second, 'ledger');
    expect(after.root()).toEqual(root);
    expect(after.head()).toMatchObject({ size: 6, note: 'note 6' });
    expect(await second.write(() => after.append(leaf(6)))).toBe(6);
    expect(after.root()).toEqual(rootFromLeafHashes(leaves(7)));
  });

  test('is read and verified by a program that may not write', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const writer = openDatabase(file);
    onTestFinished(() => writer.close());
    const log = await grown(5, writer);
    await sign(writer, log);
    const reader = openDatabase(file, { readonly: true });
    onTestFinished(() => reader.close());
    const copy = new MerkleLogStore(reader, 'ledger');
    expect(copy.head()).toEqual(log.head());
    expect(copy.root()).toEqual(log.root());
    expect(() => copy.verify()).not.toThrow();
    await writer.write(() => log.append(leaf(5)));
    expect(copy.size()).toBe(6);
  });

  test('cannot be read from a file without its tables', () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    openDatabase(file).close();
    const reader = openDatabase(file, { readonly: true });
    onTestFinished(() => reader.close());
    expect(() => new MerkleLogStore(reader, 'ledger')).toThrow(fails('store.schema_missing'));
  });
});

describe('appending', () => {
  test('outside a write is the caller’s mistake', () => {
    const log = new MerkleLogStore(memory(), 'ct');
    expect(() => log.append(leaf(0))).toThrow(TypeError);
    expect(log.size()).toBe(0);
  });

  test('that is undone leaves its place to the next in the same turn', async () => {
    const db = memory();
    const log = await grown(3, db);
    const undone = db.write(() => {
      expect(log.append(leaf(0, 'undone'))).toBe(3);
      throw new Error('mine');
    });
    const kept = db.write(() => log.append(leaf(3)));
    await expect(undone).rejects.toThrow('mine');
    expect(await kept).toBe(3);
    expect(log.size()).toBe(4);
    expect(log.root()).toEqual(rootFromLeafHashes(leaves(4)));
    expect(() => log.verify()).not.toThrow();
  });

  test('that is undone with its whole transaction leaves the size as it was', async () => {
    const db = memory();
    const log = await grown(3, db);
    const exec = db.sqlite.exec.bind(db.sqlite);
    db.sqlite.exec = (sql) => {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      exec(sql);
    };
    await expect(db.write(() => log.append(leaf(3)))).rejects.toEqual(fails('store.unavailable'));
    db.sqlite.exec = exec;
    expect(log.size()).toBe(3);
    expect(await db.write(() => log.append(leaf(3)))).toBe(3);
    expect(log.root()).toEqual(rootFromLeafHashes(leaves(4)));
  });

  test('any mixture of kept and undone leaves gives the tree of the kept ones', async () => {
    const turns = fc.array(fc.array(fc.boolean(), { maxLength: 6 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(turns, async (plan) => {
        const db = openDatabase(':memory:');
        const log = new MerkleLogStore(db, 'rekor');
        const kept: Uint8Array[] = [];
        let count = 0;
        for (const turn of plan) {
          const writes = turn.map((isKept) => {
            const hash = leaf(count++);
            if (isKept) kept.push(hash);
            return db.write(() => {
              log.append(hash);
              if (!isKept) throw new Error('undone');
            });
          });
          await Promise.allSettled(writes);
          await sign(db, log);
        }
        expect(log.size()).toBe(kept.length);
        expect(log.root()).toEqual(rootFromLeafHashes(kept));
        log.verify();
        const heads = log.heads();
        for (const { size: first, root: firstRoot } of heads)
          for (const { size: second, root: secondRoot } of heads.filter(({ size }) => size >= first)) {
            const proof = consistencyProof(first, second, log.read);
            expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true);
          }
        db.close();
      }),
      { numRuns: 40 },
    );
  });

  test('many leaves at once gives the tree that one after the other gives, wherever the cuts are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 9 }), { maxLength: 6 }), async (batches) => {
        const db = openDatabase(':memory:');
        const log = new MerkleLogStore(db, 'ledger');
        let size = 0;
        for (const count of batches) {
          const batch = Array.from({ length: count }, (_, i) => leaf(size + i));
          expect(await db.write(() => log.appendAll(batch))).toBe(size);
          size += count;
        }
        expect(log.size()).toBe(size);
        expect(log.root()).toEqual(rootFromLeafHashes(leaves(size)));
        log.verify();
        db.close();
      }),
      { numRuns: 40 },
    );
  });

  test('over a node that is there with another hash is a fork', async () => {
    const db = memory();
    const log = await grown(3, db);
    // What a file looks like that lost its last leaf and kept the subtree above it.
    db.sqlite.prepare("INSERT INTO merkle_node VALUES ('ledger', 1, 1, ?)").run(leaf(9));
    await expect(db.write(() => log.append(leaf(3)))).rejects.toEqual(fails('store.fork'));
    expect(log.size()).toBe(3);
  });

  test('over a node that is there with the same hash goes on', async () => {
    const db = memory();
    const log = await grown(4, db);
    const root = log.root();
    db.sqlite.exec("DELETE FROM merkle_node WHERE tree = 'ledger' AND level = 0 AND idx = 3");
    expect(await db.write(() => log.append(leaf(3)))).toBe(3);
    expect(log.root()).toEqual(root);
  });

  test('on a tree that lost a node is refused', async () => {
    const db = memory();
    const log = await grown(3, db);
    db.sqlite.exec("DELETE FROM merkle_node WHERE tree = 'ledger' AND level = 1");
    await expect(db.write(() => log.append(leaf(3)))).rejects.toEqual(fails('store.tree_corrupt'));
  });

  test('takes only whole hashes', async () => {
    const db = memory();
    const log = new MerkleLogStore(db, 'ct');
    await expect(db.write(() => log.append(new Uint8Array(31)))).rejects.toThrow(TypeError);
  });
});

describe('signed heads', () => {
  test('are kept for every size, newest last', async () => {
    const db = memory();
    const log = await grown(5, db);
    for (const size of [0, 2, 5]) await sign(db, log, size);
    expect(log.heads()).toMatchObject([
      { size: 0, root: EMPTY_ROOT, note: 'note 0', signedAt: 1_000 },
      { size: 2, root: rootFromLeafHashes(leaves(2)), note: 'note 2', signedAt: 1_002 },
      { size: 5, root: rootFromLeafHashes(leaves(5)), note: 'note 5', signedAt: 1_005 },
    ]);
    expect(log.head()).toEqual(log.heads().at(-1));
  });

  test('signed anew at one size keep the newest note', async () => {
    const db = memory();
    const log = await grown(2, db);
    await sign(db, log);
    await db.write(() => log.saveHead({ size: 2, root: log.root(), note: 'again', signedAt: 5_000 }));
    expect(log.heads()).toMatchObject([{ size: 2, note: 'again', signedAt: 5_000 }]);
  });

  test('with a root that is not the tree’s are a fork', async () => {
    const db = memory();
    const log = await grown(2, db);
    const forged = db.write(() => log.saveHead({ size: 2, root: leaf(7), note: '', signedAt: 1 }));
    await expect(forged).rejects.toEqual(fails('store.fork'));
    expect(log.head()).toBeUndefined();
  });

  test('do not go back', async () => {
    const db = memory();
    const log = await grown(3, db);
    await sign(db, log, 2);
    await expect(sign(db, log, 1)).rejects.toEqual(fails('store.fork'));
    expect(log.heads()).toHaveLength(1);
  });

  test('of more leaves than there are, or outside a write, are the caller’s mistake', async () => {
    const db = memory();
    const log = await grown(1, db);
    await expect(db.write(() => log.saveHead({ size: 2, root: leaf(0), note: '', signedAt: 1 }))).rejects.toThrow(
      TypeError,
    );
    expect(() => log.saveHead({ size: 1, root: log.root(), note: '', signedAt: 1 })).toThrow(TypeError);
    expect(log.head()).toBeUndefined();
  });
});

describe('a damaged tree', () => {
  /** Seven leaves, signed at 6; `sql` is what happens to the file. */
  async function damaged(sql: string, ...values: Uint8Array[]): Promise<{ db: Database; log: MerkleLogStore }> {
    const db = memory();
    const log = await grown(7, db);
    await sign(db, log, 3);
    await sign(db, log, 6);
    const { changes } = db.sqlite.prepare(sql).run(...values);
    expect(changes).toBeGreaterThan(0);
    return { db, log };
  }
  const at = (level: number, index: number) => `WHERE tree = 'ledger' AND level = ${level} AND idx = ${index}`;

  test('that is whole opens and verifies', async () => {
    const { db, log } = await damaged("UPDATE merkle_head SET note = 'x' WHERE size = 3");
    expect(() => new MerkleLogStore(db, 'ledger')).not.toThrow();
    expect(() => log.verify()).not.toThrow();
  });

  test.each([
    ['another root in the newest head', 'UPDATE merkle_head SET root = ? WHERE size = 6', [leaf(9)]],
    ['another subtree under the newest head', `UPDATE merkle_node SET hash = ? ${at(2, 0)}`, [leaf(9)]],
    ['a subtree missing under the newest head', `DELETE FROM merkle_node ${at(1, 2)}`, []],
    ['fewer leaves than were signed', "DELETE FROM merkle_node WHERE tree = 'ledger' AND level = 0 AND idx >= 5", []],
    ['no leaves at all', "DELETE FROM merkle_node WHERE tree = 'ledger'", []],
  ])('with %s does not open and does not verify', async (_, sql, values) => {
    const { db, log } = await damaged(sql, ...values);
    expect(() => new MerkleLogStore(db, 'ledger')).toThrow(fails('store.tree_corrupt'));
    expect(() => new MerkleLogStore(db, 'rekor')).not.toThrow();
    expect(() => log.verify()).toThrow(fails('store.tree_corrupt'));
  });

  test('with a hole beyond the newest head does not open', async () => {
    const db = memory();
    const log = await grown(7, db);
    await sign(db, log, 4);
    db.sqlite.exec(`DELETE FROM merkle_node ${at(1, 2)}`);
    expect(() => new MerkleLogStore(db, 'ledger')).toThrow(fails('store.tree_corrupt'));
  });

  test.each([
    ['another root in an older head', 'UPDATE merkle_head SET root = ? WHERE size = 3', [leaf(9)]],
    ['another leaf', `UPDATE merkle_node SET hash = ? ${at(0, 2)}`, [leaf(9)]],
    ['another inner node', `UPDATE merkle_node SET hash = ? ${at(1, 1)}`, [leaf(9)]],
    ['a leaf missing in the middle', `DELETE FROM merkle_node ${at(0, 2)}`, []],
    ['the first leaf missing', `DELETE FROM merkle_node ${at(0, 0)}`, []],
    ['an inner node missing', `DELETE FROM merkle_node ${at(1, 0)}`, []],
    ['a node that no leaf gives', "INSERT INTO merkle_node VALUES ('ledger', 3, 0, ?)", [leaf(9)]],
  ])('with %s does not verify', async (_, sql, values) => {
    const { log } = await damaged(sql, ...values);
    expect(() => log.verify()).toThrow(fails('store.tree_corrupt'));
  });

  test('with any bit of any hash flipped does not verify', async () => {
    const db = memory();
    const log = await grown(5, db);
    await sign(db, log);
    const rows = db.sqlite.prepare('SELECT level, idx, hash FROM merkle_node').all();
    const update = db.sqlite.prepare('UPDATE merkle_node SET hash = ? WHERE level = ? AND idx = ?');
    for (const { level, idx, hash } of rows as { level: number; idx: number; hash: Uint8Array }[]) {
      const flipped = hash.slice();
      flipped[31]! ^= 1;
      update.run(flipped, level, idx);
      expect(() => log.verify(), `${level}/${idx}`).toThrow(fails('store.tree_corrupt'));
      update.run(hash, level, idx);
    }
    expect(() => log.verify()).not.toThrow();
  });
});
