import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CatalogStore, openSqlDatabase, StoreError } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newestCatalog } from './kept-catalog.ts';
import { type CatalogRefresh, type CatalogRefreshOptions, refreshCatalog } from './refresh-catalog.ts';

const feedOf = (catalogVersion: string, ids: readonly string[]) =>
  JSON.stringify({ catalogVersion, count: ids.length, vulnerabilities: ids.map((cveID) => ({ cveID })) });
const A = 'CVE-2021-0001';
const B = 'CVE-2021-0002';
const C = 'CVE-2021-0003';
const D = 'CVE-2021-0004';

/** A feed whose content the test sets; it knows its own tag. */
async function serve() {
  const feed = { body: '', tag: '"1"', asked: [] as IncomingMessage[], url: '' };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    feed.asked.push(request);
    if (request.headers['if-none-match'] === feed.tag) response.writeHead(304).end();
    else response.writeHead(200, { etag: feed.tag }).end(feed.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  feed.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kev.json`;
  return feed;
}

let store: CatalogStore;
let feed: Awaited<ReturnType<typeof serve>>;
let minute = 0;
beforeEach(async () => {
  const db = await openSqlDatabase(join(temporaryFolder(onTestFinished), 'triage.db'));
  onTestFinished(() => db.close());
  store = await CatalogStore.open(db);
  feed = await serve();
  minute = 0;
});
const now = () => `2026-11-21T10:0${minute++}:00Z`;
const refresh = (more: Partial<CatalogRefreshOptions> = {}) => refreshCatalog({ store, now, feed: feed.url, ...more });
const changesOf = (result: CatalogRefresh) => {
  if (result.outcome !== 'updated' || result.changes === undefined) return undefined;
  const { added, removed } = result.changes;
  return [added, removed].map((entries) => entries.map(({ cveID }) => cveID));
};

/** What a feed has that is refused, and with which codes. */
async function refused(body: string, more: Partial<CatalogRefreshOptions> = {}) {
  feed.body = body;
  feed.tag = '"bad"';
  const before = await store.list();
  const result = await refresh(more);
  if (result.outcome !== 'refused') throw new Error(`${result.outcome}, and not refused`);
  expect(await store.list()).toEqual(before);
  return result;
}

test('the first catalog is kept with its version, its time, its digest and its tag', async () => {
  feed.body = feedOf('2026.11.20', [A]);
  const result = await refresh();
  const entry = {
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    catalogVersion: '2026.11.20',
    feed: feed.url,
    fetchedAt: '2026-11-21T10:00:00Z',
    checkedAt: '2026-11-21T10:00:00Z',
    count: 1,
    etag: '"1"',
  };
  expect(result).toMatchObject({ outcome: 'updated', entry, notes: [], overruled: [] });
  expect(changesOf(result)).toBeUndefined();
  expect(await store.list()).toEqual([entry]);
  expect((await newestCatalog(store))?.catalog.entries.has(A)).toBe(true);
});

describe('with a catalog that is kept', () => {
  beforeEach(async () => {
    feed.body = feedOf('2026.11.20', [A, B, C]);
    await refresh();
  });

  test('an unchanged feed is asked once and its catalog counts as checked', async () => {
    expect(await refresh()).toMatchObject({ outcome: 'unchanged', catalog: { count: 3 } });
    expect(feed.asked[1]!.headers['if-none-match']).toBe('"1"');
    expect(await store.list()).toMatchObject([
      { fetchedAt: '2026-11-21T10:00:00Z', checkedAt: '2026-11-21T10:01:00Z' },
    ]);
  });

  test('the same bytes under another tag are unchanged, and the tag is the next one to ask with', async () => {
    feed.tag = '"2"';
    expect((await refresh()).outcome).toBe('unchanged');
    expect((await refresh()).outcome).toBe('unchanged');
    expect(feed.asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"2"']);
    expect(await store.list()).toHaveLength(1);
  });

  test('a newer one takes its place, and what changed is said', async () => {
    feed.body = feedOf('2026.11.21', [A, C, D]);
    feed.tag = '"2"';
    const result = await refresh();
    expect(changesOf(result)).toEqual([[D], [B]]);
    expect((await store.list()).map(({ catalogVersion }) => catalogVersion)).toEqual(['2026.11.20', '2026.11.21']);
  });

  test.each([
    ['an error page', '<html>', 'json.syntax'],
    ['a list', '[]', 'kev.not_object'],
    ['a count that is wrong', feedOf('2026.11.21', [A, B]).replace('2,', '3,'), 'kev.count_mismatch'],
  ])('%s is refused, also by force', async (_title, body, code) => {
    expect(await refused(body)).toMatchObject({ canBeForced: false, issues: [{ code }], feed: feed.url });
    expect((await refused(body, { force: true })).kept?.catalogVersion).toBe('2026.11.20');
  });

  test.each([
    ['half a feed', feedOf('2026.11.21', [A]), 'kev.feed_shrank'],
    ['an older feed', feedOf('2026.11.19', [A, B, C]), 'kev.feed_older'],
    ['a feed of the future', feedOf('2027.01.01', [A, B, C]), 'kev.feed_future'],
  ])('%s is refused, and taken by force', async (_title, body, code) => {
    expect(await refused(body)).toMatchObject({ canBeForced: true, issues: [{ code }] });
    expect(await refresh({ force: true })).toMatchObject({ outcome: 'updated', overruled: [{ code }] });
    expect(await store.list()).toHaveLength(2);
  });

  test('other entries under its version are noted', async () => {
    feed.body = feedOf('2026.11.20', [A, B, C, D]);
    feed.tag = '"2"';
    expect(await refresh()).toMatchObject({ outcome: 'updated', notes: [{ code: 'kev.version_reused' }] });
  });

  test('another feed is asked without its tag, and then the first one too', async () => {
    const mirror = await serve();
    mirror.body = feedOf('2026.11.21', [A, B, C, D]);
    expect((await refresh({ feed: mirror.url })).outcome).toBe('updated');
    expect(mirror.asked[0]!.headers['if-none-match']).toBeUndefined();
    feed.body = feedOf('2026.11.22', [A, B, C, D]);
    expect((await refresh()).outcome).toBe('updated');
    expect(feed.asked[1]!.headers['if-none-match']).toBeUndefined();
  });

  test('nothing is lost when nobody answers', async () => {
    await expect(refresh({ feed: `${feed.url}/`, timeoutMs: 1, fetch: dead })).rejects.toMatchObject({
      code: 'feeds.catalog_unreachable',
    });
    expect((await newestCatalog(store))?.entry.catalogVersion).toBe('2026.11.20');
  });

  test('what another replica kept meanwhile is kept once', async () => {
    feed.body = feedOf('2026.11.21', [A, B, C, D]);
    feed.tag = '"2"';
    const afterAnother: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      expect((await refresh()).outcome).toBe('updated');
      return response;
    };
    expect(await refresh({ fetch: afterAnother })).toMatchObject({ outcome: 'unchanged', catalog: { count: 4 } });
    expect((await store.list()).map(({ catalogVersion }) => catalogVersion)).toEqual(['2026.11.20', '2026.11.21']);
  });
});

describe('losses over several updates', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `CVE-2021-${1000 + index}`);
  const day = (number: number) =>
    `2026-${number > 30 ? '12' : '11'}-${String(((number - 1) % 30) + 1).padStart(2, '0')}`;
  const update = async (number: number, count: number, more: Partial<CatalogRefreshOptions> = {}) => {
    feed.body = feedOf(day(number).replaceAll('-', '.'), ids(count));
    feed.tag = `"${number}"`;
    const result = await refresh({ now: () => `${day(number)}T10:00:00Z`, ...more });
    return result.outcome === 'refused' ? result.issues.map(({ code }) => code) : result.outcome;
  };

  test('are added up', async () => {
    expect(await update(1, 100)).toBe('updated');
    expect(await update(2, 95)).toBe('updated');
    expect(await update(3, 90)).toBe('updated');
    expect(await update(4, 85)).toEqual(['kev.feed_shrank']);
    expect(await update(5, 90)).toBe('updated');
  });

  test('are counted from what was in force thirty days before', async () => {
    for (const [number, count] of [
      [1, 100],
      [2, 95],
      [20, 90],
    ] as const) {
      expect(await update(number, count)).toBe('updated');
    }
    expect(await update(31, 88)).toEqual(['kev.feed_shrank']);
    expect(await update(32, 88)).toBe('updated');
  });

  test('are counted anew from what a person had kept', async () => {
    await update(1, 100);
    expect(await update(2, 40, { force: true })).toBe('updated');
    expect(await update(3, 39)).toBe('updated');
    expect((await store.list()).map(({ forced }) => forced)).toEqual([undefined, true, undefined]);
  });

  test('force that overrules nothing is none', async () => {
    await update(1, 100);
    expect(await update(2, 95, { force: true })).toBe('updated');
    expect(await update(3, 85)).toEqual(['kev.feed_shrank']);
  });
});

test('what is older than another replica kept meanwhile is not kept over it', async () => {
  feed.body = feedOf('2026.11.20', [A, B, C]);
  await refresh();
  const replayed: typeof fetch = async () => {
    feed.body = feedOf('2026.11.22', [A, B, C, D]);
    feed.tag = '"2"';
    expect((await refresh()).outcome).toBe('updated');
    return new Response(feedOf('2026.11.21', [A, B, C]));
  };
  expect(await refresh({ fetch: replayed })).toMatchObject({
    outcome: 'refused',
    issues: [{ code: 'kev.feed_older' }],
  });
  expect((await newestCatalog(store))?.entry.catalogVersion).toBe('2026.11.22');
});

describe('a replica that is faster between the judgement and the keeping', () => {
  const lose = (meanwhile: () => Promise<unknown>) => {
    const add = store.add.bind(store);
    store.add = async (...given) => {
      store.add = add;
      await meanwhile();
      return add(...given);
    };
  };

  test('has the slower one judged once more, by what it kept', async () => {
    feed.body = feedOf('2026.11.21', [A]);
    lose(async () => {
      feed.body = feedOf('2026.11.22', [A]);
      expect((await refresh()).outcome).toBe('updated');
    });
    expect(await refresh()).toMatchObject({ outcome: 'refused', issues: [{ code: 'kev.feed_older' }] });
    expect((await newestCatalog(store))?.entry.catalogVersion).toBe('2026.11.22');
  });

  test('is waited for a few times only', async () => {
    feed.body = feedOf('2026.11.21', [A]);
    let attempts = 0;
    store.add = async () => {
      attempts += 1;
      throw new StoreError('store.conflict', 'another was faster');
    };
    await expect(refresh()).rejects.toMatchObject({ code: 'store.conflict' });
    expect(attempts).toBe(5);
  });
});

test('the same catalog from another feed is kept as that one’s', async () => {
  feed.body = feedOf('2026.11.21', [A]);
  await refresh();
  const other = feed.url.replace('kev', 'other');
  expect(await refresh({ feed: other })).toMatchObject({ outcome: 'updated', entry: { feed: other } });
});

async function dead(): Promise<Response> {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
}
