import { rootHash, verifyConsistency } from '@colophon/merkle';
import { describe, expect, test } from 'vitest';
import { SignedLog } from '../../test/signed-log.ts';
import { readSignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';
import { historyOf, newestOf } from './history-of.ts';
import { ledgerHistory } from './ledger-history.ts';
import { provenNewest } from './log-history.ts';

const leaves = (count: number, of = 'leaf') => Array.from({ length: count }, (_, i) => `${of} ${i}`);
const bytesOf = (hashes: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(hashes));

/** Rekor v2's read path over a log in memory; what was asked for is kept. */
function tiles(log: SignedLog, change: (path: string, bytes: Uint8Array) => Uint8Array = (_, bytes) => bytes) {
  const asked: string[] = [];
  const answer = async (input: string | URL | Request) => {
    const { pathname } = new URL(String(input));
    asked.push(pathname);
    if (pathname === '/api/v2/checkpoint') return new Response(log.note());
    const [, level, name, partial] =
      /^\/api\/v2\/tile\/(\d+)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(pathname) ?? [];
    if (level === undefined || name === undefined) return new Response('', { status: 404 });
    const index = Number(name.replaceAll(/[x/]/g, ''));
    const width = Number(partial ?? 256);
    const inTree = Math.min(256, Math.floor(log.size / 256 ** Number(level)) - index * 256);
    // A log serves a partial tile of its own width, and full ones.
    if (width !== inTree) return new Response('', { status: 404 });
    const hashes = Array.from({ length: width }, (_, i) => log.read(Number(level) * 8, index * 256 + i));
    return new Response(change(pathname, bytesOf(hashes)) as Uint8Array<ArrayBuffer>);
  };
  return { asked, fetch: answer as typeof fetch };
}

/** Made once: a test looks at its first entries. */
const LARGE = new SignedLog('tiles.example').add(...leaves(70_123));

describe('a log that serves tiles', () => {
  test.each([
    [1, 2],
    [3, 255],
    [255, 256],
    [256, 257],
    [200, 300],
    [257, 70_000],
    [65_535, 65_536],
    [65_536, 66_000],
    [66_304, 70_123],
  ])('proves that %i entries are the first of %i', async (first, second) => {
    const log = LARGE;
    log.size = second;
    const { fetch, asked } = tiles(log);
    const proof = await historyOf('https://tiles.example', 'tiles.example', { fetch }).consistency(first, second);
    const claim = {
      first,
      second,
      firstRoot: rootHash(first, log.read),
      secondRoot: rootHash(second, log.read),
      proof,
    };
    expect(verifyConsistency(claim)).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  test('is found by its checkpoint, and not believed with other tiles or short ones', async () => {
    const log = new SignedLog('tiles.example').add(...leaves(300));
    const from = [readSignedCheckpoint(log.note(200), log.publicKey)];
    const ask = (fetch: typeof globalThis.fetch) =>
      provenNewest(log, from, historyOf('https://tiles.example', 'tiles.example', { fetch, retries: 0 }));
    expect(await newestOf('https://tiles.example', { fetch: tiles(log).fetch })).toContain('tiles.example\n300\n');
    expect((await ask(tiles(log).fetch)).size).toBe(300);
    const zeros = tiles(log, (_, bytes) => new Uint8Array(bytes.length)).fetch;
    await expect(ask(zeros)).rejects.toMatchObject({ code: 'pin.inconsistent' });
    const short = tiles(log, (_, bytes) => bytes.subarray(1)).fetch;
    await expect(ask(short)).rejects.toMatchObject({ code: 'pin.log_refused' });
  });
});

describe('a Rekor v1', () => {
  const log = new SignedLog('rekor.example - 42').add(...leaves(9));
  const old = new SignedLog('rekor.example - 41', log).add(...leaves(5, 'old'));
  const asked: string[] = [];
  const fetch = (async (input: string | URL | Request) => {
    const url = new URL(String(input));
    asked.push(url.pathname + url.search);
    if (url.pathname === '/api/v1/log') {
      const inactiveShards = [{ treeID: '41', signedTreeHead: old.note() }];
      return Response.json({ inactiveShards, treeID: '42', signedTreeHead: log.note() });
    }
    const of = url.searchParams.get('treeID') === '41' ? old : log;
    const [first, last] = ['firstSize', 'lastSize'].map((name) => Number(url.searchParams.get(name)));
    return Response.json({ hashes: of.consistency(first!, last!).map((hash) => Buffer.from(hash).toString('hex')) });
  }) as typeof globalThis.fetch;

  test('is asked for the tree that a checkpoint is of, also for one that it no longer writes into', async () => {
    for (const tree of [log, old]) {
      const from = [1, 3, 5].map((size) => readSignedCheckpoint(tree.note(size), tree.publicKey));
      const newest = await provenNewest(tree, from, historyOf('https://rekor.example', tree.origin, { fetch }));
      expect([newest.origin, newest.size]).toEqual([tree.origin, tree.size]);
    }
    expect(asked).toContain('/api/v1/log/proof?firstSize=3&lastSize=5&treeID=41');
    expect(await newestOf('https://rekor.example', { fetch })).toContain('rekor.example - 42\n9\n');
  });

  test('that does not have the tree is no log of it', async () => {
    const history = historyOf('https://rekor.example', 'rekor.example - 40', { fetch });
    await expect(history.newest()).rejects.toMatchObject({ code: 'pin.log_refused', kind: 'peer' });
  });
});

test.each([
  ['nothing', '', 'pin.log_refused'],
  ['a text', '"x"', 'pin.log_refused'],
  ['hashes that are none', '{"hashes":["zz"]}', 'pin.log_refused'],
  ['hashes in capitals', `{"hashes":["${'A'.repeat(64)}"]}`, 'pin.log_refused'],
  ['no hashes', '{"hashes":[]}', 'pin.inconsistent'],
  ['too many', JSON.stringify({ hashes: Array(129).fill('0'.repeat(64)) }), 'pin.log_refused'],
])('an issuer that answers with %s proves nothing', async (_, body, code) => {
  const log = new SignedLog('issuer.example/ledger').add(...leaves(9));
  const fetch = (async (url: string) =>
    new Response(String(url).includes('/checkpoint') ? log.note() : body)) as typeof globalThis.fetch;
  const from = [readSignedCheckpoint(log.note(3), log.publicKey)];
  await expect(
    provenNewest(log, from, ledgerHistory('https://issuer.example', undefined, { fetch })),
  ).rejects.toMatchObject({
    code,
  });
});

test('a log that is behind proves nothing, and one of the same size needs no proof', async () => {
  const log = new SignedLog('issuer.example/ledger').add(...leaves(9));
  const history = (size: number) => ({
    place: 'here',
    newest: async () => log.note(size),
    consistency: () => Promise.reject(new Error('asked')),
  });
  const from = [readSignedCheckpoint(log.note(5), log.publicKey)];
  await expect(provenNewest(log, from, history(4))).rejects.toMatchObject({ code: 'pin.log_behind' });
  expect((await provenNewest(log, from, history(5))).size).toBe(5);
  expect((await provenNewest(log, [readSignedCheckpoint(log.note(0), log.publicKey)], history(4))).size).toBe(4);
});
