import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { cleanupAt, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyRelease } from './frozen/releases.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

// Deleted is gone: after every erasure all files are searched, beside a running server.
const cleanup = cleanupAt(afterAll);
let here: Installation;

beforeAll(async () => {
  here = await install(cleanup);
});
/** A context of its own, so that its values are in no other row. */
const contextOf = (person: string) =>
  CONTEXT.map((word) =>
    word.replace('alice@example.com', `${person}@example.net`).replace('acme/webshop', `acme/${person}`),
  );

/** Mints a token that is never exchanged; answers once a checkpoint covers its row. */
async function mint(person: string): Promise<string> {
  const { stdout, exitCode, stderr } = await here.run('token', ...contextOf(person));
  if (exitCode !== 0) throw new Error(stderr);
  const jti = String(JSON.parse(Buffer.from(stdout.split('.')[1]!, 'base64url').toString()).jti);
  await sequenced(jti);
  return jti;
}

async function sequenced(jti: string): Promise<void> {
  const record = async () => (await (await fetch(`${here.url}/runs/${jti}`)).json()) as { integrated: boolean };
  await expect.poll(async () => (await record()).integrated).toBe(true);
}

/** Names of the files below a folder that hold a text, as it is or in base64. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text));
}

const erase = (jti: string, reason = 'ticket 4711') => ['ledger', 'erase', jti, '--reason', reason];

describe('a token that was never exchanged', () => {
  test('leaves nothing in any file but its jti and its leaf', async () => {
    const jti = await mint('dora');
    for (const text of ['dora@example.net', 'acme/dora', `,"jti":"${jti}"`])
      expect(filesWith(here.dataDir, text)).not.toEqual([]);
    const before = (await (await fetch(`${here.url}/runs/${jti}`)).json()) as Record<string, unknown>;
    const erased = await here.document(...erase(jti));
    expect(erased).toMatchObject({ ok: true, jti, is_resumed: false, certificates: [], log_entries: [], evidence: [] });
    expect(erased.erased).toMatchObject({ reason: 'ticket 4711', erased_by: expect.any(String) });
    for (const text of ['dora', `,"jti":"${jti}"`]) expect(filesWith(here.dataDir, text)).toEqual([]);
    const {
      claims,
      payload,
      salt,
      erased: said,
      leaf_hash,
    } = (await (await fetch(`${here.url}/runs/${jti}`)).json()) as typeof before;
    expect([claims, payload, salt, said, leaf_hash]).toEqual([null, null, null, erased.erased, before['leaf_hash']]);
    await sequenced(erased.erased.jti);
    expect(await here.document('ledger', 'verify')).toMatchObject({ ok: true, erased_count: 1 });
    const records = JSON.parse((await here.run('ledger', 'export')).stdout) as { event: { event: string } | null }[];
    expect(records.map(({ event }) => event?.event)).toContain('token.erased');
  });

  test('is gone too where fifty are erased one by one', async () => {
    const people = Array.from({ length: 50 }, (_, i) => `person-${String(i).padStart(2, '0')}`);
    const jtis = await Promise.all(people.map(mint));
    for (const jti of jtis) await here.document(...erase(jti));
    expect(people.filter((person) => filesWith(here.dataDir, person).length > 0)).toEqual([]);
    expect(await here.document('ledger', 'verify')).toMatchObject({ ok: true });
  }, 300_000);
});

test('of a token that was exchanged every entry is named that still has what was certified', async () => {
  const file = here.file('artifact', 'content');
  await here.document('sign-blob', '--bundle', `${file}.json`, ...contextOf('erik'), file);
  await here.document('evidence', 'import', `${file}.json`).catch(() => undefined);
  const db = new DatabaseSync(join(here.dataDir, 'colophon.db'), { readOnly: true });
  onTestFinished(() => db.close());
  const row = db.prepare("SELECT jti FROM ledger_entry WHERE payload LIKE '%erik%'").get();
  const jti = String(row?.['jti']);
  await sequenced(jti);
  const erased = await here.document(...erase(jti));
  const holding = (sql: string) =>
    db
      .prepare(sql)
      .all(jti)
      .map((found) => Number(Object.values(found)[0]));
  const certificates = holding('SELECT entry_index FROM ct_entry WHERE instr(leaf_input, CAST(? AS BLOB)) > 0');
  expect(certificates).toHaveLength(1);
  expect(erased.certificates.map(({ log_index }: { log_index: number }) => log_index)).toEqual(certificates);
  expect(erased.certificates[0].serial).toMatch(/^[0-9a-f]{40}$/);
  const newest = db.prepare('SELECT max(log_index) AS newest FROM log_entry').get()?.['newest'];
  expect(erased.log_entries).toMatchObject([{ log_index: newest }]);
  const [{ uuid }] = erased.log_entries;
  expect(
    await here.document('log', 'get', '--uuid', uuid).catch(() => here.document('log', 'get', uuid)),
  ).toMatchObject({ uuid });
  expect(erased.evidence).toHaveLength(holding('SELECT id FROM evidence_entry WHERE jti = ?').length);
  const table = await here.run('ledger', 'erase', jti, '--reason', 'again');
  expect(table).toMatchObject({ exitCode: 10 });
});

describe('what cannot be erased', () => {
  test('says why, and nothing changes', async () => {
    const jti = await mint('frank');
    const refusal = (...line: string[]) => here.refusal(...line);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await refusal(...erase(unknown))).toMatchObject({ exitCode: 11, code: 'erasure.token_not_found' });
    for (const reason of ['x'.repeat(501), 'two\nlines', '\u001b[2J'])
      expect(await refusal(...erase(jti, reason))).toMatchObject({ exitCode: 1, code: 'erasure.reason_invalid' });
    for (const reason of ['Frank@Example.net asked', 'about acme/frank'])
      expect(await refusal(...erase(jti, reason))).toMatchObject({
        exitCode: 20,
        code: 'erasure.reason_repeats_payload',
      });
    expect(filesWith(here.dataDir, 'frank@example.net')).not.toEqual([]);
    await here.document(...erase(jti));
    expect(await refusal(...erase(jti))).toMatchObject({ exitCode: 10, code: 'erasure.erased_already' });
    await here.document('callers', 'key', 'create', 'release-bot');
    const events = JSON.parse((await here.run('ledger', 'export')).stdout) as { jti: string; event: object | null }[];
    const event = events.findLast((record) => record.event !== null)!;
    expect(await refusal(...erase(event.jti))).toMatchObject({ exitCode: 20, code: 'erasure.is_event' });
    const late = await here.run('token', ...contextOf('gina'));
    const { jti: lateJti } = JSON.parse(Buffer.from(late.stdout.split('.')[1]!, 'base64url').toString());
    expect(await refusal(...erase(lateJti))).toMatchObject({ exitCode: 20, code: 'erasure.not_sequenced' });
  });

  test('while another process reads an older state is told, and the same command ends it', async () => {
    const jti = await mint('hanna');
    const reader = new DatabaseSync(join(here.dataDir, 'colophon.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM ledger_entry').get();
    expect(await here.refusal(...erase(jti))).toMatchObject({ exitCode: 2, code: 'erasure.unfinished' });
    reader.exec('ROLLBACK');
    reader.close();
    expect(await here.refusal('ledger', 'verify')).toMatchObject({
      exitCode: 13,
      issues: [{ code: 'ledger.erasure_unfinished' }],
    });
    expect(await here.document(...erase(jti))).toMatchObject({ ok: true, is_resumed: true });
    expect(filesWith(here.dataDir, 'hanna')).toEqual([]);
  });
});

test('a process that is killed between erasing and rewriting leaves the rest to the same command', async () => {
  const jti = await mint('ivan');
  const child = fileURLToPath(new URL('./killed-erasure.ts', import.meta.url));
  const process_ = spawn(process.execPath, [child, join(here.dataDir, 'colophon.db'), jti], { stdio: 'inherit' });
  expect(await once(process_, 'exit')).toEqual([null, 'SIGKILL']);
  expect(filesWith(here.dataDir, 'ivan')).not.toEqual([]);
  expect((await here.run('ledger', 'verify')).exitCode).toBe(13);
  expect(await here.document(...erase(jti))).toMatchObject({ is_resumed: true });
  expect(filesWith(here.dataDir, 'ivan')).toEqual([]);
  expect((await here.run('ledger', 'verify')).exitCode).toBe(0);
});

test('a row of the first release is erased from a file that kept old copies of it', async () => {
  const kept = copyRelease('0.1.0', temporaryFolder(onTestFinished));
  const file = join(kept.env['COLOPHON_HOME']!, 'colophon.db');
  // What the server does at its first start.
  const { openDatabase, SqliteLedger } = await import('@colophon/store');
  const db = openDatabase(file);
  new SqliteLedger(db);
  const { jti } = db.sqlite.prepare('SELECT jti FROM ledger_entry ORDER BY seq LIMIT 1').get() as { jti: string };
  db.close();
  expect(filesWith(kept.env['COLOPHON_HOME']!, `,"jti":"${jti}"`)).not.toEqual([]);
  const ran = await kept.run('ledger', 'erase', jti, '--reason', 'ticket 1', '--data', kept.env['COLOPHON_HOME']!);
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(filesWith(kept.env['COLOPHON_HOME']!, `,"jti":"${jti}"`)).toEqual([]);
});
