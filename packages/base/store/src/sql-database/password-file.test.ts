import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { passwordFromFile } from './password-file.ts';

const LOGIN = { host: 'db.example.com', port: 5432, database: 'triage', user: 'dana' };

function file(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(onTestFinished), 'pgpass');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test.each([
  ['db.example.com:5432:triage:dana:pw', 'pw'],
  ['*:*:*:*:pw', 'pw'],
  ['db.example.com:*:*:dana:p:w', 'p'],
  ['db.example.com:*:*:dana:p\\:w\\\\x', 'p:w\\x'],
  ['# db.example.com:*:*:dana:no\n\n*:*:*:eve:no\n*:*:*:dana:first\n*:*:*:dana:second', 'first'],
  ['*:*:*:dana:pw\r\n', 'pw'],
  ['*:5433:*:dana:no', undefined],
  ['*:*:other:dana:no', undefined],
  ['example.com:*:*:dana:no', undefined],
  ['*:*:*:dana', undefined],
  ['*:*:*:dana:', undefined],
  ['', undefined],
])('of %j the password is %j', (text, password) => {
  expect(passwordFromFile(LOGIN, { PGPASSFILE: file(text) })).toBe(password);
});

test('a socket is called localhost', () => {
  const env = { PGPASSFILE: file('localhost:*:*:*:pw') };
  expect(passwordFromFile({ ...LOGIN, host: '/var/run/postgresql' }, env)).toBe('pw');
  expect(passwordFromFile(LOGIN, env)).toBeUndefined();
});

test.each([0o640, 0o604, 0o620, 0o777])('a file of mode %o is passed over', (mode) => {
  expect(passwordFromFile(LOGIN, { PGPASSFILE: file('*:*:*:*:pw', mode) })).toBeUndefined();
});

test('it is ~/.pgpass where nothing else is said, and may be missing, or a folder', () => {
  const home = temporaryFolder(onTestFinished);
  expect(passwordFromFile(LOGIN, { HOME: home })).toBeUndefined();
  writeFileSync(join(home, '.pgpass'), '*:*:*:*:pw', { mode: 0o600 });
  expect(passwordFromFile(LOGIN, { HOME: home })).toBe('pw');
  mkdirSync(join(home, 'folder'), { mode: 0o700 });
  expect(passwordFromFile(LOGIN, { PGPASSFILE: join(home, 'folder') })).toBeUndefined();
});

test('a line of a megabyte is read', () => {
  const env = { PGPASSFILE: file(`${'\\'.repeat(1_000_000)}\n*:*:*:*:pw`) };
  expect(passwordFromFile(LOGIN, env)).toBe('pw');
});
