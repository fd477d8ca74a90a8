import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPeer, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, install } from './installation.ts';

/** A data folder whose issuer has this address. */
function folderOf(issuer_url: string): Record<string, string> {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'installation.json'), JSON.stringify({ format: 3, issuer_url, token_algorithm: 'RS256' }));
  return { COLOPHON_HOME: folder };
}

test('a server that runs is healthy, and one that was stopped is not', async () => {
  const undo: Array<() => void | Promise<void>> = [];
  const here = await install((step) => undo.push(step));
  onTestFinished(async () => {
    for (const step of undo.reverse()) await step();
  });
  await here.document('sign-blob', ...CONTEXT, here.file('report.txt', 'x'));
  expect(await here.document('health')).toEqual({ ok: true, issuer: here.url, entry_count: 1 });
  const { stdout } = await here.run('health');
  expect(stdout.trim().split('\n')).toHaveLength(1);
  await undo.pop()?.();
  // The connection of the command before, in this same process, may still be there: it fails once.
  await expect
    .poll(() => here.refusal('health'))
    .toMatchObject({
      exitCode: 3,
      code: 'cli.server_unhealthy',
      found: 'ECONNREFUSED',
      next: 'colophon up',
    });
});

test.each([
  ['names another issuer', { issuer: 'http://localhost:1' }, '/.well-known/openid-configuration'],
  ['has no log', undefined, '/api/v1/log'],
])('a program on its port that %s is not the server', async (_what, named, asked) => {
  const peer = await startPeer(onTestFinished, ({ url }, response) => {
    const body = url === '/api/v1/log' ? {} : (named ?? { issuer: peer.url });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const ran = await runLine(['health', '-o', 'json'], folderOf(peer.url));
  expect(ran.exitCode).toBe(3);
  expect(documentOf(ran).error).toMatchObject({ code: 'cli.server_unhealthy', checked: `${peer.url}${asked}` });
});

test.each([
  ['ready', 200, 0],
  ['not ready', 503, 3],
])('an issuer without a log is as healthy as it says: %s', async (_what, readiness, exitCode) => {
  const peer = await startPeer(onTestFinished, ({ url }, response) => {
    const status = url === '/readyz' ? readiness : url === '/api/v1/log' ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ issuer: peer.url }));
  });
  const ran = await runLine(['health', '-o', 'json'], folderOf(peer.url));
  expect(ran.exitCode).toBe(exitCode);
  if (exitCode === 0) expect(documentOf(ran)).toEqual({ ok: true, issuer: peer.url });
  else expect(documentOf(ran).error).toMatchObject({ code: 'cli.server_unhealthy', checked: `${peer.url}/readyz` });
});

test('where nothing was ever started there is nothing to ask', async () => {
  const env = folderOf('http://localhost:1');
  rmSync(join(env['COLOPHON_HOME'] ?? '', 'installation.json'));
  const ran = await runLine(['health', '-o', 'json'], env);
  expect(ran.exitCode).toBe(11);
  expect(documentOf(ran).error.code).toBe('cli.no_issuer');
});

test.each(['health', 'env'])('%s says how to start the server of the folder that was named', async (command) => {
  const folder = join(temporaryFolder(onTestFinished), "Ada's data");
  const ran = await runLine([command, '--data', folder, '-o', 'json']);
  expect(documentOf(ran).error.next).toBe(`colophon up --data '${folder.replace("'", `'\\''`)}'`);
});
