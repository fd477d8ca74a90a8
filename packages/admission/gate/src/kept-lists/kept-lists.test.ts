import { createStandingNegativesStatement, digestOf, type StandingNegatives } from '@colophon/records';
import { signStatement } from '@colophon/sigstore';
import { CLAIMS, FULCIO_URL, ISSUER, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { KeptLists, REFRESH_AFTER_MS } from './kept-lists.ts';

const SUBJECT = 'evidence:localhost:7080';
const SOURCE = {
  from: 'https://evidence.example/negatives',
  signer: { issuer: ISSUER, subject: SUBJECT },
  maxAgeSeconds: 900,
};

async function setUp() {
  const sigstore = new LocalSigstore();
  const begun = sigstore.now.getTime();
  let now = new Date(begun);
  let answer: () => Promise<Response> = async () => new Response('', { status: 503 });
  let asked = 0;
  const seen = new Map<string, number>();
  const pins: SequencePins = {
    seen: async (list) => seen.get(list),
    keep: async (list, sequence) => void seen.set(list, Math.max(sequence, seen.get(list) ?? 0)),
  };
  let trust = sigstore.trust;
  const told: Array<string | undefined> = [];
  let failures = 0;
  const lists = new KeptLists({
    pins,
    onChange: (_from, problem) => told.push(problem),
    onFailure: () => {
      failures += 1;
    },
    now: () => now,
    fetch: async () => {
      asked += 1;
      return answer();
    },
  });
  const listOf = async (sequence: number, at = now, pages: StandingNegatives['pages'] = []) => {
    sigstore.now = at;
    const statement = createStandingNegativesStatement({
      sequence,
      time: at.toISOString().replace('.000', ''),
      pages,
    });
    const { bundle } = await signStatement({
      statement,
      fulcioUrl: FULCIO_URL,
      rekorUrl: REKOR_URL,
      fetch: sigstore.fetch,
      identityToken: async () => sigstore.token({ ...CLAIMS, sub: SUBJECT }),
    });
    return async () => new Response(new Uint8Array(bundle), { headers: { 'content-type': 'application/json' } });
  };
  return {
    lists,
    told,
    failures: () => failures,
    view: async () => {
      const view = await lists.view(SOURCE, trust);
      return view.kind === 'list' ? view.list.sequence : view.kind;
    },
    serve: (next: typeof answer) => {
      answer = next;
    },
    listOf,
    trust: () => trust,
    wait: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    asked: () => asked,
    renewTrust: (next = sigstore.trust) => {
      trust = next;
    },
    settled: () => new Promise((resolve) => setTimeout(resolve, 20)),
  };
}

test('a list is fetched once, and asked for again beside those who use it', async () => {
  const { view, serve, listOf, wait, asked, settled } = await setUp();
  serve(await listOf(1));
  expect(await Promise.all([view(), view(), view()])).toEqual([1, 1, 1]);
  expect(asked()).toBe(1);
  wait(REFRESH_AFTER_MS - 1);
  expect([await view(), asked()]).toEqual([1, 1]);
  wait(1);
  serve(await listOf(2));
  expect(await view()).toBe(1);
  await settled();
  expect([await view(), asked()]).toEqual([2, 2]);
});

test('no older list counts after a newer one of which a page is withheld, until one is whole', async () => {
  const { view, serve, listOf, wait, settled } = await setUp();
  serve(await listOf(1));
  expect(await view()).toBe(1);
  const withheld = { digest: digestOf(Buffer.from('a page')), size: 6 };
  const list = await listOf(2, undefined, [withheld]);
  let answers = 0;
  serve(async () => {
    answers += 1;
    return answers % 2 === 1 ? list() : new Response('', { status: 404 });
  });
  wait(REFRESH_AFTER_MS);
  await view();
  await settled();
  expect(await view()).toBe('incomplete');
  serve(async () => new Response('', { status: 404 }));
  expect(await view()).toBe('incomplete');
  serve(await listOf(3));
  expect(await view()).toBe(3);
});

test('a reading that began under other roots is joined by nobody, and counts for nobody under these', async () => {
  const { view, serve, listOf, asked, renewTrust } = await setUp();
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const list = await listOf(1);
  serve(async () => {
    await held;
    return list();
  });
  const before = view();
  renewTrust(new LocalSigstore().trust);
  const after = [view(), view()];
  resolve();
  expect(await before).toBe(1);
  expect(await Promise.all(after)).toEqual(['incomplete', 'incomplete']);
  expect([await view(), asked()]).toEqual(['incomplete', 3]);
});

test('a list is handed on with the age that it may have, by which a decision knows its end', async () => {
  const { lists, serve, listOf, trust } = await setUp();
  serve(await listOf(1));
  expect(await lists.view({ ...SOURCE, maxAgeSeconds: 3600 }, trust())).toMatchObject({
    kind: 'list',
    maxAgeSeconds: 3600,
  });
});

test('a list that cannot be had counts until its age ends, and then it is incomplete', async () => {
  const { view, serve, listOf, wait, settled } = await setUp();
  serve(await listOf(1));
  expect(await view()).toBe(1);
  serve(async () => new Response('', { status: 503 }));
  wait(900_000);
  expect(await view()).toBe(1);
  await settled();
  wait(1000);
  expect(await view()).toBe('incomplete');
  serve(await listOf(2));
  expect(await view()).toBe(2);
});

test('a list that goes back, or is signed by another, does not take the place of one that is young', async () => {
  const { view, serve, listOf, wait, settled } = await setUp();
  const older = await listOf(1);
  serve(await listOf(2));
  expect(await view()).toBe(2);
  serve(older);
  wait(REFRESH_AFTER_MS);
  await view();
  await settled();
  expect(await view()).toBe(2);
});

test('under other roots a list is verified again', async () => {
  const { view, serve, listOf, asked, renewTrust } = await setUp();
  serve(await listOf(1));
  await view();
  renewTrust();
  expect([await view(), asked()]).toEqual([1, 2]);
});

test('without a source there is no list', async () => {
  const { lists, trust } = await setUp();
  expect(await lists.view(undefined, trust())).toEqual({ kind: 'registry-only' });
});

test('a list that was read at a time that has not come yet, because the clock was set back, is asked for again', async () => {
  const { view, serve, listOf, wait } = await setUp();
  wait(60_000);
  serve(await listOf(1));
  expect(await view()).toBe(1);
  wait(-60_000);
  serve(await listOf(2));
  expect(await view()).toBe(2);
  wait(-1);
  serve(async () => new Response('', { status: 503 }));
  expect(await view()).toBe('incomplete');
});

test('who keeps lists is told when one can be read no longer, and when it can be again', async () => {
  const { view, serve, listOf, told, failures } = await setUp();
  await view();
  await view();
  expect([told, failures()]).toEqual([[expect.stringContaining('503')], 2]);
  serve(await listOf(1));
  await view();
  await view();
  expect([told.length, told[1], failures()]).toEqual([2, undefined, 2]);
});
