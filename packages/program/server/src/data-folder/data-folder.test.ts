import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallDisk, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bindInstallation, dataPaths, lockDataFolder, readInstallation } from './data-folder.ts';

const INSTALLATION = { issuer_url: 'http://localhost:7080', token_algorithm: 'RS256' } as const;
const newFolder = () => join(temporaryFolder(onTestFinished), 'data');
const coded = (code: string) => expect.objectContaining({ code });

test('a folder in which nothing was started has no installation', () => {
  const folder = newFolder();
  expect(readInstallation(folder)).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
});

test('the first start binds the folder, in its owner’s hands alone', () => {
  const folder = newFolder();
  bindInstallation(folder, INSTALLATION);
  expect(readInstallation(folder)).toEqual(INSTALLATION);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  bindInstallation(folder, INSTALLATION);
  expect(readInstallation(folder)).toEqual(INSTALLATION);
});

test('another address later is refused, with both addresses', () => {
  const folder = newFolder();
  bindInstallation(folder, INSTALLATION);
  const other = { ...INSTALLATION, issuer_url: 'http://localhost:7081' };
  expect(() => bindInstallation(folder, other)).toThrow(coded('server.issuer_changed'));
  expect(() => bindInstallation(folder, other)).toThrow(/localhost:7080.*localhost:7081/);
  expect(readInstallation(folder)).toEqual(INSTALLATION);
});

test('another algorithm later is refused', () => {
  const folder = newFolder();
  bindInstallation(folder, INSTALLATION);
  expect(() => bindInstallation(folder, { ...INSTALLATION, token_algorithm: 'ES256' })).toThrow(
    coded('server.algorithm_changed'),
  );
});

test('a folder says which format it has, wherever its issuer is', () => {
  const folder = temporaryFolder(onTestFinished);
  const elsewhere = { ...INSTALLATION, issuer_url: 'https://agents.example.com/colophon' };
  bindInstallation(folder, elsewhere);
  expect(readInstallation(folder)).toEqual(elsewhere);
  expect(JSON.parse(readFileSync(dataPaths(folder).installation, 'utf8'))).toEqual({ format: 3, ...elsewhere });
  expect(() => bindInstallation(folder, INSTALLATION)).toThrow(coded('server.issuer_changed'));
});

const whole = JSON.stringify(INSTALLATION);
test.each([
  ['nothing', ''],
  ['half of itself', whole.slice(0, whole.length / 2)],
  ['zeros, as a power cut leaves them', '\0'.repeat(64)],
  ['another JSON value', 'null'],
  ['no issuer', '{"token_algorithm":"RS256"}'],
  ['an issuer elsewhere without TLS', '{"issuer_url":"http://issuer.example","token_algorithm":"RS256"}'],
  ['an issuer with a query', '{"issuer_url":"https://issuer.example/?x","token_algorithm":"RS256"}'],
  ['an algorithm that is none', '{"issuer_url":"http://localhost:7080","token_algorithm":"none"}'],
  ['two issuers', `{"issuer_url":"http://localhost:1","issuer_url":"http://localhost:2","token_algorithm":"RS256"}`],
])('an installation file that holds %s is damaged, and is not written over', (_title, text) => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(dataPaths(folder).installation, text);
  expect(() => readInstallation(folder)).toThrow(coded('server.data_folder_damaged'));
  expect(() => bindInstallation(folder, INSTALLATION)).toThrow(coded('server.data_folder_damaged'));
  expect(readFileSync(dataPaths(folder).installation, 'utf8')).toBe(text);
});

test('an installation that cannot be read is told from one that is not there', () => {
  const folder = newFolder();
  mkdirSync(dataPaths(folder).installation, { recursive: true });
  expect(() => readInstallation(folder)).toThrow(coded('server.data_folder_unusable'));
  expect(() => readInstallation(join(dataPaths(folder).installation, '..', '..', 'nowhere'))).not.toThrow();
});

test('one at a time holds the folder', () => {
  const folder = newFolder();
  const release = lockDataFolder(folder);
  expect(() => lockDataFolder(folder)).toThrow(coded('server.data_folder_in_use'));
  release();
  release();
  lockDataFolder(folder)();
});

test.each([0o755, 0o750, 0o701])('a folder with mode %o is closed to others, and so is its lock', (mode) => {
  const folder = newFolder();
  mkdirSync(folder);
  chmodSync(folder, mode);
  const modes = () => [folder, dataPaths(folder).lock].map((path) => statSync(path).mode & 0o777);
  lockDataFolder(folder)();
  expect(modes()).toEqual([0o700, 0o600]);
  chmodSync(dataPaths(folder).lock, 0o644);
  lockDataFolder(folder)();
  expect(modes()).toEqual([0o700, 0o600]);
});

test('another user’s folder that is open to others is refused, and left as it is', () => {
  const folder = newFolder();
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  vi.spyOn(process, 'getuid').mockReturnValue(statSync(folder).uid + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(() => lockDataFolder(folder)).toThrow(coded('server.data_folder_unusable'));
  expect(() => lockDataFolder(folder)).toThrow(/another user/);
  expect(statSync(folder).mode & 0o777).toBe(0o755);
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that was served and is on a read-only disk now cannot be locked', ({ skip }) => {
  const disk = smallDisk(1, onTestFinished);
  if (disk === undefined) return skip('no disk can be mounted');
  lockDataFolder(disk)();
  expect(spawnSync('/bin/mount', ['-o', 'remount,ro', disk]).status).toBe(0);
  expect(() => lockDataFolder(disk)).toThrow(coded('server.data_folder_unusable'));
});

test('another process is refused, and the lock of one that was killed is gone', async () => {
  const folder = newFolder();
  const script = `const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))});
globalThis.release = lockDataFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  expect(() => lockDataFolder(folder)).toThrow(coded('server.data_folder_in_use'));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDataFolder(folder)();
});

test('asking for the lock once more in the process that holds it does not let go of it', async () => {
  const folder = newFolder();
  const release = lockDataFolder(folder);
  onTestFinished(release);
  expect(() => lockDataFolder(folder)).toThrow(coded('server.data_folder_in_use'));
  const script = `const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))});
try { lockDataFolder(${JSON.stringify(folder)}); console.log('held'); } catch ({ code }) { console.log(code); }`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(other.stdout, 'data');
  expect(String(said)).toBe('server.data_folder_in_use\n');
});

test.each(['a file where the folder belongs', 'a file where a folder above belongs'])('%s is no folder', (title) => {
  const folder = newFolder();
  writeFileSync(folder, '');
  const dataDir = title.includes('above') ? join(folder, 'data') : folder;
  expect(() => lockDataFolder(dataDir)).toThrow(coded('server.data_folder_unusable'));
});

test('a lock file that is no database is a damaged folder’s, and not somebody else’s lock', () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(dataPaths(folder).lock, 'x'.repeat(4096));
  expect(() => lockDataFolder(folder)).toThrow(coded('server.data_folder_unusable'));
});
