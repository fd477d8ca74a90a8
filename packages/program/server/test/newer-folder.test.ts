import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { runServer, type TestServer } from './running-server.ts';

/** The lock and SQLite's side files say nothing of what is kept. */
const OF_A_START = /lock\.db|-(wal|shm)$/;

async function stoppedServer(): Promise<TestServer> {
  const server = await runServer(onTestFinished);
  await server.mint();
  await server.close();
  return server;
}

function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !OF_A_START.test(entry.name),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name)).toString('base64'),
    ]),
  );
}

/** A start on the folder, at the address that it is bound to. */
function startAgain({ dataDir, reviewerSecretFile }: TestServer) {
  return startServer({ dataDir, reviewerSecretFile });
}

test('a data folder of a newer format is refused with both formats, and nothing is written', async () => {
  const server = await stoppedServer();
  const { installation } = server.paths;
  const kept = JSON.parse(readFileSync(installation, 'utf8'));
  writeFileSync(installation, JSON.stringify({ ...kept, format: 12, later_member: true }));
  const before = contentOf(server.dataDir);
  const message = expect.stringMatching(/\b12\b.*\b3\b/);
  await expect(startAgain(server)).rejects.toMatchObject({ code: 'server.data_folder_newer', message });
  expect(contentOf(server.dataDir)).toEqual(before);
});

test.each(['ledger', 'evidence', 'log-entry', 'registry'])(
  'a database whose %s tables are newer is refused, and nothing is written',
  async (store) => {
    const server = await stoppedServer();
    const file = store === 'registry' ? join(server.paths.registry, 'registry.db') : server.paths.database;
    const sqlite = new DatabaseSync(file);
    const changed = sqlite.prepare('UPDATE schema_version SET version = 99 WHERE store = ?').run(store);
    expect(changed.changes).toBe(1);
    sqlite.close();
    const before = contentOf(server.dataDir);
    const message = expect.stringMatching(/\b99\b.*\b\d\b/);
    await expect(startAgain(server)).rejects.toMatchObject({ code: 'store.schema_newer', message });
    expect(contentOf(server.dataDir)).toEqual(before);
  },
);

test.each([undefined, 1, 2])('a data folder of format %s was never released: nothing is written', async (format) => {
  const server = await stoppedServer();
  const { installation } = server.paths;
  writeFileSync(installation, JSON.stringify({ ...JSON.parse(readFileSync(installation, 'utf8')), format }));
  const before = contentOf(server.dataDir);
  await expect(startAgain(server)).rejects.toMatchObject({ code: 'server.data_folder_unreleased' });
  expect(contentOf(server.dataDir)).toEqual(before);
});

test('a database with tables that were never released is refused, and nothing is written', async () => {
  const server = await stoppedServer();
  const sqlite = new DatabaseSync(server.paths.database);
  sqlite.prepare("UPDATE schema_version SET version = 4 WHERE store = 'ledger'").run();
  sqlite.close();
  const before = contentOf(server.dataDir);
  await expect(startAgain(server)).rejects.toMatchObject({ code: 'store.schema_unreleased' });
  expect(contentOf(server.dataDir)).toEqual(before);
});
