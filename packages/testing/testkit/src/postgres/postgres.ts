import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup/cleanup.ts';
import { freePort } from '../free-port/free-port.ts';
import { temporaryFolder } from '../temporary-folder/temporary-folder.ts';
import { postgresPrograms, serverUser } from './postgres-programs.ts';

const READY = 'database system is ready to accept connections';
const PASSWORD = 'a-password:of/the@tests';
/** Nothing that a test writes must survive a power cut. */
const SETTINGS = [
  'fsync=off',
  'max_connections=60',
  'shared_buffers=16MB',
  'listen_addresses=127.0.0.1',
  'log_min_messages=warning',
];

/**
 * Runs a program and ends it with the signal that is read; also when nobody is left who could write one, so that no
 * server outlives tests that were killed.
 */
const WATCHED =
  '"$@" & server=$!; exec 3<&0; { read -r signal <&3 || signal=QUIT; kill -"$signal" "$server"; } & wait "$server"';

/** A PostgreSQL server of the tests' own. */
export type Postgres = {
  /** Over its socket, as its superuser, without a password. */
  readonly address: string;
  /** Over TCP, with the password. */
  readonly tcpAddress: string;
  readonly password: string;
  /** Makes an empty database and answers with its address, over the socket. */
  createDatabase(name: string): string;
  /** Ends it as an operator does: clients are cut off, what was committed stays. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  crash(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
};

/**
 * Starts a server with an empty database in a folder of its own, on a socket there and a free port of loopback, until
 * `cleanup`. Ask `postgresPrograms()` first whether there is one.
 */
export async function startPostgres(cleanup: Cleanup): Promise<Postgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const user = serverUser();
  const folder = temporaryFolder(cleanup);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const run = (program: string, args: readonly string[]) =>
    execFileSync(join(programs, program), args, { ...user, cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(passwordFile, user.uid, user.gid);
  run('initdb', [
    ...['-D', data, '--no-sync', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8'],
    ...['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${passwordFile}`],
  ]);
  const port = await freePort();
  let server: { child: ChildProcessWithoutNullStreams; exited: Promise<unknown> } | undefined;

  async function start(): Promise<void> {
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const command = [join(programs as string, 'postgres'), '-D', data, '-k', folder, '-p', String(port), ...settings];
    const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', ...command], { ...user, cwd: folder, stdio: 'pipe' });
    const exited = once(child, 'exit').finally(() => child.stdin.destroy());
    child.stdin.on('error', () => {});
    server = { child, exited };
    let said = '';
    const isReady = new Promise<true>((resolve) => {
      child.stderr.on('data', (chunk) => {
        said = (said + chunk).slice(-10_000);
        if (said.includes(READY)) resolve(true);
      });
    });
    if ((await Promise.race([isReady, exited])) !== true) throw new Error(`PostgreSQL did not start: ${said}`);
  }

  async function end(signal: 'INT' | 'QUIT'): Promise<void> {
    const ending = server;
    server = undefined;
    ending?.child.stdin.end(`${signal}\n`);
    await ending?.exited;
  }

  cleanup(() => end('QUIT'));
  await start();
  chmodSync(folder, 0o700);
  const socketAddress = (name: string) =>
    `postgres://postgres@localhost:${port}/${name}?host=${encodeURIComponent(folder)}`;
  return {
    address: socketAddress('postgres'),
    tcpAddress: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    password: PASSWORD,
    createDatabase(name) {
      run('createdb', ['-h', folder, '-p', String(port), '-U', 'postgres', name]);
      return socketAddress(name);
    },
    stop: () => end('INT'),
    crash: () => end('QUIT'),
    start,
  };
}
