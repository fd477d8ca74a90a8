import { homedir } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { homeFolder } from './home-folder.ts';

/** A number that no list of users has. */
const NOBODYS_UID = 54_321;

test('HOME counts first, where it is set and not empty', () => {
  expect(homeFolder({ HOME: '/home/dana' })).toBe('/home/dana');
  expect(homeFolder({})).toBe(homedir());
  expect(homeFolder({ HOME: '' })).toBe(homedir());
});

test.skipIf(process.getuid?.() !== 0)('a user whom the system does not know has the root folder', () => {
  vi.stubEnv('HOME', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  process.seteuid!(NOBODYS_UID);
  onTestFinished(() => process.seteuid!(0));
  expect(homeFolder({})).toBe('/');
});
