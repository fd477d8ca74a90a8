import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { hashedRekordOf, makeSigner } from '../../test/signer.ts';

const signer = makeSigner();
let running: RunningAuthority;
let isRunning = true;
beforeEach(async () => {
  running = await runAuthority();
  isRunning = true;
});
afterEach(async () => {
  if (isRunning) await running.stop();
  rmSync(running.dataDir, { recursive: true });
});

const keyFile = (name: string) => join(running.dataDir, 'keys', name);
async function stop() {
  await running.stop();
  isRunning = false;
}
async function start() {
  running = await runAuthority({}, running.key, running.dataDir);
  isRunning = true;
}
const refused = () =>
  expect(runAuthority({}, running.key, running.dataDir)).rejects.toMatchObject({ code: 'authority.log_key_mismatch' });
const use = async () => {
  await running.certify(signer);
  await running.authority.addLogEntry(hashedRekordOf(signer, 'artifact'));
};

describe.each(['transparency-log.pem', 'certificate-log.pem'])('a start without %s', (name) => {
  test.each([true, false])(
    'is refused, and makes no other; put back, all goes on (entries: %j)',
    async (hasEntries) => {
      if (hasEntries) await use();
      await stop();
      const key = readFileSync(keyFile(name));
      rmSync(keyFile(name));
      await refused();
      expect(existsSync(keyFile(name))).toBe(false);
      await expect(runAuthority({}, running.key, running.dataDir)).rejects.toThrow(name);
      writeFileSync(keyFile(name), key, { mode: 0o600 });
      await start();
      await use();
    },
  );

  test('is refused in the folder of an earlier version, which pinned no key', async () => {
    running.db.sqlite.exec('DELETE FROM tree_key');
    await stop();
    rmSync(keyFile(name));
    await refused();
    expect(existsSync(keyFile(name))).toBe(false);
  });
});

test.each([true, false])(
  'a start with the keys of the two logs exchanged is refused (pinned: %j)',
  async (isPinned) => {
    await use();
    if (!isPinned) running.db.sqlite.exec('DELETE FROM tree_key');
    await stop();
    renameSync(keyFile('transparency-log.pem'), keyFile('x'));
    renameSync(keyFile('certificate-log.pem'), keyFile('transparency-log.pem'));
    renameSync(keyFile('x'), keyFile('certificate-log.pem'));
    await refused();
  },
);

test('another key is refused before the log has its first head', async () => {
  await stop();
  renameSync(keyFile('transparency-log.pem'), keyFile('certificate-log.pem'));
  await refused();
});

test('a head of a log with another name is refused', async () => {
  await use();
  running.db.sqlite.exec("UPDATE log_identity SET tree_id = '7'");
  await stop();
  await refused();
});

test('the keys of a folder that pinned none are pinned at its next start', async () => {
  await use();
  running.db.sqlite.exec('DELETE FROM tree_key');
  await stop();
  await start();
  expect(running.db.sqlite.prepare('SELECT tree FROM tree_key ORDER BY tree').all()).toMatchObject([
    { tree: 'ct' },
    { tree: 'rekor' },
  ]);
});

test.each(['ca-root.pem', 'ca-intermediate.pem'])('a start without %s is refused, and makes no other', async (name) => {
  await stop();
  rmSync(keyFile(name));
  await expect(runAuthority({}, running.key, running.dataDir)).rejects.toMatchObject({
    code: 'authority.ca_certificate_mismatch',
  });
  expect(existsSync(keyFile(name))).toBe(false);
});
