import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_REQUEST, type Installation, mint, startColophon } from './colophon-up.ts';
import { type GitsignRepository, makeGitsignRepository } from './gitsign-repository.ts';
import { isMissing, run } from './programs.ts';

describe.skipIf(isMissing('rekor-cli', 'cosign', 'gitsign', 'git'))('logs that were restored', () => {
  let up: Installation;
  const ended = async () => {
    const end = new Promise((resolve) => up.process.once('exit', resolve));
    up.process.kill('SIGTERM');
    await end;
  };
  const again = async () => {
    up = await startColophon({ folder: up.folder, port: Number(new URL(up.issuer).port) });
  };
  const sign = async (name: string) => {
    writeFileSync(join(up.folder, name), `artifact ${name}`);
    const line = ['sign-blob', '--context', 'context.json', '--bundle', `${name}.json`, name];
    const signed = await up.colophon(line, { cwd: up.folder });
    expect(signed.code, signed.stdout + signed.stderr).toBe(0);
  };
  const rekor = (...args: string[]) =>
    run('rekor-cli', [...args, '--rekor_server', up.issuer], { env: up.env, cwd: up.folder });
  const cosign = (name: string, root: string) =>
    run(
      'cosign',
      [
        ...['verify-blob', '--bundle', `${name}.json`, '--trusted-root', root],
        ...['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer, name],
      ],
      { env: up.env, cwd: up.folder },
    );

  let repository: GitsignRepository;
  const OFFLINE = { GITSIGN_REKOR_MODE: 'offline' };
  const commit = async (name: string) => {
    const token = await mint(up.issuer, FULL_REQUEST);
    const line = ['commit', '--quiet', '--allow-empty', '-m', name];
    await repository.must('git', line, { ...OFFLINE, SIGSTORE_ID_TOKEN: token });
    await repository.must('git', ['tag', name]);
  };

  beforeAll(async () => {
    up = await startColophon();
    writeFileSync(join(up.folder, 'context.json'), JSON.stringify(FULL_REQUEST));
    repository = await makeGitsignRepository(up);
    for (const name of ['kept', 'also-kept']) await sign(name);
    await commit('before');
    // A client that has seen the tree that is kept.
    expect((await rekor('loginfo')).code).toBe(0);
    await ended();
    cpSync(up.data, join(up.folder, 'copy'), { recursive: true });
    await again();
    await sign('lost');
    cpSync(up.trust, join(up.folder, 'old-trust'), { recursive: true });
    await ended();
    rmSync(up.data, { recursive: true });
    cpSync(join(up.folder, 'copy'), up.data, { recursive: true });
    for (const of of ['ledger', 'log']) {
      const restored = await up.colophon([of, 'restore', '--reason', 'disk lost']);
      expect(restored.code, restored.stdout + restored.stderr).toBe(0);
    }
    await again();
    await sign('new');
    await commit('after');
  }, 60_000);
  afterAll(() => up?.stop());

  test('are shards to rekor-cli, each with its key, whose entries it finds and proves', async () => {
    const info = await rekor('loginfo', '--format', 'json');
    expect(info.code, info.stdout + info.stderr).toBe(0);
    expect(JSON.parse(info.stdout)).toMatchObject({ ActiveTreeSize: 3, TotalTreeSize: 6 });
    for (const [name, index] of [
      ['kept', '0'],
      ['also-kept', '1'],
      ['new', '4'],
    ] as const) {
      const sha256 = createHash('sha256').update(`artifact ${name}`).digest('hex');
      const found = await rekor('search', '--sha', sha256, '--format', 'json');
      expect(found.code, found.stdout + found.stderr).toBe(0);
      const [uuid] = (JSON.parse(found.stdout) as { UUIDs: string[] }).UUIDs;
      for (const by of [
        ['--log-index', index],
        ['--uuid', uuid!],
      ]) {
        const got = await rekor('get', ...by, '--format', 'json');
        expect(got.code, got.stdout + got.stderr).toBe(0);
        expect(got.stdout).toContain(sha256);
        const verified = await rekor('verify', ...by);
        expect(verified.code, verified.stdout + verified.stderr).toBe(0);
      }
    }
  });

  test('show rekor-cli in their first entry what they took the place of', async () => {
    const got = await rekor('get', '--log-index', '3', '--format', 'json');
    expect(got.code, got.stdout + got.stderr).toBe(0);
    const { Attestation } = JSON.parse(got.stdout);
    const statement = JSON.parse(Attestation) as { predicate: object };
    expect(statement.predicate).toMatchObject({
      reason: 'disk lost',
      ended: [
        { log: 'transparency', pinnedSize: 4, keptSize: 3 },
        { log: 'certificate', pinnedSize: 4, keptSize: 3 },
      ],
    });
    expect((await rekor('verify', '--log-index', '3')).code).toBe(0);
  });

  test('verify with cosign: old bundles and new ones by the new root, new ones not by the old root', async () => {
    const [root, old] = [join(up.trust, 'trusted_root.json'), join(up.folder, 'old-trust', 'trusted_root.json')];
    for (const name of ['kept', 'lost', 'new']) {
      const verified = await cosign(name, root);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    }
    expect((await cosign('kept', old)).code).toBe(0);
    expect((await cosign('new', old)).code).not.toBe(0);
    expect(readFileSync(join(up.trust, 'rekor.pub'))).not.toEqual(
      readFileSync(join(up.folder, 'old-trust', 'rekor.pub')),
    );
  });

  test('verify commits with gitsign: each by the keys of its log, of which gitsign takes one', async () => {
    const isVerified = async (name: string, trust: string) => {
      const keys = {
        ...OFFLINE,
        SIGSTORE_REKOR_PUBLIC_KEY: join(trust, 'rekor.pub'),
        SIGSTORE_CT_LOG_PUBLIC_KEY_FILE: join(trust, 'ctfe.pub'),
      };
      const args = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer, name];
      const { code, stdout, stderr } = await repository.call('gitsign', ['verify', ...args], keys);
      if (code !== 0) expect(stdout + stderr).toContain('not enough verified log entries');
      return code === 0;
    };
    const old = join(up.folder, 'old-trust');
    expect([await isVerified('before', old), await isVerified('after', up.trust)]).toEqual([true, true]);
    expect([await isVerified('before', up.trust), await isVerified('after', old)]).toEqual([false, false]);
  });
});
