import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  ANSWERS_FILE,
  type Asked,
  keptAnswer,
  type RekorAnswer,
  rekorRequests,
} from '../packages/authority/test/rekor-exchange.ts';
import { COLOPHON } from './colophon-up.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { run } from './programs.ts';
import { isRekorV1Missing, type SigstoreServer, startRekorV1 } from './sigstore-servers.ts';

describe.skipIf(isRekorV1Missing())('the real Rekor v1', () => {
  let folder: string;
  let log: SigstoreServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    log = await startRekorV1(folder);
  });
  afterAll(async () => {
    await log?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // `npx vitest run --project interop interop/rekor-v1.test.ts -u` records them anew.
  test('answers as the vectors that the embedded log is held to', async () => {
    const { treeID } = (await (await fetch(`${log.url}/api/v1/log`)).json()) as { treeID: string };
    const asked: Asked = { treeId: BigInt(treeID), leafHashes: new Map() };
    const answers: Record<string, RekorAnswer> = {};
    for (const { name, method, path, contentType, body, entry } of rekorRequests(asked)) {
      const answer = await fetch(`${log.url}${path}`, {
        method,
        headers: { accept: '*/*', ...(body !== undefined && { 'content-type': contentType }) },
        ...(body !== undefined && { body }),
      });
      const { status, headers } = answer;
      const text = await answer.text();
      if (entry !== undefined && status === 201)
        asked.leafHashes.set(entry, Object.keys(JSON.parse(text))[0]!.slice(16));
      const [location, type] = [headers.get('location'), headers.get('content-type')];
      answers[name] = keptAnswer({ status, location, type, body: text }, asked);
    }
    await expect(`${JSON.stringify(answers, undefined, 2)}\n`).toMatchFileSnapshot(ANSWERS_FILE);
  });

  test('has the entry whose answer was lost: it is fetched, and not made again', async () => {
    const proxy = await startFaultyProxy(log.url);
    onTestFinished(() => proxy.stop());
    writeFileSync(join(folder, 'app'), 'what somebody made');
    const keys = 'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out app.key';
    expect((await run('bash', ['-c', keys], { cwd: folder })).code).toBe(0);
    await proxy.fail('lost', 1);
    const services = ['--fulcio-url', proxy.url, '--rekor-url', proxy.url];
    const line = ['sign-blob', '--output', 'json', '--key', 'app.key', ...services, '--bundle', 'app.json'];
    const signed = await run(COLOPHON, [...line, 'app'], { cwd: folder, env: { HOME: folder } });
    expect(signed.code, signed.stdout + signed.stderr).toBe(0);
    expect(proxy.requests).toHaveLength(2);
    const { verificationMaterial } = JSON.parse(readFileSync(join(folder, 'app.json'), 'utf8'));
    const { logIndex } = verificationMaterial.tlogEntries[0];
    const { treeSize } = (await (await fetch(`${log.url}/api/v1/log`)).json()) as { treeSize: number };
    expect(Number(logIndex)).toBe(treeSize - 1);
  });
});
