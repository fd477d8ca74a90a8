import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { openTriageDatabase, type TriageDatabaseFlags, withTriageDatabase } from './triage-database.ts';

const NOBODY = 'postgres://dana@127.0.0.1:1/triage';

/** Opens the database for a command line, as a command of the program does. */
async function opened(args: string[], env: Record<string, string> = {}, mustExist = false) {
  const program = new Command('colophon').option('--data <folder>').exitOverride();
  const command = withTriageDatabase(program.command('read'));
  let flags: TriageDatabaseFlags = {};
  command.action((given) => {
    flags = given;
  });
  program.parse(['read', ...args], { from: 'user' });
  const db = await openTriageDatabase(flags, command, { env }, { mustExist });
  onTestFinished(() => db.close());
  return db.address;
}

const folder = () => temporaryFolder(onTestFinished);

test('the flag wins over the environment, and that over the data folder', async () => {
  const [data, named, home] = [folder(), folder(), folder()];
  const env = { COLOPHON_DATABASE: join(named, 'env.db'), COLOPHON_HOME: home };
  expect(await opened(['--database', join(named, 'flag.db'), '--data', data], env)).toBe(join(named, 'flag.db'));
  expect(await opened(['--data', data], env)).toBe(join(named, 'env.db'));
  expect(await opened(['--data', data], { ...env, COLOPHON_DATABASE: '' })).toBe(join(data, 'remediation.db'));
  expect(await opened([], { COLOPHON_HOME: home })).toBe(join(home, 'remediation.db'));
});

test('it is made on first use, for its owner alone', async () => {
  const file = await opened([], { COLOPHON_HOME: join(folder(), 'new') });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
});

test('a command that only reads makes none, and says what does', async () => {
  const home = join(folder(), 'none');
  await expect(opened([], { COLOPHON_HOME: home }, true)).rejects.toMatchObject({
    code: 'cli.no_database',
    kind: 'not-found',
    facts: { checked: join(home, 'remediation.db'), next: 'colophon remediation open' },
  });
  expect(existsSync(home)).toBe(false);
});

test.each([
  'postgres://dana:geheim@localhost/triage',
  'postgresql://localhost/triage?password=geheim',
  'POSTGRES://dana:geheim@localhost/triage',
  'postgres://localhost/triage?user=dana&sslpassword=geheim',
])('%s is refused on a command line, and not repeated', async (address) => {
  const refused = await opened(['--database', address]).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'cli.usage', kind: 'usage' });
  expect(JSON.stringify([(refused as Error).message, (refused as { facts: unknown }).facts])).not.toContain('geheim');
});

test.each([
  [['--database', NOBODY], {}],
  [[], { COLOPHON_DATABASE: NOBODY.replace('dana', 'dana:geheim') }],
])('with %j and %j a server that is not there is a peer that is down', async (args, env) => {
  const refused = await opened(args, env).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'store.unavailable', kind: 'peer' });
  expect((refused as Error).message).not.toContain('geheim');
});

test.each(['mysql://localhost/triage', 'sqlite:///triage.db', 'file:triage.db', 'https://example.com/triage.db'])(
  '%s is no database that can be used, and no file of that name is made',
  async (address) => {
    await expect(opened(['--database', address])).rejects.toMatchObject({ code: 'cli.usage' });
    await expect(opened([], { COLOPHON_DATABASE: address })).rejects.toMatchObject({ code: 'cli.usage' });
  },
);
