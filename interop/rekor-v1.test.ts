import { X509Certificate } from 'node:crypto';
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
} from '../packages/identity/authority/test/rekor-exchange.ts';
import { openKeyFile } from '../packages/signing/keys/src/index.ts';
import { COLOPHON, FULL_REQUEST, type Installation, mint, RUN_PREDICATE, startColophon } from './colophon-up.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { isMissing, run } from './programs.ts';
import { isRekorV1Missing, makeCa, type SigstoreServer, startFulcio, startRekorV1 } from './sigstore-servers.ts';

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

describe.skipIf(isRekorV1Missing() || isMissing('fulcio', 'cosign', 'openssl', 'curl'))(
  'certificates of a real Fulcio in a real Rekor v1',
  () => {
    let up: Installation;
    let services: string[];
    let log: SigstoreServer;
    const servers: SigstoreServer[] = [];
    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
      await makeCa(folder);
      up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
      const fulcio = await startFulcio(up);
      log = await startRekorV1(folder);
      servers.push(fulcio, log);
      services = ['--fulcio-url', fulcio.url, '--rekor-url', log.url, '--trusted-root', 'own.json'];
      const since = 'start-time=2020-01-01T00:00:00Z';
      const root = await run(
        'cosign',
        [
          ...['trusted-root', 'create', '--out', 'own.json'],
          ...['--fulcio', `url=${fulcio.url},certificate-chain=${fulcio.trust}`],
          ...['--rekor', `url=${log.url},public-key=${log.trust},${since}`],
          ...['--ctfe', `url=${up.issuer},public-key=${join(up.trust, 'ctfe.pub')},${since}`],
        ],
        { cwd: folder, env: up.env },
      );
      expect(root.code, root.stderr).toBe(0);
      writeFileSync(join(folder, 'app'), 'what an agent made');
      writeFileSync(join(folder, 'run.json'), JSON.stringify(RUN_PREDICATE));
    });
    afterAll(async () => {
      for (const server of servers) await server.stop();
      await up?.stop();
    });

    const call = (...args: string[]) => up.colophon(args, { cwd: up.folder });
    const sign = async (token: string, command = 'sign-blob', ...rest: string[]) => {
      const bundle = join(up.folder, `signed-${crypto.randomUUID()}.json`);
      const line = ['--yes', ...services, '--bundle', bundle, '--identity-token', token];
      const signed = await call(command, ...line, ...rest, 'app');
      expect(signed.code, signed.stderr).toBe(0);
      const { verificationMaterial } = JSON.parse(readFileSync(bundle, 'utf8'));
      const der = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64');
      return {
        serial: new X509Certificate(der).serialNumber.toLowerCase(),
        logIndex: Number(verificationMaterial.tlogEntries[0].logIndex),
      };
    };
    const reconcile = async (...more: string[]) => {
      const line = ['ledger', 'reconcile', '--rekor-url', log.url, '--trusted-root', 'own.json'];
      const { code, stdout } = await call(...line, ...more, '--output', 'json');
      return { code, found: JSON.parse(stdout) };
    };
    const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    /** By somebody who has stolen the issuer's key. */
    const forged = (claims: object) => {
      const key = openKeyFile(join(up.data, 'keys', 'issuer-rs256.pem'), 'RS256');
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const input = `${encode({ alg: 'RS256', kid: key.kid, typ: 'JWT' })}.${encode(claims)}`;
      return `${input}.${Buffer.from(key.signJose(Buffer.from(input))).toString('base64url')}`;
    };

    test('are held against the ledger, files and statements alike, and those of a stolen key are named', async () => {
      const token = await mint(up.issuer, FULL_REQUEST);
      await sign(token);
      // One token may buy several certificates where the authority lets it.
      await sign(token);
      await sign(await mint(up.issuer), 'attest-blob', ...CUSTOM);
      const sound = await reconcile();
      expect(sound).toMatchObject({
        code: 0,
        found: { ok: true, agreeing_count: 3, findings: [], unvouched_count: 0 },
      });
      const { tree_size: start } = sound.found.logs[0];
      const checkpoint = ['--rekor-url', log.url, '--trusted-root', 'own.json'];
      expect((await call('log', 'checkpoint', ...checkpoint, '--out', 'kept.checkpoint')).code).toBe(0);

      const claims = claimsOf(token);
      const changed = await sign(forged({ ...claims, model_id: 'another-model' }));
      const unissued = await sign(forged({ ...claims, jti: crypto.randomUUID() }), 'attest-blob', ...CUSTOM);
      const { code, found } = await reconcile('--start', String(start));
      expect(code).toBe(21);
      expect(found.findings).toMatchObject([
        {
          log: 'rekor',
          log_index: changed.logIndex,
          serial_number: changed.serial,
          code: 'claims_differ',
          jti: claims.jti,
          differences: [{ claims: ['model_provider', 'model_id'] }],
        },
        { log: 'rekor', log_index: unissued.logIndex, serial_number: unissued.serial, code: 'token_unissued' },
      ]);
      const audit = await call('log', 'verify', ...checkpoint, '--checkpoint', 'kept.checkpoint', '--output', 'json');
      expect(audit.code, audit.stdout).toBe(0);
      const { size, continues } = JSON.parse(audit.stdout);
      expect([size, continues[0].size]).toEqual([start + 2, start]);
    });
  },
);

const CUSTOM = ['--predicate', 'run.json', '--type', 'custom'];
