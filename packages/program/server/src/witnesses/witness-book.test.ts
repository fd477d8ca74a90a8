import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openKeyFile } from '@colophon/keys';
import { DEFAULT_PREDICATE_BASE } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WitnessEntry } from '../configuration/configuration.ts';
import { ServerError } from '../server-error/server-error.ts';
import { ownWitnessBook, readWitnessBook } from './witness-book.ts';

const onP256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = (key: KeyObject) => String(key.export({ type: 'spki', format: 'pem' }));
const privatePem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));

/** Entries whose key files hold these texts; one without a text has no file. */
function entriesOf(...keys: ReadonlyArray<string | undefined>): readonly WitnessEntry[] {
  const folder = temporaryFolder(onTestFinished);
  return keys.map((text, index) => {
    const keyFile = join(folder, `witness-${index}.pub`);
    if (text !== undefined) writeFileSync(keyFile, text);
    return {
      name: `witness-${index}`,
      keyFile,
      place: 'isolated',
      callers: ['ci'],
      upstreams: { a: 'https://a.example' },
    };
  });
}

function refusalOf(entries: readonly WitnessEntry[]): ServerError {
  try {
    readWitnessBook(entries, DEFAULT_PREDICATE_BASE);
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    return error as ServerError;
  }
  throw new Error('the book was read');
}

describe('the book of witnesses', () => {
  it('has each one by the thumbprint of its key, with what its entry says', () => {
    const keys = [onP256(), onP256()];
    const entries = entriesOf(...keys.map(({ publicKey }) => publicPem(publicKey)));
    const { byKeyId, predicateBase } = readWitnessBook(entries, 'https://acme.example/p');
    expect(predicateBase).toBe('https://acme.example/p');
    expect(byKeyId.size).toBe(2);
    for (const [index, { name, place, callers, upstreams }] of entries.entries()) {
      const file = join(temporaryFolder(onTestFinished), 'key.pem');
      writeFileSync(file, privatePem(keys[index]!.privateKey), { mode: 0o600 });
      // The issuer's own way of naming a key: what a witness puts into its receipts.
      const { kid } = openKeyFile(file, 'ES256');
      const listed = byKeyId.get(kid);
      expect(listed).toMatchObject({ name, keyId: kid, place, callers, upstreams });
      expect(listed).not.toHaveProperty('keyFile');
      expect(listed?.publicKey.equals(keys[index]!.publicKey)).toBe(true);
    }
  });

  it('is empty where nobody is listed', () => {
    expect(readWitnessBook([], DEFAULT_PREDICATE_BASE).byKeyId.size).toBe(0);
  });

  it.each<[string, () => string | undefined, RegExp]>([
    ['is missing', () => undefined, /no such file/],
    ['holds a private key', () => privatePem(onP256().privateKey), /private key/],
    [
      'holds a private key in the older form',
      () => String(onP256().privateKey.export({ type: 'sec1', format: 'pem' })),
      /private key/,
    ],
    [
      'holds a private key beside the public one',
      () => {
        const { publicKey, privateKey } = onP256();
        return publicPem(publicKey) + privatePem(privateKey);
      },
      /private key/,
    ],
    ['holds a key on P-384', () => publicPem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey), /P-256/],
    [
      'holds a key on secp256k1',
      () => publicPem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
      /P-256/,
    ],
    ['holds an RSA key', () => publicPem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey), /P-256/],
    ['holds an Ed25519 key', () => publicPem(generateKeyPairSync('ed25519').publicKey), /P-256/],
    ['is empty', () => '', /PEM/],
    ['holds something else', () => 'witness: ci\n', /PEM/],
    ['holds a key that is cut', () => publicPem(onP256().publicKey).slice(0, 80), /PEM/],
  ])('is refused where a key file %s, in words that say so', (_what, text, reason) => {
    const entries = entriesOf(publicPem(onP256().publicKey), text());
    const refusal = refusalOf(entries);
    expect(refusal.code).toBe('server.witness_unusable');
    expect(refusal.message).toContain(entries[1]!.keyFile);
    expect(refusal.message).toContain('witness-1');
    expect(refusal.message).toMatch(reason);
  });

  it('is refused where a key file is a folder', () => {
    const [entry] = entriesOf(undefined);
    mkdirSync(entry!.keyFile);
    expect(refusalOf([entry!])).toMatchObject({ code: 'server.witness_unusable' });
  });

  it('shows nothing of a private key that stands in the place of a public one', () => {
    const text = privatePem(onP256().privateKey);
    const { message, cause } = refusalOf(entriesOf(text));
    const body = text.split('\n')[1]!;
    expect(`${message} ${String(cause)} ${JSON.stringify(cause)}`).not.toContain(body.slice(0, 16));
  });

  it('has no key under two names, although its files are spelled differently', () => {
    const pem = publicPem(onP256().publicKey);
    const refusal = refusalOf(entriesOf(pem, publicPem(onP256().publicKey), `\n${pem}\n`));
    expect([refusal.code, refusal.message]).toEqual(['server.witness_unusable', expect.stringContaining('witness-2')]);
  });
});

describe('the witness of the user’s own', () => {
  it('has a key that is made where there is none, and counts as same-host for whoever asks', () => {
    const file = join(temporaryFolder(onTestFinished), 'home', 'witness.pem');
    mkdirSync(join(file, '..'));
    const { byKeyId } = ownWitnessBook(file, DEFAULT_PREDICATE_BASE);
    const { kid } = openKeyFile(file, 'ES256');
    expect([...byKeyId]).toEqual([[kid, expect.objectContaining({ name: 'local', keyId: kid, place: 'same-host' })]]);
    expect(byKeyId.get(kid)).not.toHaveProperty('callers');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY');
    expect([...ownWitnessBook(file, DEFAULT_PREDICATE_BASE).byKeyId.keys()]).toEqual([kid]);
  });

  it('has no key but its own: another file there is no key', () => {
    const file = join(temporaryFolder(onTestFinished), 'witness.pem');
    writeFileSync(file, 'nothing', { mode: 0o600 });
    expect(() => ownWitnessBook(file, DEFAULT_PREDICATE_BASE)).toThrow(expect.objectContaining({ name: 'KeyError' }));
  });
});
