// What the stores of triage promise: run on SQLite and on PostgreSQL.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  CatalogStore,
  DocumentStore,
  type RemediationRow,
  RemediationStore,
  type StoredDocument,
} from '../src/index.ts';
import { codeOf, connected } from './sql-database-contract.ts';

const encoder = new TextEncoder();
const AT = '2026-11-21T10:00:00Z';

function document(text: string, kind: StoredDocument['kind'] = 'scan'): StoredDocument {
  const bytes = encoder.encode(text);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { digest, kind, name: 'file.json', bytes, addedAt: AT };
}

function row(id: string, more: Partial<RemediationRow> = {}): RemediationRow {
  const fixed = { revision: 1, product: 'shop', cve: 'CVE-2021-44228', isOpen: true, discoveredAt: AT };
  return { id, ...fixed, document: `{"id":"${id}"}`, ...more };
}

/** `freshAddress` gives the address of an empty database, another one each time. */
export function triageStoresContract(freshAddress: () => string): void {
  describe('documents', () => {
    test('are found by digest, with their own bytes, and by kind, oldest first', async () => {
      const store = await DocumentStore.open(await connected(freshAddress()));
      const [scan, sbom] = [document('{"a":1}'), document('{"b":2}', 'sbom')];
      const later = { ...document('{"c":3}'), addedAt: '2026-11-22T00:00:00Z' };
      await store.put([later, scan, sbom]);
      expect(await store.get(scan.digest)).toEqual(scan);
      expect(await store.get(document('other').digest)).toBeUndefined();
      expect((await store.list('scan')).map(({ digest, size }) => [digest, size])).toEqual([
        [scan.digest, 7],
        [later.digest, 7],
      ]);
    });

    test('that are there already stay as they are', async () => {
      const store = await DocumentStore.open(await connected(freshAddress()));
      const first = document('{}');
      await store.put([first, first]);
      await store.put([{ ...first, name: 'other.json', addedAt: '2027-01-01T00:00:00Z' }, document('[]')]);
      expect(await store.get(first.digest)).toEqual(first);
      expect(await store.list('scan')).toHaveLength(2);
    });

    test('may be of two kinds', async () => {
      const store = await DocumentStore.open(await connected(freshAddress()));
      const [scan, sbom] = [document('{}', 'scan'), document('{}', 'sbom')];
      await store.put([scan, sbom]);
      expect(await store.get(scan.digest, 'scan')).toEqual(scan);
      expect(await store.get(scan.digest, 'sbom')).toEqual(sbom);
      expect(await store.get(scan.digest, 'vex')).toBeUndefined();
    });

    test('under a digest that is not theirs are refused, and found damaged', async () => {
      const db = await connected(freshAddress());
      const store = await DocumentStore.open(db);
      const [scan, other] = [document('{}'), document('[]')];
      await expect(store.put([other, { ...scan, bytes: other.bytes }])).rejects.toThrow(TypeError);
      expect(await store.list('scan')).toEqual([]);
      await store.put([scan]);
      await db.write([{ text: 'UPDATE document SET content = ?', values: [other.bytes], changes: 1 }]);
      expect(await codeOf(store.get(scan.digest))).toBe('store.corrupt');
    });
  });

  describe('remediation records', () => {
    test('are inserted with their documents: all, or none', async () => {
      const db = await connected(freshAddress());
      const [store, documents] = [await RemediationStore.open(db), await DocumentStore.open(db)];
      await store.insert([row('b'), row('a')], [document('1')]);
      expect(await codeOf(store.insert([row('c'), row('a')], [document('2')]))).toBe('store.conflict');
      expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b']);
      expect(await documents.list('scan')).toHaveLength(1);
      expect(await store.get('a')).toEqual(row('a'));
      expect(await store.get('c')).toBeUndefined();
      await store.insert([]);
    });

    test('are changed by who read the newest revision, with their documents', async () => {
      const db = await connected(freshAddress());
      const [store, documents] = [await RemediationStore.open(db), await DocumentStore.open(db)];
      await store.insert([row('a'), row('b')]);
      const changed = row('a', { revision: 2, isOpen: false, document: '{"closed":true}' });
      await store.update(changed, 1, [document('1')]);
      expect(await codeOf(store.update({ ...changed, isOpen: true }, 1, [document('2')]))).toBe('store.conflict');
      expect(await codeOf(store.update({ ...changed, id: 'c' }, 1))).toBe('store.conflict');
      expect(await store.list()).toEqual([changed, row('b')]);
      expect(await documents.list('scan')).toHaveLength(1);
    });

    test('of which one was changed by another are changed not at all', async () => {
      const store = await RemediationStore.open(await connected(freshAddress()));
      await store.insert([row('a'), row('b')]);
      const next = (id: string) => ({ row: row(id, { revision: 2, isOpen: false }), expectedRevision: 1 });
      await store.updateAll([next('b')]);
      expect(await codeOf(store.updateAll([next('b'), next('a')]))).toBe('store.conflict');
      expect((await store.list({ isOpen: true })).map(({ id }) => id)).toEqual(['a']);
    });

    test.each([
      [{}, ['B', 'a', 'b', 'c', 'é']],
      [{ isOpen: true }, ['B', 'a', 'b', 'é']],
      [{ isOpen: false }, ['c']],
      [{ cve: 'CVE-2022-1' }, ['b']],
      [{ product: 'till' }, ['b', 'c']],
      [{ product: 'till', isOpen: true, cve: 'CVE-2022-1' }, ['b']],
      [{ product: 'till', cve: 'CVE-2022-2' }, []],
      [{ product: "' OR 1=1 --" }, []],
    ])('that fit %j are listed by id, in the same order on every database', async (filter, ids) => {
      const store = await RemediationStore.open(await connected(freshAddress()));
      const all = [row('é'), row('c', { product: 'till', isOpen: false }), row('a')];
      await store.insert([...all, row('b', { product: 'till', cve: 'CVE-2022-1' }), row('B')]);
      expect((await store.list(filter)).map(({ id }) => id)).toEqual(ids);
    });

    test.each([
      [{ vulnerabilities: ['CVE-2021-1'] }, ['ab1', 'ab2']],
      [{ vulnerabilities: ['GHSA-100%', 'nothing'] }, ['ab2']],
      [{ vulnerabilities: ['GHSA-100_'] }, []],
      [{ vulnerabilities: ['CVE-2021'] }, []],
      [{ vulnerabilities: ['CVE-2021-2"'] }, []],
      [{ vulnerabilities: [], idPrefix: 'ab' }, ['ab1', 'ab2']],
      [{ vulnerabilities: ['CVE-2021-2'], idPrefix: 'ab1' }, ['ab1', 'cd']],
      [{ vulnerabilities: [], idPrefix: '%' }, []],
      [{ vulnerabilities: [] }, []],
    ])('that are called %j are found in any of their names', async (named, ids) => {
      const store = await RemediationStore.open(await connected(freshAddress()));
      const called = (cve: string, ...aliases: string[]) => ({ cve, document: JSON.stringify({ cve, aliases }) });
      await store.insert([
        row('ab1', called('CVE-2021-1')),
        row('ab2', called('CVE-2021-3', 'CVE-2021-1', 'GHSA-100%')),
        row('cd', called('CVE-2021-2', 'GHSA-1000')),
      ]);
      expect((await store.list({ named })).map(({ id }) => id)).toEqual(ids);
      expect(await store.list({ named, isOpen: false })).toEqual([]);
    });

    test('go in by the thousand', async () => {
      const store = await RemediationStore.open(await connected(freshAddress()));
      const rows = Array.from({ length: 2501 }, (_, i) => row(`r${String(i).padStart(5, '0')}`));
      await store.insert(rows);
      expect(await store.list()).toEqual(rows);
    });
  });

  describe('catalogs', () => {
    const entry = (text: string, more: object = {}) => {
      const { digest, bytes } = document(text);
      const fields = { digest, catalogVersion: '2026.11.21', feed: 'https://feed.example/kev.json', fetchedAt: AT };
      return { entry: { ...fields, count: 3, ...more }, bytes };
    };

    test('the one that was added last is the newest, of its feed and of all', async () => {
      const store = await CatalogStore.open(await connected(freshAddress()));
      expect(await store.newest()).toBeUndefined();
      const first = entry('1', { etag: '"a"', lastModified: 'Sat, 21 Nov 2026 10:00:00 GMT' });
      // Fetched by a clock that is behind: added last all the same.
      const second = entry('2', { fetchedAt: '2026-01-01T00:00:00Z' });
      const other = entry('3', { feed: 'kev.json' });
      for (const { entry: one, bytes } of [first, second, other]) await store.add(one, bytes, await store.newest());
      expect(await store.newest(first.entry.feed)).toEqual({ ...second.entry, checkedAt: second.entry.fetchedAt });
      expect((await store.newest())?.digest).toBe(other.entry.digest);
      expect(await store.newest('nowhere')).toBeUndefined();
      expect((await store.list()).map(({ digest }) => digest)).toEqual(
        [first, second, other].map(({ entry: { digest } }) => digest),
      );
      expect((await store.list(first.entry.feed))[0]).toEqual({ ...first.entry, checkedAt: AT });
    });

    test('keep their bytes, also of one that came twice', async () => {
      const db = await connected(freshAddress());
      const store = await CatalogStore.open(db);
      const [one, two] = [entry('1'), entry('2')];
      for (const { entry: fields, bytes } of [one, two, one]) await store.add(fields, bytes, await store.newest());
      expect(await store.list()).toHaveLength(3);
      expect(await store.bytes(one.entry.digest)).toEqual(one.bytes);
      expect(await store.bytes('sha256:00')).toBeUndefined();
      await expect(store.add(one.entry, two.bytes)).rejects.toThrow(TypeError);
      await db.write([{ text: 'UPDATE catalog_content SET content = ?', values: [encoder.encode('x')] }]);
      expect(await codeOf(store.bytes(one.entry.digest))).toBe('store.corrupt');
    });

    test('are added after the one that they were judged by, and after no other', async () => {
      const store = await CatalogStore.open(await connected(freshAddress()));
      const [one, two, three] = [entry('1'), entry('2', { forced: true }), entry('3')];
      await store.add(one.entry, one.bytes);
      expect(await codeOf(store.add(two.entry, two.bytes))).toBe('store.conflict');
      await store.add(two.entry, two.bytes, one.entry);
      expect(await codeOf(store.add(three.entry, three.bytes, one.entry))).toBe('store.conflict');
      expect((await store.list()).map(({ digest, forced }) => [digest, forced])).toEqual([
        [one.entry.digest, undefined],
        [two.entry.digest, true],
      ]);
      expect(await store.bytes(three.entry.digest)).toBeUndefined();
    });

    test('say when the feed was last asked', async () => {
      const store = await CatalogStore.open(await connected(freshAddress()));
      const [one, two] = [entry('1'), entry('2')];
      await store.add(one.entry, one.bytes);
      await store.add(two.entry, two.bytes, one.entry);
      expect(await store.touch(one.entry.feed, '2026-11-22T00:00:00Z')).toBe(true);
      expect(await store.touch('nowhere', '2026-11-22T00:00:00Z')).toBe(false);
      expect((await store.list()).map(({ checkedAt }) => checkedAt)).toEqual([AT, '2026-11-22T00:00:00Z']);
      await store.touch(one.entry.feed, '2026-11-23T00:00:00Z', { etag: '"new"' });
      const touched = await store.newest(one.entry.feed);
      expect([touched?.checkedAt, touched?.etag]).toEqual(['2026-11-23T00:00:00Z', '"new"']);
    });
  });
}
