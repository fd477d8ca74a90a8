import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeIssuerKey, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { MAX_METADATA_BYTES } from './fetch-metadata.ts';
import { createFileKeys } from './file-keys.ts';
import type { KeyDocument } from './key-set.ts';

const KEYS = [makeIssuerKey('ES256'), makeIssuerKey('RS256')] as const;
const [key, other] = KEYS;

function fileOf(content: string | Uint8Array, contents?: KeyDocument) {
  const path = join(temporaryFolder(onTestFinished), 'keys');
  writeFileSync(path, content);
  const keys = createFileKeys({ path, contents });
  const find = async (kid: string) => Promise.resolve(keys.findKey('anybody', kid)).catch(faultOf);
  return { path, find, only: async () => Promise.resolve(keys.findOnlyKey?.('anybody')).catch(faultOf) };
}

const pem = (privateKey: KeyObject, type: 'spki' | 'pkcs1' = 'spki') =>
  createPublicKey(privateKey).export({ type, format: 'pem' }).toString();

/** As Kubernetes names a key: over its SubjectPublicKeyInfo, taken here from the PEM text. */
function kubernetesId(privateKey: KeyObject): string {
  const body = pem(privateKey).replace(/-----[A-Z ]+-----|\s/g, '');
  return createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64url');
}

test('keys come from a key set', async () => {
  const { find, only } = fileOf(JSON.stringify({ keys: KEYS.map(({ jwk }) => jwk) }));
  expect(await find(key.kid)).toEqual(key.jwk);
  expect(await find('other')).toBeUndefined();
  expect(await only()).toBeUndefined();
  expect(await fileOf(JSON.stringify({ keys: [key.jwk] })).only()).toEqual(key.jwk);
});

test('keys come from PEM, under the names that Kubernetes gives them', async () => {
  const { find } = fileOf(`# of the cluster\n${pem(key.privateKey)}\n${pem(other.privateKey, 'pkcs1')}`);
  for (const { privateKey, jwk } of KEYS) {
    const { alg: _alg, use: _use, kid: _kid, ...material } = jwk;
    expect(await find(kubernetesId(privateKey))).toEqual({ ...material, kid: kubernetesId(privateKey) });
  }
  expect(await find(key.kid)).toBeUndefined();
});

test('a private key in PEM is no key of an issuer', async () => {
  const { find } = fileOf(key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(await find(kubernetesId(key.privateKey))).toBe('issuer_metadata_invalid');
});

test('of a SPIFFE bundle only the keys for JWT-SVIDs count', async () => {
  const { alg: _, ...bare } = key.jwk;
  const bundle = (...uses: (string | undefined)[]) =>
    JSON.stringify({
      spiffe_sequence: 7,
      keys: uses.map((use, index) => ({ ...bare, kid: `k${index}`, use, x5c: ['AA'] })),
    });
  const { find, only } = fileOf(bundle('x509-svid', 'jwt-svid', 'sig', 'JWT-SVID', undefined), 'spiffe-bundle');
  expect(await find('k1')).toMatchObject({ x: bare.x, use: 'sig' });
  expect(await only()).toMatchObject({ kid: 'k1' });
  for (const kid of ['k0', 'k2', 'k3', 'k4']) expect(await find(kid)).toBeUndefined();
  expect(await fileOf(bundle('jwt-svid', 'jwt-svid'), 'spiffe-bundle').only()).toBeUndefined();
  // A bundle is no key set, and the other way round.
  expect(await fileOf(bundle('jwt-svid')).find('k0')).toMatchObject({ use: 'jwt-svid' });
  expect(await fileOf(pem(key.privateKey), 'spiffe-bundle').find('k0')).toBe('issuer_metadata_invalid');
});

test('a file that was changed, replaced or linked elsewhere counts at once', async () => {
  const { path, find } = fileOf(JSON.stringify({ keys: [key.jwk] }));
  expect(await find(key.kid)).toEqual(key.jwk);
  writeFileSync(path, JSON.stringify({ keys: [other.jwk] }));
  expect(await find(key.kid)).toBeUndefined();
  expect(await find(other.kid)).toEqual(other.jwk);
  writeFileSync(`${path}.new`, JSON.stringify({ keys: [key.jwk] }));
  renameSync(`${path}.new`, path);
  expect(await find(key.kid)).toEqual(key.jwk);
  // As a mounted secret changes.
  writeFileSync(`${path}.later`, JSON.stringify({ keys: [] }));
  rmSync(path);
  symlinkSync(`${path}.later`, path);
  expect(await find(key.kid)).toBeUndefined();
});

test('who asks while the file is being read gets what it holds after that, and all who ask at once the same', async () => {
  const { path, find } = fileOf(JSON.stringify({ keys: [key.jwk] }));
  const before = [find(key.kid), find(key.kid)];
  // By the next turn the file is open.
  await new Promise(setImmediate);
  writeFileSync(`${path}.new`, JSON.stringify({ keys: [other.jwk] }));
  renameSync(`${path}.new`, path);
  const after = [find(key.kid), find(other.kid), find(key.kid)];
  expect(await Promise.all(after)).toEqual([undefined, other.jwk, undefined]);
  expect((await Promise.all(before))[0]).toEqual((await Promise.all(before))[1]);
});

test('a file that is away is no old key set, and is found when it is back', async () => {
  const { path, find } = fileOf(JSON.stringify({ keys: [key.jwk] }));
  await find(key.kid);
  rmSync(path);
  expect(await find(key.kid)).toBe('issuer_unreachable');
  writeFileSync(path, '{"keys":[');
  expect(await find(key.kid)).toBe('issuer_metadata_invalid');
  writeFileSync(path, JSON.stringify({ keys: [key.jwk] }));
  expect(await find(key.kid)).toEqual(key.jwk);
});

test('what is no small file is not read', async () => {
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'directory'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'large'), `{"keys":[]${' '.repeat(MAX_METADATA_BYTES)}}`);
  for (const name of ['directory', 'pipe', 'large', 'none']) {
    const asked = createFileKeys({ path: join(folder, name) }).findKey('anybody', 'a');
    await expect(asked).rejects.toMatchObject({ fault: 'issuer_unreachable' });
  }
});

test.each([
  ['nothing', ''],
  ['text', 'keys'],
  ['a list', '[]'],
  ['no list of keys', '{"keys":{}}'],
  ['65 keys', JSON.stringify({ keys: Array.from({ length: 65 }, () => key.jwk) })],
  ['65 keys in PEM', pem(key.privateKey).repeat(65)],
  ['a member twice', '{"keys":[],"keys":[]}'],
  ['a broken key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
])('a file that holds %s is refused', async (_, content) => {
  expect(await fileOf(content).find('a')).toBe('issuer_metadata_invalid');
});
