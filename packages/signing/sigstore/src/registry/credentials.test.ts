import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dockerCredentials } from './credentials.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'credentials-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
function look(config: unknown, registry: string) {
  writeFileSync(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  return dockerCredentials({ DOCKER_CONFIG: folder, PATH: `${folder}:${process.env['PATH']}` })(registry);
}
function helper(name: string, script: string) {
  writeFileSync(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, `docker-credential-${name}`), 0o755);
}

describe('credentials as docker keeps them', () => {
  it('are nobody’s without a file, with a damaged one, and for another registry', async () => {
    expect(await dockerCredentials({ DOCKER_CONFIG: join(folder, 'absent') })('ghcr.io')).toBeUndefined();
    for (const config of ['{', '[]', '{"auths":7}', { auths: { 'quay.io': { auth: base64('a:b') } } }]) {
      expect(await look(config, 'ghcr.io')).toBeUndefined();
    }
    expect(await look({ auths: {} }, 'constructor')).toBeUndefined();
  });

  it('are not taken from the folder that somebody stands in, where a variable is set to nothing', async () => {
    const here = process.cwd();
    const auths = { 'ghcr.io': { auth: base64('a:b') } };
    await look({ auths }, 'ghcr.io');
    mkdirSync(join(folder, '.docker'));
    writeFileSync(join(folder, '.docker', 'config.json'), JSON.stringify({ auths }));
    const elsewhere = join(folder, 'elsewhere');
    try {
      process.chdir(folder);
      expect(await dockerCredentials({ DOCKER_CONFIG: '', HOME: elsewhere })('ghcr.io')).toBeUndefined();
      expect(await dockerCredentials({ HOME: '' })('ghcr.io')).toBeUndefined();
    } finally {
      process.chdir(here);
    }
  });

  it.each([
    [{ 'ghcr.io': { auth: base64('ann:p:w') } }, 'ghcr.io', { kind: 'password', username: 'ann', password: 'p:w' }],
    [
      { 'https://ghcr.io/v1/': { auth: base64('ann:pw') } },
      'ghcr.io',
      { kind: 'password', username: 'ann', password: 'pw' },
    ],
    [
      { 'https://index.docker.io/v1/': { auth: base64('ann:pw') } },
      'index.docker.io',
      { kind: 'password', username: 'ann', password: 'pw' },
    ],
    [{ 'ghcr.io': { auth: 'YW5uOnA' } }, 'ghcr.io', { kind: 'password', username: 'ann', password: 'p' }],
    [{ 'ghcr.io': { auth: 'YW5u\nOnA=\n' } }, 'ghcr.io', { kind: 'password', username: 'ann', password: 'p' }],
    [
      { 'ghcr.io': { username: 'ann', password: 'pw' } },
      'ghcr.io',
      { kind: 'password', username: 'ann', password: 'pw' },
    ],
    [
      { 'ghcr.io': { auth: base64('00000000:x'), identitytoken: 'refresh' } },
      'ghcr.io',
      { kind: 'refresh-token', token: 'refresh' },
    ],
    [{ 'ghcr.io': { registrytoken: 'bearer' } }, 'ghcr.io', { kind: 'bearer', token: 'bearer' }],
  ])('are read from auths', async (auths, registry, expected) => {
    expect(await look({ auths }, registry)).toEqual(expected);
  });

  it('come from the helper of the registry, which is told the server', async () => {
    helper(
      'test',
      'read server; echo "{\\"ServerURL\\":\\"$server\\",\\"Username\\":\\"$1 $server\\",\\"Secret\\":\\"s\\"}"',
    );
    expect(await look({ credHelpers: { 'ghcr.io': 'test' } }, 'ghcr.io')).toEqual({
      kind: 'password',
      username: 'get ghcr.io',
      password: 's',
    });
    expect(await look({ credsStore: 'test' }, 'index.docker.io')).toMatchObject({
      username: 'get https://index.docker.io/v1/',
    });
  });

  it('are a refresh token where the helper says so', async () => {
    helper('test', 'echo \'{"Username":"<token>","Secret":"r"}\'');
    expect(await look({ credsStore: 'test' }, 'ghcr.io')).toEqual({ kind: 'refresh-token', token: 'r' });
  });

  it('fall back to auths where the helper fails, is absent or has no such name', async () => {
    helper('failing', 'echo "credentials not found in native keychain"; exit 1');
    helper('broken', 'echo "no json"');
    for (const credsStore of ['failing', 'broken', 'absent', '../evil', 'a;touch x']) {
      expect(await look({ credsStore, auths: { 'ghcr.io': { auth: base64('ann:pw') } } }, 'ghcr.io')).toMatchObject({
        username: 'ann',
      });
      expect(await look({ credsStore }, 'ghcr.io')).toBeUndefined();
    }
  });
});
