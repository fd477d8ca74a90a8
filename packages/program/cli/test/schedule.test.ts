import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTarget, publish } from '@colophon/publishing';
import { openSqlDatabase } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const PROGRAM = fileURLToPath(new URL('../bin/colophon.js', import.meta.url));
const FEED = '{"catalogVersion":"2026.11.20","count":1,"vulnerabilities":[{"cveID":"CVE-2026-0001"}]}';

/** Writes what grype would of an SBOM with one component, and notes that it was called. */
const GRYPE = `
  const argv = process.argv.slice(2);
  if (argv[0] === 'version') { console.log('{"version":"0.104.0"}'); process.exit(0); }
  if (argv[0] === 'db') { console.log('{"built":"2026-11-21T06:00:00Z"}'); process.exit(0); }
  require('node:fs').appendFileSync(process.env.CALLS, process.pid + '\\n');
  const artifact = { name: 'left', version: '1.0.0', type: 'npm', purl: 'pkg:npm/left@1.0.0' };
  const vulnerability = { id: 'CVE-2026-0001', severity: 'High', cvss: [], fix: { versions: [], state: 'unknown' } };
  const matches = [{ vulnerability, relatedVulnerabilities: [], artifact }];
  const write = () => console.log(JSON.stringify({ matches, descriptor: { name: 'grype', version: '0.104.0' } }));
  if (process.env.HANG) setInterval(() => {}, 1000); else setTimeout(write, 300);`;

/** A place with two SBOMs, a scanner, a feed, and an environment in which they are found. */
async function scene() {
  const folder = temporaryFolder(onTestFinished);
  const place = join(folder, 'sboms');
  for (const artifact of ['shop', 'till']) {
    const component = { type: 'application', name: artifact, version: '1.0.0' };
    const components = [{ type: 'library', name: 'left', version: '1.0.0', purl: 'pkg:npm/left@1.0.0' }];
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
    await publish({
      target: await openTarget(place, { env: {} }),
      artifact,
      version: '1.0.0',
      document: Buffer.from(JSON.stringify(bom)),
      sign: async () => ({ signature: Buffer.from('c2ln'), bundle: Buffer.from('{}') }),
      recognize: () => undefined,
      now: () => new Date(),
    });
  }
  const scanner = join(folder, 'grype');
  writeFileSync(scanner, `#!${process.execPath}\n${GRYPE}`);
  chmodSync(scanner, 0o755);
  const feed = join(folder, 'kev.json');
  writeFileSync(feed, FEED);
  const calls = join(folder, 'calls');
  const env = { PATH: folder, COLOPHON_HOME: join(folder, 'home'), HOME: folder, CALLS: calls };
  const scans = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0);
  return { env, place, feed, scans };
}

/** A command in a process of its own. */
function started(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const heard = new Set<() => void>();
  child.stderr.on('data', (chunk) => {
    said += chunk;
    for (const look of heard) look();
  });
  const ended = once(child, 'close');
  return {
    until: (text: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (said.search(text) !== -1) resolve();
        };
        heard.add(look);
        look();
        ended.then(() => reject(new Error(`ended: ${said}`)));
      }),
    said: () => said,
    async interrupt() {
      child.kill('SIGINT');
      const [code] = await ended;
      return { code, said };
    },
  };
}

/** One more replica. */
const replica = (args: readonly string[], env: NodeJS.ProcessEnv) => started(['schedule', 'run', ...args], env);

const records = async (env: NodeJS.ProcessEnv) =>
  documentOf(await runLine(['remediation', 'list', '-o', 'json'], env)).records;

describe('schedule run', () => {
  test('once: refreshes the catalog and scans what is published, and then nothing is due', async () => {
    const { env, place, feed, scans } = await scene();
    const line = ['schedule', 'run', '--once', '--kev', feed, '--rescan', place, '-o', 'json'];
    const first = await runLine(line, env);
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(documentOf(first)).toEqual({
      ok: true,
      runs: [
        {
          name: `kev-refresh ${feed}`,
          outcome: 'done',
          message: 'catalog 2026.11.20 kept, entries: 1, records raised: 0',
          started_at: expect.stringMatching(/^2\d{3}-.*Z$/),
          ended_at: expect.any(String),
          next_run_at: expect.any(String),
        },
        expect.objectContaining({
          name: `rescan ${place}`,
          message: '2 of 2 SBOMs scanned, findings: 2, records opened: 2, reopened: 0, listed no more: 0',
        }),
      ],
    });
    expect(scans()).toBe(2);
    const again = await runLine(line, env);
    expect([again.exitCode, documentOf(again)]).toEqual([0, { ok: true, runs: [] }]);
    expect((await runLine(line.slice(0, -2), env)).stdout).toBe('nothing is due: colophon schedule list says when\n');
    expect(scans()).toBe(2);
    expect(JSON.stringify(await records(env))).toContain('CVE-2026-0001');
  });

  test('a feed that is not believed ends with its own exit, and the other job is done', async () => {
    const { env, place, feed } = await scene();
    writeFileSync(feed, '{"catalogVersion":"2026.11.20","count":5,"vulnerabilities":[]}');
    const ran = await runLine(['schedule', 'run', '--once', '--kev', feed, '--rescan', place, '-o', 'json'], env);
    expect(ran.exitCode).toBe(20);
    const { runs } = documentOf(ran);
    expect(runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['failed', 'done']);
    expect(runs[0].message).toMatch(/^kev\.count_mismatch: /);
    const { jobs } = documentOf(await runLine(['schedule', 'list', '-o', 'json'], env));
    expect(jobs[0]).toMatchObject({ state: 'waiting', last_outcome: 'failed', attempt_count: 1 });
    expect(jobs[0]).not.toHaveProperty('held_by');
  });

  test('on two replicas each job runs on one; Ctrl-C ends them in order', async () => {
    const { env, place, feed, scans } = await scene();
    const args = ['--kev', feed, '--rescan', place, '--every', '1h'];
    const replicas = [replica(args, env), replica(args, env)];
    await Promise.all(replicas.map((one) => one.until(`scheduled  rescan ${place}`)));
    const done = () => replicas.flatMap((one) => one.said().match(/(?<= done +)(?:kev-refresh|rescan)/g) ?? []);
    await expect.poll(() => done().length).toBeGreaterThanOrEqual(2);
    const ends = await Promise.all(replicas.map((one) => one.interrupt()));
    for (const { code, said } of ends) {
      expect(code, said).toBe(0);
      expect(said).toContain('every lease given back');
    }
    expect(done().toSorted()).toEqual(['kev-refresh', 'rescan']);
    expect(scans()).toBe(2);
  });

  test('ended in the middle of a scan gives the lease back, and the next one begins at once', async () => {
    const { env, place } = await scene();
    const hanging = replica(['--rescan', place], { ...env, HANG: '1' });
    await hanging.until(/begun +rescan/);
    const held = documentOf(await runLine(['schedule', 'list', '-o', 'json'], env)).jobs[0];
    expect(held).toMatchObject({ state: 'running', attempt_count: 1 });
    expect(held).not.toHaveProperty('last_outcome');
    expect(held.held_by).toMatch(/:\d+:[0-9a-f]{8}$/);
    const { code, said } = await hanging.interrupt();
    expect([code, said]).toEqual([0, expect.stringContaining('released')]);
    const [given] = documentOf(await runLine(['schedule', 'list', '-o', 'json'], env)).jobs;
    expect(given).toMatchObject({ state: 'due', attempt_count: 0 });
    expect(given).not.toHaveProperty('held_by');
    const ran = await runLine(['schedule', 'run', '--once', '--rescan', place, '-o', 'json'], env);
    expect(documentOf(ran).runs).toMatchObject([{ outcome: 'done' }]);
    expect(ran.stderr).toContain('no known-exploited catalog is kept');
  });

  test.each([
    ['nothing to run', [], {}, 'cli.usage', 1],
    ['a feed over plain http', ['--kev', 'http://feed.example/kev.json'], {}, 'feeds.catalog_address_refused', 1],
    ['a scanner that is not there', ['--rescan', '--scanner', 'trivy'], {}, 'feeds.scanner_missing', 1],
    ['an owner that is no address', ['--rescan', '--owner', 'dana'], {}, 'cli.usage', 1],
    ['a feed that is not there', ['--kev', '/nowhere/kev.json'], {}, 'cli.file_unreadable', 1],
    ['a folder that is not there', ['--rescan', '/nowhere/sboms'], {}, 'cli.file_unreadable', 1],
    ['a place that is none', ['--rescan', 'ftp://sboms.example'], {}, 'publishing.target_invalid', 1],
    ['a policy that is not there', ['--rescan', '--remediation-policy', '/nowhere'], {}, 'cli.file_unreadable', 1],
    ['a password on the line', ['--rescan', '--database', 'postgres://a:geheim@b/c'], {}, 'cli.usage', 1],
    ['no database server', ['--rescan'], { COLOPHON_DATABASE: 'postgres://a@127.0.0.1:1/c' }, 'store.unavailable', 3],
  ])('%s is refused with the reason', async (_title, args, more, code, exitCode) => {
    const { env } = await scene();
    const ran = await runLine(['schedule', 'run', '--once', ...args, '-o', 'json'], { ...env, ...more });
    expect([documentOf(ran).error.code, ran.exitCode]).toEqual([code, exitCode]);
    expect(ran.stdout + ran.stderr).not.toContain('geheim');
  });

  test('a mistake on the line makes no database', async () => {
    const { env } = await scene();
    for (const args of [[], ['--rescan', '--scanner', 'trivy'], ['--kev', 'x', '-o', 'json']]) {
      expect((await runLine(['schedule', 'run', ...args], env)).exitCode).toBe(1);
    }
    expect(existsSync(env.COLOPHON_HOME)).toBe(false);
  });
});

test('up runs the same jobs beside the server, over the data folder', async () => {
  const { env, feed, scans } = await scene();
  const up = started(['up', '--port', '0', '--kev', feed, '--rescan'], env);
  await up.until(/done +kev-refresh/);
  await up.until(/done +rescan .*0 of 0 SBOMs/);
  const { code, said } = await up.interrupt();
  expect([code, said]).toEqual([0, expect.stringMatching(/stopping\n$/)]);
  expect(scans()).toBe(0);
  const { jobs } = documentOf(await runLine(['schedule', 'list', '-o', 'json'], env));
  expect(jobs.map(({ last_outcome }: { last_outcome: string }) => last_outcome)).toEqual(['done', 'done']);
});

describe('schedule list', () => {
  test('where nothing was ever scheduled says what does', async () => {
    const { env } = await scene();
    const ran = await runLine(['schedule', 'list', '-o', 'json'], env);
    expect([documentOf(ran).error.code, ran.exitCode]).toEqual(['cli.no_database', 11]);
  });

  test('is the table alone where no job has said anything', async () => {
    const { env, feed } = await scene();
    await runLine(['schedule', 'run', '--once', '--kev', feed], env);
    const db = await openSqlDatabase(join(env['COLOPHON_HOME'] as string, 'remediation.db'));
    await db.write([{ text: 'UPDATE job SET last_message = NULL' }]);
    await db.close();
    expect((await runLine(['schedule', 'list', '--wide'], env)).stdout.split('\n').slice(2)).toEqual(['']);
  });

  test('is a table for people, with what each job said', async () => {
    const { env, feed } = await scene();
    await runLine(['schedule', 'run', '--once', '--kev', feed], env);
    const { stdout } = await runLine(['schedule', 'list', '--wide'], env);
    expect(stdout).toMatch(/^JOB +STATE +NEXT RUN +HELD BY +LAST\n/);
    expect(stdout).toMatch(/kev-refresh \S+ +waiting +in (?:6 h|5 h 59 min) +- +done 2\d{3}-/);
    expect(stdout.split('\n').slice(2)).toEqual([
      '',
      `kev-refresh ${feed}: catalog 2026.11.20 kept, entries: 1, records raised: 0`,
      '',
    ]);
  });
});
