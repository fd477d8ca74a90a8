import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

/** Keys and signatures by gpg; see its README. */
const VECTORS = join(import.meta.dirname, '../../../signing/openpgp/vectors/gnupg-2.2.40');
const vector = (name: string) => join(VECTORS, name);
const binary = (name: string) =>
  Buffer.from(/\n\n([\s\S]*?)\n(?:=|-)/.exec(readFileSync(vector(name), 'utf8'))?.[1] as string, 'base64');
const GOOD = 'encryption-subkeys';

let folder: string;
let document: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  document = join(folder, 'document.vex.json');
  cpSync(vector('document.vex.json'), document);
});

async function verified(signature: string | Buffer, key: string) {
  writeFileSync(`${document}.asc`, typeof signature === 'string' ? readFileSync(vector(signature)) : signature);
  return outcome(await runLine(['vex', 'verify', document, '--openpgp-key', key, '-o', 'json']));
}
async function signed(key: string) {
  const line = ['vex', 'sign', document, '--openpgp-key', key, '--reviewer', 'dana@example.com', '-o', 'json'];
  return outcome(await runLine(line));
}
function outcome(ran: Awaited<ReturnType<typeof runLine>>): string {
  const { error } = documentOf(ran);
  expect(ran.stdout + ran.stderr).not.toMatch(/module|require|node_modules|undefined/i);
  return error === undefined ? 'ok' : `${ran.exitCode} ${error.code} ${error.found ?? ''}`;
}
/** A packet of gpg with one byte of its body changed; its head has two bytes. */
const changed = (name: string, at: number, value: number) => {
  const packet = binary(name);
  packet[2 + at] = value;
  return packet;
};

describe('an OpenPGP key whose algorithm does not do is refused by its name', () => {
  test.each([
    ['brainpoolP256r1', 'brainpoolP256r1', 'openpgp.algorithm_unsupported'],
    ['brainpoolP384r1', 'brainpoolP384r1', 'openpgp.algorithm_unsupported'],
    ['brainpoolP512r1', 'brainpoolP512r1', 'openpgp.algorithm_unsupported'],
    ['secp256k1', 'secp256k1', 'openpgp.algorithm_unsupported'],
    ['brainpool-subkey', 'brainpoolP256r1', 'openpgp.algorithm_unsupported'],
    ['dsa2048', 'DSA', 'openpgp.key_unusable'],
    ['rsa1024', 'RSA 1024', 'openpgp.key_unusable'],
  ])('%s, in verifying', async (name, found, code) => {
    expect(await verified(`${name}.asc`, vector(`${name}.pub`))).toContain(`13 ${code} ${found}, key `);
  });

  test.each([
    ['brainpoolP256r1', 'brainpoolP256r1', 'openpgp.algorithm_unsupported'],
    ['secp256k1', 'secp256k1', 'openpgp.algorithm_unsupported'],
    ['brainpool-subkey', 'brainpoolP256r1', 'openpgp.algorithm_unsupported'],
    ['dsa2048', 'DSA', 'openpgp.key_unusable'],
    ['rsa1024', 'RSA 1024', 'openpgp.key_unusable'],
  ])('%s, in signing', async (name, found, code) => {
    expect(await signed(vector(`${name}.key`))).toContain(`13 ${code} ${found}, key `);
  });

  test('subkeys that only encrypt stand in nobody’s way', async () => {
    expect(await verified(`${GOOD}.asc`, vector(`${GOOD}.pub`))).toBe('ok');
  });

  test('in a keyring it refuses nothing that another key signed', async () => {
    const ring = join(folder, 'ring.pub');
    writeFileSync(ring, Buffer.concat(['brainpoolP256r1', GOOD, 'secp256k1'].map((name) => binary(`${name}.pub`))));
    expect(await verified(`${GOOD}.asc`, ring)).toBe('ok');
    expect(await verified('secp256k1.asc', ring)).toContain('openpgp.algorithm_unsupported secp256k1');
  });
});

describe('what the library does not read is called by what it is', () => {
  test.each([
    ['version 3', 0, 3, 'an OpenPGP key of version 3'],
    ['version 5', 0, 5, 'an OpenPGP key of version 5'],
    ['a post-quantum algorithm', 5, 30, 'an OpenPGP key of ML-DSA-65 with Ed25519'],
    ['an algorithm of tomorrow', 5, 99, 'an OpenPGP key of algorithm 99'],
    ['another curve', 8, 0x63, 'an OpenPGP key of the curve with the OID 2b63'],
  ])('a key of %s', async (_what, at, value, found) => {
    const key = join(folder, 'key.pub');
    writeFileSync(key, changed(`${GOOD}.pub`, at, value));
    expect(await verified(`${GOOD}.asc`, key)).toContain(`13 openpgp.algorithm_unsupported ${found}`);
    writeFileSync(key, changed('brainpoolP256r1.key', at, value));
    if (at !== 8) expect(await signed(key)).toContain(`13 openpgp.algorithm_unsupported ${found}`);
  });

  test.each([
    ['version 3', 0, 3, 'an OpenPGP signature of version 3'],
    ['version 5', 0, 5, 'an OpenPGP signature of version 5'],
    ['a post-quantum algorithm', 2, 30, 'an OpenPGP signature of ML-DSA-65 with Ed25519'],
    ['a hash of tomorrow', 3, 99, 'hash 99'],
  ])('a signature of %s', async (_what, at, value, found) => {
    const signature = changed(`${GOOD}.asc`, at, value);
    expect(await verified(signature, vector(`${GOOD}.pub`))).toContain(`13 openpgp.algorithm_unsupported ${found}`);
    // Beside one that holds it refuses nothing.
    const both = Buffer.concat([signature, binary(`${GOOD}.asc`)]);
    expect(await verified(both, vector(`${GOOD}.pub`))).toBe('ok');
  });
});
