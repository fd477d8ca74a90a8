import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkApiKey } from '@colophon/issuer';
import { CallerStore, openDatabase } from '@colophon/store';
import { cleanupAt, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

// Beside a running server, whose lock these commands leave alone.
const cleanup = cleanupAt(afterAll);
let here: Installation;

beforeAll(async () => {
  here = await install(cleanup);
});
const callers = (...line: string[]) => here.run('callers', ...line);
const SECONDS = () => Math.floor(Date.now() / 1000);

/** Decides a key as the server does that has had the file open all the time. */
function decided(key: string) {
  const db = openDatabase(join(here.dataDir, 'colophon.db'), { readonly: true });
  try {
    const decision = checkApiKey(key, new CallerStore(db), SECONDS());
    return decision.ok ? decision.caller : decision.code;
  } finally {
    db.close();
  }
}

/** Every file below a folder, as one text each. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file).toString('latin1'));
}

describe('a key', () => {
  test('is the one line on standard output, and in no file and no other words', async () => {
    const { exitCode, stdout, stderr } = await callers('key', 'create', 'secret-bot', '--expires-in', '1d');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^colophon_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\n$/)]);
    const key = stdout.trim();
    const [, id = '', secret = ''] = key.split('_');
    expect(stderr).toMatch(new RegExp(`^key ${id} of secret-bot, expires \\S+Z; .* once\n$`));
    expect(decided(key)).toBe('secret-bot');
    const after = await Promise.all([
      callers('list'),
      callers('key', 'list', '--wide'),
      callers('key', 'list', '-o', 'json'),
      here.run('ledger', 'export'),
      callers('key', 'revoke', `${key}x`),
      callers('revoke', key.slice(0, 40)),
      callers('key', 'create', key),
      callers('key', 'revok', key),
      callers('key', 'list', key, key),
    ]);
    const said = [stderr, ...after.flatMap((ran) => [ran.stdout, ran.stderr]), ...filesBelow(here.dataDir)];
    expect(said.filter((text) => text.includes(id)).length).toBeGreaterThan(4);
    for (let at = 0; at + 10 <= secret.length; at += 5) {
      expect(said.filter((text) => text.includes(secret.slice(at, at + 10)))).toEqual([]);
    }
  });

  test('is in the one document with --output json, and nothing on standard error', async () => {
    const { stdout, stderr } = await callers('key', 'create', 'json-bot', '-o', 'json');
    const created = JSON.parse(stdout);
    expect([decided(created.key), stderr]).toEqual(['json-bot', '']);
    expect(Date.parse(created.expires_at) - Date.parse(created.created_at)).toBe(30 * 86_400_000);
  });

  test('is revoked by its id, and a caller by its name, with every key that it has', async () => {
    const create = async () => (await here.document('callers', 'key', 'create', 'rotating-bot')).key as string;
    const keys = [await create(), await create(), await create()] as const;
    expect(keys.map(decided)).toEqual(Array(3).fill('rotating-bot'));
    await here.document('callers', 'key', 'revoke', keys[0].split('_')[1]!);
    expect(keys.map(decided)).toEqual(['caller.api_key_revoked', 'rotating-bot', 'rotating-bot']);
    await here.document('callers', 'revoke', keys[1].split('_')[1]!);
    expect(keys.map(decided)).toEqual(['caller.api_key_revoked', 'caller.api_key_revoked', 'rotating-bot']);
    await here.document('callers', 'revoke', 'rotating-bot');
    expect(keys.map(decided)).toEqual(Array(3).fill('caller.revoked'));
    expect(await here.refusal('callers', 'key', 'create', 'rotating-bot')).toMatchObject({
      exitCode: 4,
      code: 'caller.revoked',
    });
  });

  test.each(['key revoke', 'revoke'])(
    'that is typed whole for its id is revoked by `callers %s`, and not repeated',
    async (line) => {
      const { key } = await here.document('callers', 'key', 'create', 'pasted-bot');
      const { exitCode, stdout, stderr } = await callers(...line.split(' '), key);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(key.split('_')[1])]);
      expect(stderr).toMatch('leaked');
      expect(stdout + stderr).not.toContain(key.slice(22, 32));
      expect(decided(key)).toBe('caller.api_key_revoked');
    },
  );
});

test('every change is a row of the ledger, which verifies beside the running server', async () => {
  const before = await here.document('ledger', 'verify');
  const { key_id } = await here.document('callers', 'key', 'create', 'ledger-bot');
  await here.document('callers', 'key', 'revoke', key_id);
  await here.run('token', ...CONTEXT);
  await here.document('callers', 'revoke', 'ledger-bot');
  const after = await here.document('ledger', 'verify');
  expect([after.event_count - before.event_count, after.token_count - before.token_count]).toEqual([3, 1]);
  const records = JSON.parse((await here.run('ledger', 'export')).stdout).slice(-4);
  expect(records.map((record: { event: { event: string } | null }) => record.event?.event)).toEqual([
    'api-key.created',
    'api-key.revoked',
    undefined,
    'caller.revoked',
  ]);
  const served = async () =>
    (await (await fetch(`${here.url}/runs/${records[3].jti}`)).json()) as { readonly integrated: boolean };
  await expect.poll(async () => (await served()).integrated).toBe(true);
});

test.each([
  ['caller.name_invalid', ['key', 'create', 'Release Bot']],
  ['caller.expiry_invalid', ['key', 'create', 'a', '--expires-in', '91d']],
  ['caller.expiry_invalid', ['key', 'create', 'a', '--expires-in', '59s']],
  ['cli.usage', ['key', 'create', 'a', '--expires-in', 'never']],
  ['cli.usage', ['key', 'create', 'a', '--expires-in', '']],
  ['caller.key_not_found', ['key', 'revoke', 'AAAAAAAAAAAA']],
  ['cli.usage', ['key', 'revoke', 'release-bot']],
  ['cli.usage', ['revoke', 'Release Bot']],
])('%s is what %j is refused with', async (code, line) => {
  expect(await here.refusal('callers', ...line)).toMatchObject({ code });
});

test('a data folder from before there were callers is left as it is, and what to run is said', async () => {
  const folder = temporaryFolder(onTestFinished);
  const file = join(folder, 'colophon.db');
  cpSync(join(here.dataDir, 'installation.json'), join(folder, 'installation.json'));
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE schema_version (store TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT');
  db.close();
  const before = readFileSync(file);
  for (const line of [['list'], ['revoke', 'release-bot'], ['key', 'create', 'release-bot']]) {
    const ran = await runLine(['callers', ...line, '-o', 'json'], { ...here.env, COLOPHON_HOME: folder });
    expect(documentOf(ran).error).toMatchObject({ code: 'store.schema_missing', next: 'colophon up' });
  }
  expect(readFileSync(file)).toEqual(before);
});

test('where nothing was ever started: exit 11, what to run, and nothing is made', async () => {
  const none = join(temporaryFolder(onTestFinished), 'none');
  for (const line of [
    ['list'],
    ['revoke', 'x'],
    ['key', 'create', 'x'],
    ['key', 'list'],
    ['key', 'revoke', 'AAAAAAAAAAAA'],
  ]) {
    const ran = await runLine(['callers', ...line, '-o', 'json', '--data', none]);
    expect(ran.exitCode).toBe(11);
    expect(documentOf(ran).error).toMatchObject({ code: 'cli.no_issuer', next: `colophon up --data ${none}` });
    expect(existsSync(none)).toBe(false);
  }
});

test.each([
  ['cli.usage', 'is a file', (folder: string) => join(folder, 'installation.json')],
  ['server.data_folder_damaged', 'has a damaged file', (folder: string) => folder],
])('%s where the data folder %s', async (code, _what, dataOf) => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'installation.json'), '{');
  for (const line of [['list'], ['revoke', 'x'], ['key', 'create', 'x']]) {
    const ran = await runLine(['callers', ...line, '-o', 'json', '--data', dataOf(folder)]);
    expect(documentOf(ran).error.code).toBe(code);
  }
});

test('a damaged database is told, and no key is printed', async () => {
  const folder = temporaryFolder(onTestFinished);
  cpSync(join(here.dataDir, 'installation.json'), join(folder, 'installation.json'));
  writeFileSync(join(folder, 'colophon.db'), 'x'.repeat(8192));
  for (const line of [['list'], ['revoke', 'x'], ['key', 'create', 'x']]) {
    const ran = await runLine(['callers', ...line, '--data', folder]);
    expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toMatch('store.corrupt');
  }
});

describe('with the configuration of the issuer', () => {
  const entries = 'callers:\n  - { name: keyed, apiKey: true, may: { agents: ["*"] } }\n';
  const configured = (text = entries) =>
    here.file(
      'issuer.yaml',
      `issuer: ${here.url}\nlisten: { address: localhost, port: 0 }\ndata: ${here.dataDir}\n${text}`,
    );
  const withConfig = (...line: string[]) => runLine([...line, '--config', configured(), '-o', 'json']);

  test('a key is made for a caller of the file alone', async () => {
    const limits = `${entries}limits: { apiKeyDays: 2 }\n`;
    expect((await withConfig('callers', 'key', 'create', 'keyed')).exitCode).toBe(0);
    const unknown = documentOf(await withConfig('callers', 'key', 'create', 'keyd')).error;
    expect(unknown).toMatchObject({ code: 'cli.usage', checked: 'keyd', expected: 'keyed' });
    const short = [
      'callers',
      'key',
      'create',
      'keyed',
      '--expires-in',
      '3d',
      '--config',
      configured(limits),
      '-o',
      'json',
    ];
    expect(documentOf(await runLine(short)).error.code).toBe('caller.expiry_invalid');
  });

  test('a mistyped name is not revoked in place of the one that was meant', async () => {
    const refused = documentOf(await withConfig('callers', 'revoke', 'keyd')).error;
    expect(refused).toMatchObject({ code: 'cli.usage', checked: 'keyd', expected: 'keyed' });
    expect(
      documentOf(await withConfig('callers', 'list')).callers.map(({ caller }: { caller: string }) => caller),
    ).toContain('keyed');
  });

  test.each([
    ['callers', 'list'],
    ['callers', 'key', 'list'],
    ['callers', 'revoke', 'meanwhile-broken'],
    ['keys', 'list'],
  ])('%s %s %s works whatever else is wrong with the file', async (...line) => {
    const broken = configured('callers: 7\nlisten: nowhere\n');
    const words = line.filter((word) => word !== undefined);
    expect((await runLine([...words, '--config', broken, '-o', 'json'])).exitCode).toBe(0);
  });
});
