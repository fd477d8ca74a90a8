import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';

describe.skipIf(isMissing('rekor-cli', 'curl'))('rekor-cli and the log', () => {
  let up: Installation;
  const rekor = (...args: string[]) =>
    run('rekor-cli', [...args, '--rekor_server', up.issuer], { env: up.env, cwd: up.folder });

  beforeAll(async () => {
    up = await startColophon();
    writeFileSync(join(up.folder, 'context.json'), JSON.stringify(FULL_REQUEST));
    for (const name of ['first', 'second', 'third']) {
      writeFileSync(join(up.folder, name), `artifact ${name}`);
      const sign = ['sign-blob', '--context', 'context.json', '--bundle', `${name}.json`, name];
      const signed = await up.colophon(sign, { cwd: up.folder });
      expect(signed.code, signed.stderr).toBe(0);
    }
  });
  afterAll(() => up?.stop());

  test('finds an entry by the SHA-256 of the artifact', async () => {
    const sha256 = createHash('sha256').update('artifact second').digest('hex');
    const found = await rekor('search', '--sha', sha256, '--format', 'json');
    expect(found.code, found.stderr).toBe(0);
    const uuids = (JSON.parse(found.stdout) as { UUIDs: string[] }).UUIDs;
    expect(uuids).toHaveLength(1);
    const ours = await up.colophon(['log', 'search', '--sha', sha256, '--output', 'json']);
    expect(ours.code, ours.stderr).toBe(0);
    expect(ours.stdout).toContain(uuids[0]);
  });

  test('gets an entry by its index, with the artifact that was signed', async () => {
    const bundle = JSON.parse(readFileSync(join(up.folder, 'third.json'), 'utf8'));
    const index = String(bundle.verificationMaterial.tlogEntries[0].logIndex);
    const got = await rekor('get', '--log-index', index, '--format', 'json');
    expect(got.code, got.stderr).toBe(0);
    expect(got.stdout).toContain(createHash('sha256').update('artifact third').digest('hex'));
    expect((await up.colophon(['log', 'get', '--log-index', index])).code).toBe(0);
  });

  test('verifies inclusion, and that the log only grew', async () => {
    const info = await rekor('loginfo');
    expect(info.code, info.stdout + info.stderr).toBe(0);
    const verified = await rekor('verify', '--log-index', '0');
    expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    expect(verified.stdout).toContain('Inclusion Proof');
    const sign = ['sign-blob', '--context', 'context.json', '--bundle', 'again.json', 'first'];
    expect((await up.colophon(sign, { cwd: up.folder })).code).toBe(0);
    const later = await rekor('loginfo');
    expect(later.code, later.stdout + later.stderr).toBe(0);
  });

  test('finds nothing for an artifact that was never signed', async () => {
    const never = await up.colophon(['log', 'search', '--sha', 'f'.repeat(64)]);
    expect(never.code).toBe(11);
  });
});
