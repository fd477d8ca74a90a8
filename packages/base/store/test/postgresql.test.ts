import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Postgres, postgresPrograms, startPostgres, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSqlDatabase, StoreError } from '../src/index.ts';
import { PostgresqlDatabase } from '../src/sql-database/postgresql-database.ts';
import { jobStoreContract } from './job-store-contract.ts';
import { ledgerContract } from './ledger-contract.ts';
import { codeOf, connected, sqlDatabaseContract } from './sql-database-contract.ts';
import { triageStoresContract } from './triage-stores-contract.ts';

const isInstalled = postgresPrograms() !== undefined;

test.runIf(process.env['CI'])('CI has a PostgreSQL server (apt-get install postgresql)', () => {
  expect(isInstalled).toBe(true);
});

describe.skipIf(!isInstalled)(`PostgreSQL${isInstalled ? '' : ' (skipped: apt-get install postgresql)'}`, () => {
  let postgres: Postgres;
  let databases = 0;
  const undos: (() => unknown)[] = [];
  beforeAll(async () => {
    postgres = await startPostgres((undo) => undos.unshift(undo));
  });
  // Registered here: what a hook registers is not called.
  afterAll(async () => {
    for (const undo of undos) await undo();
  });
  const freshAddress = () => postgres.createDatabase(`fresh_${++databases}`);

  sqlDatabaseContract(freshAddress);
  triageStoresContract(freshAddress);
  jobStoreContract(freshAddress);
  ledgerContract(freshAddress, { atOnce: 50 });

  /** The free port of loopback that the server listens on until the test ends. */
  async function listening(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as { port: number }).port;
  }

  /** What opening a database is refused with. */
  async function refusal(address: string): Promise<StoreError> {
    const error = await openSqlDatabase(address).then(
      (db) => db.close(),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreError);
    return error as StoreError;
  }

  /** A table `t (a)`, through a proxy that cuts the connection when `word` goes by. */
  async function cutAt(word: string) {
    const address = new URL(postgres.tcpAddress);
    address.pathname = new URL(freshAddress()).pathname;
    const direct = await connected(address.href);
    await direct.migrate('test', ['CREATE TABLE t (a BIGINT)']);
    const sockets: Socket[] = [];
    let isCutting = true;
    const proxy = createServer((client) => {
      const server = dial(Number(address.port), address.hostname);
      sockets.push(client, server);
      for (const one of [client, server]) one.on('error', () => {});
      server.pipe(client);
      client.on('data', (chunk: Buffer) => {
        if (isCutting && chunk.includes(word)) for (const one of [client, server]) one.destroy();
        else server.write(chunk);
      });
    });
    const port = await listening(proxy);
    onTestFinished(() => {
      for (const one of sockets) one.destroy();
    });
    const through = new URL(address);
    through.port = String(port);
    const heal = () => {
      isCutting = false;
    };
    return { direct, db: await connected(through.href), heal };
  }

  const INSERT = { text: 'INSERT INTO t VALUES (1)' };
  const COUNT = { text: 'SELECT count(*) AS n FROM t' };

  test('lets in by password, over TCP, and the address that is shown has none', async () => {
    const db = await connected(postgres.tcpAddress);
    expect(await db.all({ text: 'SELECT 1 AS a' })).toEqual([{ a: 1 }]);
    expect(db.address).toBe(postgres.tcpAddress.replace(/:[^:@/]*@/, '@'));
    expect(db.dialect).toBe('postgresql');
  });

  test.each([
    ['a wrong password', { password: 'geheim' }, 'store.unauthorized'],
    ['no password', { password: '' }, 'store.unauthorized'],
    ['an unknown user', { username: 'nobody-here' }, 'store.unauthorized'],
    ['an unknown database', { pathname: '/nothing-here' }, 'store.unauthorized'],
    ['a closed port', { port: '1' }, 'store.unavailable'],
    ['a host that does not exist', { hostname: 'nowhere.invalid' }, 'store.unavailable'],
    ['TLS that the server does not offer', { search: '?sslmode=require' }, 'store.unavailable'],
    ['a certificate file that is not there', { search: '?sslrootcert=/nowhere.pem' }, 'store.address_invalid'],
    ['an sslmode that does not exist', { search: '?sslmode=requierd' }, 'store.address_invalid'],
    ['an unknown parameter', { search: '?types=1' }, 'store.address_invalid'],
  ])('with %s is refused, and no password is told', async (_title, parts, code) => {
    const url = Object.assign(new URL(postgres.tcpAddress), parts);
    const error = await refusal(url.href);
    expect(error.code).toBe(code);
    if (code === 'store.unavailable') expect(error.kind).toBe('peer');
    for (const secret of ['geheim', postgres.password, encodeURIComponent(postgres.password)])
      expect(`${error.message} ${error.cause}`).not.toContain(secret);
  });

  test('lets in by the password of a password file, and warns of nothing', async () => {
    const file = join(temporaryFolder(onTestFinished), 'pgpass');
    writeFileSync(file, `*:*:*:postgres:${postgres.password.replace(/[:\\]/g, '\\$&')}\n`, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const warn = vi.spyOn(process, 'emitWarning');
    const db = await connected(postgres.tcpAddress.replace(/:[^:@/]*@/, '@'));
    expect(await db.all({ text: 'SELECT 1 AS a' })).toEqual([{ a: 1 }]);
    expect(db.address).not.toContain('password');
    expect(warn).not.toHaveBeenCalled();
  });

  test('an address that is no URL is refused, and not repeated', async () => {
    const error = await refusal('postgres://dana:ge#heim@local host:x/triage');
    expect(error.code).toBe('store.address_invalid');
    expect(`${error.message} ${error.cause}`).not.toMatch(/ge#?heim/);
  });

  test('a server that accepts and never answers is unavailable', async () => {
    const port = await listening(createServer(() => {}));
    const opening = PostgresqlDatabase.open(`postgres://dana@127.0.0.1:${port}/triage`, { connectionTimeoutMs: 50 });
    expect(await codeOf(opening)).toBe('store.unavailable');
  });

  test('the connection that breaks in a write writes nothing, and the next write has another', async () => {
    const { db, direct, heal } = await cutAt('INSERT INTO t');
    expect(await codeOf(db.write([INSERT]))).toBe('store.unavailable');
    expect(await direct.all(COUNT)).toEqual([{ n: 0 }]);
    heal();
    expect(await db.write([INSERT])).toEqual([1]);
  });

  test('the connection that breaks in the commit leaves it open whether it was written, and that is told', async () => {
    const { db, heal } = await cutAt('COMMIT');
    expect(await codeOf(db.write([INSERT]))).toBe('store.outcome_unknown');
    heal();
    expect(await db.write([INSERT])).toEqual([1]);
  });

  test('two writes that wait for each other: one is told to try again, and loses nothing', async () => {
    const db = await connected(freshAddress());
    await db.migrate('test', [
      "CREATE TABLE t (a TEXT PRIMARY KEY, n BIGINT); INSERT INTO t VALUES ('x', 0), ('y', 0)",
    ]);
    const add = (a: string) => ({ text: 'UPDATE t SET n = n + 1 WHERE a = ?', values: [a], changes: 1 });
    const pause = { text: 'SELECT pg_sleep(0.3)' };
    const outcomes = await Promise.all(
      [
        ['x', 'y'],
        ['y', 'x'],
      ].map(([a = '', b = '']) => codeOf(db.write([add(a), pause, add(b)]))),
    );
    expect(outcomes.sort()).toEqual(['fulfilled', 'store.unavailable']);
    expect(await db.all({ text: 'SELECT n FROM t' })).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test('a user without rights is told so', async () => {
    const address = freshAddress();
    const owner = await connected(address);
    await owner.migrate('test', ['CREATE TABLE t (a BIGINT); CREATE USER reader; GRANT SELECT ON t TO reader']);
    const reader = await connected(address.replace('postgres@', 'reader@'));
    expect(await reader.all(COUNT)).toEqual([{ n: 0 }]);
    expect(await codeOf(reader.write([INSERT]))).toBe('store.unauthorized');
  });

  test.each(['stop', 'crash'] as const)(
    'after a %s it is unavailable, and works again once it is back',
    async (end) => {
      const db = await connected(freshAddress());
      await db.migrate('test', ['CREATE TABLE t (a BIGINT)']);
      await db.write([INSERT]);
      await postgres[end]();
      const failed = await db.write([INSERT]).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'store.unavailable', kind: 'peer' });
      expect(await codeOf(db.all(COUNT))).toBe('store.unavailable');
      await postgres.start();
      expect(await db.write([INSERT])).toEqual([1]);
      expect(await db.all(COUNT)).toEqual([{ n: 2 }]);
    },
  );
});
