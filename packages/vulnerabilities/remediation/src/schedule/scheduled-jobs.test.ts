import type { KnownExploitedCatalog } from '@colophon/findings';
import type { CatalogEntry } from '@colophon/store';
import { describe, expect, test, vi } from 'vitest';
import type { CatalogRefresh } from '../catalog-refresh/refresh-catalog.ts';
import { messageOf } from './job.ts';
import { kevRefreshJob } from './kev-refresh-job.ts';
import { rescanJob } from './rescan-job.ts';

const CHECKED = '2026-11-21T12:00:00Z';
const quiet = () => new AbortController().signal;

describe('the refresh of the catalog', () => {
  const catalog: KnownExploitedCatalog = { catalogVersion: '2026.11.21', count: 3, entries: new Map() };
  const entry: CatalogEntry = {
    digest: 'sha256:ab',
    catalogVersion: '2026.11.21',
    feed: 'https://feed.example/kev.json',
    fetchedAt: '2026-11-20T12:00:00Z',
    checkedAt: CHECKED,
    count: 3,
  };

  function refreshing(refresh: CatalogRefresh) {
    const escalate = vi.fn(async () => 2);
    const options = { feed: entry.feed, everySeconds: 3600, escalate };
    return { escalate, job: kevRefreshJob({ ...options, refresh: async () => refresh }) };
  }

  test.each([
    [{ outcome: 'updated', entry, catalog, changes: undefined, notes: [], overruled: [] }, 'kept'],
    [{ outcome: 'unchanged', entry, catalog }, 'unchanged'],
  ] as const)('that was %j holds the open records against it', async (refresh, word) => {
    const { job, escalate } = refreshing(refresh);
    expect(await job.run(quiet())).toBe(`catalog 2026.11.21 ${word}, entries: 3, records raised: 2`);
    expect(escalate).toHaveBeenCalledExactlyOnceWith(catalog, CHECKED);
  });

  test('that was refused fails with the reason, and raises nothing', async () => {
    const issues = [{ path: '/count', code: 'kev.feed_shrank', message: 'half of it is gone' }];
    const refused = { outcome: 'refused', feed: entry.feed, issues, canBeForced: true, kept: entry } as const;
    const { job, escalate } = refreshing(refused);
    await expect(job.run(quiet())).rejects.toMatchObject({
      code: 'kev.feed_shrank',
      message: expect.stringContaining('half of it is gone'),
    });
    expect(escalate).not.toHaveBeenCalled();
  });

  test('that was ended meanwhile raises nothing', async () => {
    const { job, escalate } = refreshing({ outcome: 'unchanged', entry, catalog });
    await expect(job.run(AbortSignal.abort())).rejects.toThrow();
    expect(escalate).not.toHaveBeenCalled();
  });
});

describe('the re-scan', () => {
  const names = ['api', 'shop', 'till'].map((artifact) => ({ artifact, version: '1.0.0' }));
  const result = { findings: 5, opened: 2, reopened: 1, gone: 3 };
  const rescanning = (rescan: Parameters<typeof rescanJob>[0]['rescan'], published = names) =>
    rescanJob({
      place: '/sboms',
      everySeconds: 86_400,
      timeoutSeconds: 3600,
      publications: async () => published,
      rescan,
    });

  test('scans every current SBOM, one after the other, and tells what came of it', async () => {
    let atWork = 0;
    const rescan = vi.fn(async () => {
      expect(++atWork).toBe(1);
      await new Promise(setImmediate);
      atWork--;
      return result;
    });
    const job = rescanning(rescan);
    expect(job.name).toBe('rescan /sboms');
    expect(await job.run(quiet())).toBe(
      '3 of 3 SBOMs scanned, findings: 15, records opened: 6, reopened: 3, listed no more: 9',
    );
    expect(rescan.mock.calls.map((call: unknown[]) => call[0])).toEqual(names);
  });

  test('of an empty place is no failure', async () => {
    const said = await rescanning(async () => result, []).run(quiet());
    expect(said).toMatch(/^0 of 0 SBOMs scanned/);
  });

  test('goes on after one that cannot be scanned, and then fails with its reason', async () => {
    const rescan = vi.fn(async ({ artifact }: { artifact: string }) => {
      if (artifact === 'api') throw Object.assign(new Error('no database'), { code: 'feeds.scanner_failed' });
      return result;
    });
    await expect(rescanning(rescan).run(quiet())).rejects.toMatchObject({
      code: 'feeds.scanner_failed',
      message:
        '2 of 3 SBOMs scanned, findings: 10, records opened: 4, reopened: 2, listed no more: 6; ' +
        'api@1.0.0: feeds.scanner_failed: no database',
    });
    expect(rescan).toHaveBeenCalledTimes(3);
  });

  test('that is ended scans no more', async () => {
    const controller = new AbortController();
    const rescan = vi.fn(async () => {
      controller.abort(new Error('enough'));
      throw new Error('killed');
    });
    await expect(rescanning(rescan).run(controller.signal)).rejects.toThrow('enough');
    expect(rescan).toHaveBeenCalledTimes(1);
  });
});

test.each([
  [
    Object.assign(new Error('the feed fails'), { code: 'x.y', facts: { found: 'HTTP 503' } }),
    'x.y: the feed fails (HTTP 503)',
  ],
  [Object.assign(new Error('no\nway'), { facts: { found: 7 } }), 'no way'],
  ['done\u0000 so', 'done so'],
])('what %j says of itself is one line, with what was found', (said, line) => {
  expect(messageOf(said)).toBe(line);
});
