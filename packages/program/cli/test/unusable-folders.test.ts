import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { actorOf } from '../src/remediation-desk/desk-session.ts';
import { runLine } from './command-line.ts';

/** Below a file nothing can be made, whoever asks. */
function placeInTheWay(): { readonly free: string; readonly taken: string } {
  const free = temporaryFolder(onTestFinished);
  writeFileSync(join(free, 'file'), '');
  return { free, taken: join(free, 'file') };
}

const UP = ['up', '--port', '0'];

test('a home folder that cannot be written keeps the server from starting, and --data is named', async () => {
  const { taken } = placeInTheWay();
  const { exitCode, stderr } = await runLine(UP, { HOME: taken });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error server\.data_folder_unusable: .*\n +next +colophon up --data FOLDER\n$/);
});

test('a configuration folder that cannot be written is named by its variable', async () => {
  const { free, taken } = placeInTheWay();
  const { exitCode, stderr } = await runLine([...UP, '--data', join(free, 'data')], { HOME: taken });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error server\.data_folder_unusable: .*\n +next +XDG_CONFIG_HOME=FOLDER colophon up\n$/);
});

test.skipIf(process.getuid?.() !== 0)('a user whom the system does not know acts under a number', () => {
  const uid = 54_321;
  process.seteuid!(uid);
  onTestFinished(() => process.seteuid!(0));
  expect(actorOf({}).by).toMatch(new RegExp(`^\\d+@${hostname()}$`));
});
