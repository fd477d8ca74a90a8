import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf } from '../../test/command-line.ts';
import { CONTEXT, install } from '../../test/installation.ts';
import { startPeer } from '../../test/peer.ts';

/** The log of an installation, behind a peer that finds its one entry `count` times. */
async function searched(count: number) {
  const here = await install(onTestFinished);
  const file = here.file('report.txt', 'report');
  await here.document('sign-blob', file, ...CONTEXT);
  const found = { hash: `sha256:${createHash('sha256').update('report').digest('hex')}` };
  const asked = await fetch(`${here.url}/api/v1/index/retrieve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(found),
  });
  const [uuid] = (await asked.json()) as [string];
  const entry = await (await fetch(`${here.url}/api/v1/log/entries/${uuid}`)).text();
  const open = { now: 0, most: 0 };
  const peer = await startPeer(onTestFinished, ({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url?.endsWith('/retrieve')) return void response.end(JSON.stringify(Array(count).fill(uuid)));
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    setImmediate(() => {
      open.now -= 1;
      response.end(entry);
    });
  });
  const ran = await here.run('log', 'search', '--rekor-url', peer.url, '--artifact', file, '-o', 'json');
  return { ran, mostAtOnce: open.most };
}

test('a search that found as many entries as the log tells says so, and reads them a few at a time', async () => {
  const { ran, mostAtOnce } = await searched(1000);
  expect(ran.exitCode).toBe(0);
  expect(documentOf(ran)).toHaveLength(1000);
  expect(ran.stderr).toMatch(/there may be more/);
  expect(mostAtOnce).toBeLessThanOrEqual(8);
});

test('a search that found fewer says nothing of it', async () => {
  const { ran } = await searched(20);
  expect(documentOf(ran)).toHaveLength(20);
  expect(ran.stderr).toBe('');
});
