import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { fillDisk, selfSigned, smallDisk, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tokenKeyRing } from '../src/data-folder/data-folder.ts';
import { CALLERS, exchange, RUN, type RunningServe, runServe } from './running-serve.ts';
import { json, runServer } from './running-server.ts';

/** Codes of the checks that are red, by name. */
async function redChecks(server: RunningServe): Promise<Record<string, string>> {
  const { ok, checks } = await json(server.operation('/readyz'));
  const red = checks.filter((check: { ok: boolean }) => !check.ok);
  expect(ok).toBe(red.length === 0);
  return Object.fromEntries(red.map(({ name, code }: { name: string; code: string }) => [name, code]));
}

const ready = async ({ base }: RunningServe) => (await fetch(`${base}/readyz`)).status;

/** The samples of a page of numbers, by their whole name with labels. */
async function samples(server: RunningServe): Promise<Record<string, number>> {
  const lines = (await (await server.operation('/metrics')).text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

test('the main listener says with a bare status that it lives and is ready, and nothing about anybody', async () => {
  const server = await runServe(onTestFinished);
  for (const path of ['/livez', '/readyz']) {
    const { status, body, headers } = await exchange(`${server.base}${path}`);
    expect([status, body, headers['cache-control']]).toEqual([200, '', 'no-store']);
  }
  expect((await fetch(`${server.base}/metrics`)).status).toBe(404);
  expect(await redChecks(server)).toEqual({});
  expect((await server.operation('/livez')).status).toBe(200);
});

test('the operations listener answers nothing else, and repeats nothing of a request', async () => {
  const server = await runServe(onTestFinished);
  for (const [path, method, status] of [
    ['/canary', 'GET', 404],
    ['/oauth/token', 'POST', 405],
    ['/metrics', 'DELETE', 405],
  ] as const) {
    const answer = await exchange(`http://${server.operations}${path}`, { method, body: 'canary' });
    expect(answer.status).toBe(status);
    expect(answer.body).toBe('{}');
  }
});

test('colophon up has the same probes', async () => {
  const { url } = await runServer(onTestFinished);
  for (const path of ['/livez', '/readyz']) expect((await fetch(`${url}${path}`)).status).toBe(200);
});

test('a changed file that is not in force makes it unready, and the file before it stays in force', async () => {
  const server = await runServe(onTestFinished);
  const key = await server.key('builder');
  server.configure('callers: 7\n');
  await expect.poll(() => ready(server)).toBe(503);
  expect(await redChecks(server)).toEqual({ configuration: 'server.configuration_invalid' });
  expect((await server.mint(key)).status).toBe(200);
  const broken = await samples(server);
  expect(broken['colophon_configuration_in_force']).toBe(0);
  expect(broken['colophon_configuration_reloads_total{result="refused"}']).toBe(1);
  server.configure(`${CALLERS}models: [{ id: "*", provider: anthropic }]\n`);
  await expect.poll(() => ready(server)).toBe(200);
  const mended = await samples(server);
  expect(mended['colophon_configuration_in_force']).toBe(1);
  expect(mended['colophon_configuration_reloads_total{result="taken"}']).toBe(1);
});

test('a certificate that was exchanged for one that cannot be used makes it unready, and the one before it stays in use', async () => {
  const [first, second] = [selfSigned(), selfSigned()];
  const folder = temporaryFolder(onTestFinished);
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(certificate, first.cert);
  writeFileSync(key, first.key);
  const listen = `{ address: 127.0.0.1, port: 0, tls: { certificate: ${certificate}, key: "file:${key}" } }`;
  const server = await runServe(onTestFinished, { listen });
  const shown = async () => {
    const socket = connectTls({
      port: Number(new URL(server.base).port),
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const before = await shown();
  expect((await samples(server))['colophon_tls_certificate_expires_seconds']).toBeGreaterThan(300 * 24 * 3600);
  writeFileSync(certificate, second.cert);
  await expect.poll(() => redChecks(server)).toEqual({ certificate: 'server.tls_unusable' });
  expect(await shown()).toBe(before);
  writeFileSync(key, second.key);
  await expect.poll(() => redChecks(server)).toEqual({});
  expect(await shown()).not.toBe(before);
});

test('a state of the token keys that cannot be read makes it unready', async () => {
  const server = await runServe(onTestFinished);
  const { firstKey } = tokenKeyRing(server.dataDir, 'RS256');
  writeFileSync(firstKey.replace(/\.pem$/, '.ring.json'), '{', { mode: 0o600 });
  await expect.poll(() => redChecks(server)).toEqual({ 'token-keys': 'key.ring_invalid' });
  expect(await ready(server)).toBe(503);
});

test('on a full disk it is not ready, and it is ready again without any request once there is room', async ({
  skip,
}) => {
  const disk = smallDisk(8, onTestFinished);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const server = await runServe(onTestFinished, { dataDir: join(disk, 'data') });
  const key = await server.key('builder');
  const makeRoom = fillDisk(disk);
  let status = 200;
  for (let n = 0; n < 5_000 && status === 200; n++) status = (await server.mint(key)).status;
  expect(status).toBe(503);
  expect(await redChecks(server)).toEqual({ ledger: 'issuer.ledger_unavailable' });
  expect(await ready(server)).toBe(503);
  makeRoom();
  await expect.poll(() => ready(server)).toBe(200);
  expect((await samples(server))['colophon_ledger_failures_total{operation="write"}']).toBeGreaterThan(0);
  expect((await server.mint(key)).status).toBe(200);
});

test('a clock that went back makes it unready', async () => {
  const server = await runServe(onTestFinished);
  const key = await server.key('builder');
  expect((await server.mint(key)).status).toBe(200);
  const now = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 10_000);
  onTestFinished(() => clock.mockRestore());
  expect(await redChecks(server)).toEqual({ clock: 'issuer.clock_went_back' });
  expect(await ready(server)).toBe(503);
  clock.mockRestore();
  expect(await ready(server)).toBe(200);
});

test('numbers say what was issued and refused, and by which credentials', async () => {
  const server = await runServe(onTestFinished, { version: '9.9.9' });
  const key = await server.key('builder');
  expect((await server.mint(key)).status).toBe(200);
  expect((await server.mint(undefined)).status).toBe(401);
  expect((await server.mint(key.slice(0, -1))).status).toBe(401);
  expect((await server.mint(key, {}, { ...RUN, agent_name: 'nobody' })).status).toBe(403);
  const found = await samples(server);
  expect(found).toMatchObject({
    'colophon_token_requests_total{result="issued"}': 1,
    'colophon_token_requests_total{result="caller.credential_missing"}': 1,
    'colophon_token_requests_total{result="caller.agent_not_allowed"}': 1,
    'colophon_caller_credentials_total{kind="api-key",result="accepted"}': 2,
    'colophon_caller_credentials_total{kind="api-key",result="caller.api_key_malformed"}': 1,
    'colophon_caller_credentials_total{kind="none",result="caller.credential_missing"}': 1,
    colophon_token_issuance_seconds_count: 1,
    colophon_ledger_append_seconds_count: 1,
    'colophon_ready{check="ledger"}': 1,
  });
  expect(Object.keys(found)).toContain(`colophon_build_info{version="9.9.9",node="${process.versions.node}"}`);
  expect(found['colophon_token_key_age_seconds']).toBeGreaterThanOrEqual(0);
  await expect.poll(async () => (await samples(server))['colophon_ledger_uncheckpointed_rows']).toBe(0);
});

/** A request whose header has come and whose body has not. */
async function begun({ base }: RunningServe, key: string) {
  const body = JSON.stringify(RUN);
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(Buffer.concat(chunks).toString())));
  socket.write(
    `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  await delay(100);
  return { finish: () => socket.write(body.slice(10)), ended };
}

test('a server that is told to end finishes what is under way, and closes the connection', async () => {
  const server = await runServe(onTestFinished);
  const { finish, ended } = await begun(server, await server.key('builder'));
  const closed = server.close();
  await delay(300);
  await expect(exchange(`${server.base}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(await redChecks(server)).toEqual({ running: 'issuer.closed' });
  finish();
  const answer = await ended;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  await closed;
});

test('what never ends is cut off after the time of a request', async () => {
  const server = await runServe(onTestFinished, { text: `${CALLERS}limits: { requestSeconds: 1 }\n` });
  const { ended } = await begun(server, await server.key('builder'));
  const from = Date.now();
  await server.close();
  // Fifteen seconds, where no time is configured.
  expect(Date.now() - from).toBeLessThan(14_000);
  expect(await ended).not.toContain('HTTP/1.1 200');
});

test('with drainSeconds it takes requests while it says that it is not ready, each the last of its connection', async () => {
  const server = await runServe(onTestFinished, { listen: '{ address: 127.0.0.1, port: 0, drainSeconds: 1 }' });
  const key = await server.key('builder');
  const closed = server.close();
  expect(await ready(server)).toBe(503);
  expect((await fetch(`${server.base}/livez`)).status).toBe(200);
  const answer = await server.mint(key);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  await closed;
  await expect(exchange(`${server.base}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
