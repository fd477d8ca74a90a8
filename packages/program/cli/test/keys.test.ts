import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPaths } from '@colophon/server/data-folder';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

let here: Installation;
beforeEach(async () => {
  here = await install(onTestFinished);
});

async function published(): Promise<string[]> {
  const { keys } = (await (await fetch(`${here.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

async function kidOfToken(): Promise<string> {
  const { stdout } = await here.run('token', ...CONTEXT);
  return JSON.parse(Buffer.from(stdout.split('.')[0]!, 'base64url').toString()).kid;
}

const listed = async () => (await here.document('keys', 'list')).keys;
const states = async () => (await listed()).map(({ state }: { state: string }) => state);
const milliseconds = (from: string, to: string) => Date.parse(to) - Date.parse(from);

describe('while the server runs', () => {
  test('rotate says when the next key signs, and it is published within five seconds', async () => {
    const [old] = await published();
    const rotated = await here.document('keys', 'rotate');
    const [first, next] = await listed();
    expect(first).toEqual({ kid: old, state: 'signing', algorithm: 'RS256', published_until: rotated.published_until });
    expect(next).toMatchObject({ kid: rotated.kid, state: 'next', signs_from: rotated.signs_from });
    expect(rotated.retiring_kid).toBe(old);
    expect(milliseconds(next.published_at, next.signs_from)).toBe(305_000);
    expect(milliseconds(next.signs_from, rotated.published_until)).toBe(960_000);
    await expect.poll(published).toEqual([old, rotated.kid]);
    expect(await kidOfToken()).toBe(old);
    expect(await here.refusal('keys', 'rotate')).toMatchObject({ exitCode: 20, code: 'key.rotation_under_way' });
  });

  test('revoke takes the signing key out within five seconds, and the next one signs', async () => {
    const [old] = await published();
    const { kid: next } = await here.document('keys', 'rotate');
    expect(await here.document('keys', 'revoke', old!)).toMatchObject({ kid: old, signing_kid: next });
    await expect.poll(published).toEqual([next]);
    expect(await kidOfToken()).toBe(next);
    expect(await states()).toEqual(['revoked', 'signing']);
  });

  test('revoke of the only key makes one that signs at once', async () => {
    const [old] = await published();
    const { signing_kid } = await here.document('keys', 'revoke', old!);
    expect(signing_kid).not.toBe(old);
    await expect.poll(published).toEqual([signing_kid]);
    expect(await kidOfToken()).toBe(signing_kid);
    expect(readdirSync(dataPaths(here.dataDir).keys)).not.toContain('issuer-rs256.pem');
    // Again says the same.
    expect(await here.document('keys', 'revoke', old!)).toMatchObject({ kid: old, signing_kid });
  });

  test('a kid that is none of its keys is not found, and nothing changes', async () => {
    const refusal = await here.refusal('keys', 'revoke', 'k'.repeat(43));
    expect(refusal).toMatchObject({ exitCode: 11, code: 'key.unknown', next: 'colophon keys list' });
    expect(await states()).toEqual(['signing']);
  });

  test('no private key is printed', async () => {
    const said = [await here.run('keys', 'rotate'), await here.run('keys', 'list', '--wide')];
    const text = said.map(({ stdout, stderr }) => stdout + stderr).join();
    expect(said.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    for (const name of ['issuer-rs256.pem', 'issuer-rs256-2.pem']) {
      const [, line] = readFileSync(join(dataPaths(here.dataDir).keys, name), 'utf8').split('\n');
      expect(text).not.toContain(line);
    }
    expect(text).toMatch(/KID +STATE/);
  });
});

describe.each([['list'], ['rotate'], ['revoke', 'k'.repeat(43)]])('keys %s', (...line: string[]) => {
  const refusedIn = async (folder: string) => {
    const ran = await runLine(['keys', ...line, '--data', folder, '-o', 'json'], {});
    return { exitCode: ran.exitCode, code: documentOf(ran).error.code };
  };

  test('in a folder that nothing was started in finds nothing, and makes nothing', async () => {
    const folder = temporaryFolder(onTestFinished);
    expect(await refusedIn(folder)).toEqual({ exitCode: 11, code: 'cli.no_issuer' });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves a data folder of a newer format alone', async () => {
    const { installation, keys } = dataPaths(here.dataDir);
    const before = readdirSync(keys);
    writeFileSync(installation, JSON.stringify({ ...JSON.parse(readFileSync(installation, 'utf8')), format: 9 }));
    expect(await refusedIn(here.dataDir)).toEqual({ exitCode: 2, code: 'server.data_folder_newer' });
    expect(readdirSync(keys)).toEqual(before);
  });

  test('does not make up the key that a folder has lost', async () => {
    const { keys } = dataPaths(here.dataDir);
    rmSync(join(keys, 'issuer-rs256.pem'));
    const before = readdirSync(keys);
    expect(await refusedIn(here.dataDir)).toEqual({ exitCode: 2, code: 'key.unavailable' });
    expect(readdirSync(keys)).toEqual(before);
  });

  test('says which file it cannot read', async () => {
    writeFileSync(join(dataPaths(here.dataDir).keys, 'issuer-rs256.ring.json'), '{');
    expect(await refusedIn(here.dataDir)).toEqual({ exitCode: 2, code: 'key.ring_invalid' });
  });
});
