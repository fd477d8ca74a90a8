// What somebody between reader and store can do to a list, who has no key of the store.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { NegativesView } from '@colophon/admission';
import {
  createStandingNegativesStatement,
  digestOf,
  encodeNegativesPage,
  MAX_NEGATIVES_PAGE_BYTES,
  MOST_NEGATIVES_PAGES,
  type NegativesPage,
  type StandingNegatives,
  type Statement,
} from '@colophon/records';
import { signStatement } from '@colophon/sigstore';
import { CLAIMS, FULCIO_URL, ISSUER, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KeptLists, REFRESH_AFTER_MS } from '../kept-lists/kept-lists.ts';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { fetchNegatives } from './fetch-negatives.ts';
import { readStandingNegatives } from './read-standing-negatives.ts';

const SUBJECT = 'evidence:localhost:7080';
const FROM = 'https://evidence.example/negatives';
const SOURCE = { from: FROM, signer: { issuer: ISSUER, subject: SUBJECT }, maxAgeSeconds: 900 };
const EMPTY: NegativesPage = { rejections: [], withdrawals: [], overflows: [] };

let sigstore: LocalSigstore;
let pins: SequencePins;
/** What is answered at an address; 404 where nothing is. */
let served: Map<string, () => Response | Promise<Response>>;
let asked: string[];

beforeEach(() => {
  sigstore = new LocalSigstore();
  const seen = new Map<string, number>();
  pins = {
    seen: async (list) => seen.get(list),
    keep: async (list, sequence) => void seen.set(list, Math.max(sequence, seen.get(list) ?? 0)),
  };
  served = new Map();
  asked = [];
});

const fetch: typeof globalThis.fetch = async (url) => {
  asked.push(String(url));
  return (served.get(String(url)) ?? (() => new Response('', { status: 404 })))();
};
const pageOf = (person: string) =>
  encodeNegativesPage({
    ...EMPTY,
    rejections: [
      {
        id: digestOf(Buffer.from(person)).slice(7),
        content: digestOf(Buffer.from(person)).slice(7),
        person: `${person}@example.com`,
        issuer: ISSUER,
        subject: `reviewer:${person}@example.com`,
        time: '2026-11-22T10:00:00Z',
        images: [],
        commits: ['c'.repeat(40)],
      },
    ],
  });
const ALICE = pageOf('alice');
const BOBBY = pageOf('bobby');
const addressOf = (page: Uint8Array) => `${FROM}/pages/${digestOf(page).slice(7)}`;
const body = (bytes: Uint8Array) => () => new Response(new Uint8Array(bytes));

async function signed(statement: Statement): Promise<Uint8Array> {
  const { bundle } = await signStatement({
    statement,
    fulcioUrl: FULCIO_URL,
    rekorUrl: REKOR_URL,
    fetch: sigstore.fetch,
    identityToken: async () => sigstore.token({ ...CLAIMS, sub: SUBJECT }),
  });
  return bundle;
}
const listOf = (sequence: number, pages: readonly Uint8Array[]): StandingNegatives => ({
  sequence,
  time: sigstore.now.toISOString().replace(/\.\d+/, ''),
  pages: pages.map((bytes) => ({ digest: digestOf(bytes), size: bytes.length })),
});
async function serve(sequence: number, ...pages: Uint8Array[]): Promise<void> {
  const bundle = await signed(createStandingNegativesStatement(listOf(sequence, pages)));
  served.set(FROM, body(bundle));
  for (const page of pages) served.set(addressOf(page), body(page));
}
async function view(): Promise<NegativesView> {
  const list = await fetchNegatives(FROM, { fetch, timeoutMs: 100_000 });
  return readStandingNegatives(list, { source: SOURCE, trust: sigstore.trust, pins, now: sigstore.now });
}
/** Who rejected something; or why nobody knows. */
async function heard(): Promise<unknown> {
  const seen = await view();
  return seen.kind === 'list' ? seen.list.rejections.map(({ person }) => person.address) : seen;
}
const incomplete = (message: unknown) => ({ kind: 'incomplete', from: FROM, message });
const BOTH = ['alice@example.com', 'bobby@example.com'];

describe('a list of pages', () => {
  test('is read whole', async () => {
    await serve(1, ALICE, BOBBY);
    expect(await heard()).toEqual(BOTH);
    expect(asked.sort()).toEqual([FROM, addressOf(ALICE), addressOf(BOBBY)].sort());
  });

  test.each<[title: string, attack: () => unknown, message: string | RegExp]>([
    ['a page that is not there', () => served.delete(addressOf(BOBBY)), 'a page of it is gone'],
    ['the page of another list', () => served.set(addressOf(BOBBY), body(ALICE)), 'page 2 of 2 has another digest'],
    ['a page that is cut', () => served.set(addressOf(BOBBY), body(BOBBY.slice(1))), /^page 2 of 2 has \d+ bytes/],
    [
      'an empty page',
      () => served.set(addressOf(BOBBY), body(encodeNegativesPage(EMPTY))),
      /^page 2 of 2 has \d+ bytes/,
    ],
    [
      'a page with something behind it',
      () => served.set(addressOf(BOBBY), body(Buffer.concat([BOBBY, Buffer.from(' ')]))),
      /more than \d+ bytes/,
    ],
    [
      'a redirect to the page',
      () => {
        const headers = { location: 'https://evidence.example/elsewhere' };
        served.set('https://evidence.example/elsewhere', body(BOBBY));
        served.set(addressOf(BOBBY), () => new Response('', { status: 302, headers }));
      },
      'HTTP 302',
    ],
    ['a store that fails', () => served.set(addressOf(BOBBY), () => new Response('', { status: 500 })), 'HTTP 500'],
    [
      'a store that never answers',
      () => served.set(addressOf(BOBBY), () => new Promise((_, fail) => setTimeout(fail, 50, new TypeError('cut')))),
      /./,
    ],
  ])('is incomplete with %s, and nothing of it counts', async (_title, attack, message) => {
    await serve(1, ALICE, BOBBY);
    attack();
    expect(await heard()).toEqual(incomplete(typeof message === 'string' ? message : expect.stringMatching(message)));
    expect(asked).not.toContain('https://evidence.example/elsewhere');
  });

  test('is asked for again where a page has just left it', async () => {
    await serve(1, ALICE);
    const older = served.get(FROM)!;
    served.clear();
    await serve(2, ALICE, BOBBY);
    const newer = served.get(FROM)!;
    let times = 0;
    served.delete(addressOf(ALICE));
    served.set(FROM, () => (times++ === 0 ? older() : newer()));
    served.set(addressOf(ALICE), () => (times > 1 ? body(ALICE)() : new Response('', { status: 404 })));
    expect(await heard()).toEqual(BOTH);
  });

  test('is told as the store signed it where a page is gone, and not at all where there is none', async () => {
    await serve(1, ALICE, BOBBY);
    const bundle = new Uint8Array(await (await served.get(FROM)!()).arrayBuffer());
    served.delete(addressOf(BOBBY));
    const gone = await fetchNegatives(FROM, { fetch });
    expect('error' in gone && gone.error).toMatchObject({ message: 'a page of it is gone' });
    expect(Buffer.from((gone as { bundle?: Uint8Array }).bundle ?? [])).toEqual(Buffer.from(bundle));
    served.clear();
    const none = await fetchNegatives(FROM, { fetch });
    expect('error' in none && none.error).toMatchObject({ message: 'HTTP 404' });
    expect(none).not.toHaveProperty('bundle');
  });

  test('is asked for as JSON, and what is none is handed on for its reader to say so', async () => {
    const accepted = new Set<string | null>();
    const asking: typeof globalThis.fetch = (url, init) => {
      accepted.add(new Headers(init?.headers).get('accept'));
      return fetch(url, init);
    };
    await serve(1, ALICE);
    expect(await fetchNegatives(FROM, { fetch: asking })).not.toHaveProperty('error');
    expect([...accepted]).toEqual(['application/json']);
    served.set(FROM, body(Buffer.from('no list')));
    asked = [];
    const fetched = await fetchNegatives(FROM, { fetch });
    expect(fetched).toEqual({ from: FROM, bundle: expect.any(Uint8Array), pages: new Map() });
    expect(asked).toEqual([FROM]);
  });

  test('of yesterday is not made new by the pages of today', async () => {
    await serve(1, ALICE);
    const older = served.get(FROM)!;
    await serve(2, ALICE, BOBBY);
    expect(await heard()).toEqual(BOTH);
    served.set(FROM, older);
    expect(await heard()).toEqual(incomplete('its sequence went back: 1, and 2 was seen before'));
  });

  test('that is not whole is the newest all the same: the one before it does not count after it', async () => {
    await serve(1, ALICE);
    const older = served.get(FROM)!;
    await serve(2, ALICE, BOBBY);
    const [newer, page] = [served.get(FROM)!, served.get(addressOf(BOBBY))!];
    served.delete(addressOf(BOBBY));
    const fetched = await fetchNegatives(FROM, { fetch });
    expect(fetched).toMatchObject({ error: { message: 'a page of it is gone' } });
    served.set(addressOf(BOBBY), body(ALICE));
    expect(await heard()).toEqual(incomplete('page 2 of 2 has another digest'));
    served.set(FROM, older);
    expect(await heard()).toEqual(incomplete('its sequence went back: 1, and 2 was seen before'));
    served.set(FROM, newer);
    served.set(addressOf(BOBBY), page);
    expect(await heard()).toEqual(BOTH);
  });

  test.each<[title: string, list: () => object]>([
    ['10,000 pages', () => ({ ...listOf(1, []), pages: Array.from({ length: 10_000 }, (_, n) => named(n, 1)) })],
    [
      'more bytes than a list may have',
      () => ({ ...listOf(1, []), pages: Array.from({ length: 65 }, (_, n) => named(n, MAX_NEGATIVES_PAGE_BYTES)) }),
    ],
    ['a page twice', () => listOf(1, [ALICE, ALICE])],
    ['an address for a page', () => ({ ...listOf(1, []), pages: [{ ...named(1, 1), digest: 'https://x.example/' }] })],
    ['a page of no size', () => ({ ...listOf(1, []), pages: [named(1, 0)] })],
  ])('with %s asks for none of them', async (_title, list) => {
    const statement = createStandingNegativesStatement(listOf(1, []));
    const other = { ...statement, predicate: list() } as Statement;
    served.set(FROM, body(await signed(other)));
    expect(await view()).toMatchObject({ kind: 'incomplete' });
    expect(asked).toEqual([FROM]);
  });

  test('of version 1 is none, and says so', async () => {
    const statement = createStandingNegativesStatement(listOf(1, []));
    const predicate = { sequence: 1, time: listOf(1, []).time, rejections: [], withdrawals: [] };
    const predicateType = statement.predicateType.replace('/v2', '/v1');
    served.set(FROM, body(await signed({ ...statement, predicateType, predicate } as Statement)));
    expect(await heard()).toEqual(incomplete(expect.stringMatching(/^statement\.predicate_type_mismatch: /)));
  });

  test('that unpacks to more than it says is not unpacked', async () => {
    const page = Buffer.concat([BOBBY, Buffer.alloc(8 * 1024 * 1024, ' ')]);
    const packed = gzipSync(page);
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await serve(1, BOBBY);
    served.set(addressOf(BOBBY), () => globalThis.fetch(`http://127.0.0.1:${port}/`));
    expect(await heard()).toEqual(incomplete(expect.stringMatching(`more than ${BOBBY.length} bytes`)));
  });

  test('has a few of its pages asked for at the same time', async () => {
    const pages = Array.from({ length: 40 }, (_, n) => pageOf(`person-${n}`));
    await serve(1, ...pages);
    let [open, most] = [0, 0];
    for (const page of pages) {
      served.set(addressOf(page), async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open -= 1;
        return body(page)();
      });
    }
    expect(await heard()).toHaveLength(40);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    expect(MOST_NEGATIVES_PAGES).toBeGreaterThan(40);
  });
});

const named = (n: number, size: number) => ({ digest: `sha256:${n.toString(16).padStart(64, '0')}`, size });

test('a list that is kept asks for the pages that changed', async () => {
  let now = sigstore.now;
  const { trust } = sigstore;
  const lists = new KeptLists({ pins, now: () => now, fetch });
  const people = async () => {
    const seen = await lists.view(SOURCE, trust);
    return seen.kind === 'list' ? seen.list.rejections.map(({ person }) => person.address) : seen;
  };
  await serve(1, ALICE);
  expect(await people()).toEqual(['alice@example.com']);
  await serve(2, ALICE, BOBBY);
  asked = [];
  now = new Date(now.getTime() + REFRESH_AFTER_MS);
  await people();
  await vi.waitFor(async () => expect(await people()).toEqual(BOTH), { timeout: 100_000 });
  expect(asked).toEqual([FROM, addressOf(BOBBY)]);
});
