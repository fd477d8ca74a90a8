import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { startPeer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf } from '../../../test/command-line.ts';
import { CONTEXT, type Installation, install } from '../../../test/installation.ts';

const CONTENT = 'report';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const JSON_TYPE = { 'content-type': 'application/json' };

/** Logs so many signatures over the artifact, by a key of nobody. */
async function flood({ url }: Installation, count: number): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
  const logOne = async () => {
    const content = sign('sha256', Buffer.from(CONTENT), privateKey).toString('base64');
    const signature = { content, publicKey: { content: pem.toString('base64') } };
    const spec = { data: { hash: { algorithm: 'sha256', value: SHA256 } }, signature };
    const body = JSON.stringify({ apiVersion: '0.0.1', kind: 'hashedrekord', spec });
    const answer = await fetch(`${url}/api/v1/log/entries`, { method: 'POST', headers: JSON_TYPE, body });
    expect(answer.status).toBe(201);
  };
  for (let i = 0; i < count; i += 50) await Promise.all(Array.from({ length: Math.min(50, count - i) }, logOne));
}

test('a signature behind 1,005 entries of others about the same artifact is found', async () => {
  const here = await install(onTestFinished);
  const file = here.file('report.txt', CONTENT);
  await flood(here, 1005);
  await here.document('sign-blob', file, ...CONTEXT);
  const found = await here.document('log', 'search', '--artifact', file);
  expect(found.entries.map(({ log_index }: { log_index: number }) => log_index)).toEqual(
    Array.from({ length: 1006 }, (_, i) => i),
  );
  expect(found.more).toBe(false);

  // Whoever reads less is told so, in both forms.
  const part = await here.document('log', 'search', '--artifact', file, '--limit', '10');
  expect([part.entries.length, part.more]).toEqual([10, true]);
  const table = await here.run('log', 'search', '--artifact', file, '--limit', '2');
  expect(table.stdout.match(/^\d+ /gm)).toHaveLength(2);
  expect(table.stdout).toMatch(/more entries than these 2/);
  // A client that knows nothing of pages reads a list of ids, as from any other log of this API.
  const plain = await fetch(`${here.url}/api/v1/index/retrieve`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ hash: `sha256:${SHA256}` }),
  });
  expect(await plain.json()).toHaveLength(1000);
  expect(plain.headers.get('link')).toBe('</api/v1/index/retrieve?after=999>; rel="next"');
}, 180_000);

test.each(['0', '-1', 'x', '1.5', '99999999'])('--limit %s is no limit', async (limit) => {
  const here = await install(onTestFinished);
  const ran = await here.run('log', 'search', '--sha', SHA256, '--limit', limit);
  expect(ran.exitCode).toBe(1);
});

/** The log of an installation, behind a peer that gives pages of its one entry as `linkOf` says. */
async function searched(count: number, linkOf: (url: string) => string | undefined = () => undefined) {
  const here = await install(onTestFinished);
  const file = here.file('report.txt', CONTENT);
  await here.document('sign-blob', file, ...CONTEXT);
  const asked = await fetch(`${here.url}/api/v1/index/retrieve`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ hash: `sha256:${SHA256}` }),
  });
  const [uuid] = (await asked.json()) as [string];
  const entry = await (await fetch(`${here.url}/api/v1/log/entries/${uuid}`)).text();
  const open = { now: 0, most: 0 };
  const pages: string[] = [];
  const peer = await startPeer(onTestFinished, ({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url.includes('/retrieve')) {
      pages.push(url);
      const link = linkOf(url);
      if (link !== undefined) response.setHeader('link', link);
      return void response.end(JSON.stringify(Array(count).fill(uuid)));
    }
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    setImmediate(() => {
      open.now -= 1;
      response.end(entry);
    });
  });
  const ran = await here.run('log', 'search', '--rekor-url', peer.url, '--artifact', file, '-o', 'json');
  return { ran, pages, mostAtOnce: open.most };
}

test('entries are read a few at a time', async () => {
  const { ran, mostAtOnce } = await searched(100);
  expect(documentOf(ran).entries).toHaveLength(100);
  expect(mostAtOnce).toBeLessThanOrEqual(8);
});

test('a log that has no pages is read whole', async () => {
  const { ran, pages } = await searched(20);
  expect(documentOf(ran)).toMatchObject({ more: false });
  expect(pages).toEqual(['/api/v1/index/retrieve']);
});

test('a log whose pages lead in a circle is not followed', async () => {
  const { ran, pages } = await searched(1, () => '</api/v1/index/retrieve?after=7>; rel="next"');
  expect(documentOf(ran).error.code).toBe('log.answer_invalid');
  expect(pages).toHaveLength(2);
});

test('of the address of a next page nothing but its place is used', async () => {
  const { pages } = await searched(1, (url) =>
    url.includes('after') ? undefined : '<https://evil.example/steal?after=7>; rel="next"',
  );
  expect(pages).toEqual(['/api/v1/index/retrieve', '/api/v1/index/retrieve?after=7']);
});
