import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLogs } from '@colophon/authority';
import { ledgerOrigin, verifyLedger } from '@colophon/issuer';
import { openDatabase } from '@colophon/store';
import { fillDisk, smallDisk } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { runServer } from './running-server.ts';

const NO_DISK = 'a small disk cannot be mounted here';

test('on a full disk nothing is issued, signed, kept or half written; with room it goes on', async ({ skip }) => {
  const disk = smallDisk(8, onTestFinished);
  if (disk === undefined) return skip(NO_DISK);
  const server = await runServer(onTestFinished, { dataDir: join(disk, 'data') });
  const before = await server.signReview();
  const makeRoom = fillDisk(disk);

  let minted = 0;
  let refused: Response | undefined;
  // What the write-ahead log holds already can still be used.
  while (refused === undefined && minted < 5_000) {
    const answer = await server.mint();
    if (answer.status === 200) minted += 1;
    else refused = answer;
    await answer.text();
  }
  expect(refused?.status).toBe(503);
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
  const post = (path: string, body: Uint8Array) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });
  expect((await post('/evidence', before)).status).toBe(503);
  const upload = await fetch(`${server.url}/v2/app/blobs/uploads/`, { method: 'POST' });
  expect([202, 503, 507]).toContain(upload.status);
  await expect(server.sign('x')).rejects.toMatchObject({ code: expect.stringMatching(/^signing\./) });
  expect((await fetch(`${server.url}/.well-known/jwks.json`)).status).toBe(200);

  makeRoom();
  expect((await server.mint()).status).toBe(200);
  expect((await post('/evidence', before)).status).toBe(201);
  await server.sign('x');
  await server.close();

  const key = (file: string) => createPublicKey(readFileSync(file));
  const spki = (file: string) => key(file).export({ type: 'spki', format: 'der' });
  const db = openDatabase(server.paths.database, { readonly: true });
  onTestFinished(() => db.close());
  const ledger = verifyLedger(db, key(server.paths.ledgerPublicKey), ledgerOrigin(server.url));
  expect(ledger).toMatchObject({ ok: true, problems: [] });
  const { rekorPublicKey, ctPublicKey } = server.paths;
  const logs = verifyLogs(db, { rekorPublicKey: spki(rekorPublicKey), ctPublicKey: spki(ctPublicKey) });
  expect(logs.flatMap(({ problems }) => problems)).toEqual([]);
});

test('a start on a full disk is refused, and the next one with room begins cleanly', async ({ skip }) => {
  const disk = smallDisk(8, onTestFinished);
  if (disk === undefined) return skip(NO_DISK);
  const makeRoom = fillDisk(disk);
  const options = { dataDir: join(disk, 'data'), reviewerSecretFile: join(disk, 'secret'), port: 0 };
  await expect(startServer(options)).rejects.toMatchObject({
    code: expect.stringMatching(/^(server\.data_folder_unusable|store\.unavailable|key\.unavailable)$/),
  });
  makeRoom();
  const server = await startServer(options);
  onTestFinished(() => server.close());
  expect((await fetch(`${server.url}/.well-known/jwks.json`)).status).toBe(200);
});
