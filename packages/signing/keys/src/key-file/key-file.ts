import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs';
import { createFileDurably, readOpenFile } from '@colophon/durable-file';
import { KeyError } from '../key-error/key-error.ts';
import type { KeyAlgorithm } from '../signer/signer.ts';
import { SigningKey } from '../signing-key/signing-key.ts';

/**
 * Opens the PEM file at `path`; makes the key first where there is none. The file is complete on disk, mode 0600, before
 * it has its name, so two starts at once agree on one key.
 * @throws KeyError `key.exposed`, `key.wrong_algorithm`, `key.unsupported`, `key.malformed`, `key.unavailable`.
 */
export function openKeyFile(path: string, alg: KeyAlgorithm): SigningKey {
  try {
    if (!existsSync(path)) createKeyFile(path, alg);
  } catch (error) {
    throw new KeyError('key.unavailable', `${path} cannot be read or made`, { cause: error });
  }
  return readKeyFile(path, alg);
}

/**
 * Opens the PEM file at `path`, which has to be there.
 * @throws KeyError `key.exposed`, `key.wrong_algorithm`, `key.unsupported`, `key.malformed`, `key.unavailable`.
 */
export function readKeyFile(path: string, alg: KeyAlgorithm): SigningKey {
  let pem: Buffer;
  try {
    pem = readOwnFile(path);
  } catch (error) {
    if (error instanceof KeyError) throw error;
    throw new KeyError('key.unavailable', `${path} cannot be read or made`, { cause: error });
  }
  const key = new SigningKey(parsePrivateKey(path, pem));
  if (key.alg !== alg) throw new KeyError('key.wrong_algorithm', `${path} holds a key for ${key.alg}, not ${alg}`);
  return key;
}

/** Bytes of a key file: a key of any kind has some thousand. */
const MOST_KEY_BYTES = 64 * 1024;

function readOwnFile(path: string): Buffer {
  // A ring reads keys while it runs: a pipe in the place of one must not be waited for.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    // The mode of the very file that is read, not of whatever has that name a moment later.
    const mode = fstatSync(file).mode & 0o777;
    if (mode & 0o077) {
      throw new KeyError(
        'key.exposed',
        `${path} is open to others (mode ${mode.toString(8)}, expected 600): chmod 600 it, or replace a key that may be known`,
      );
    }
    return readOpenFile(file, path, MOST_KEY_BYTES);
  } finally {
    closeSync(file);
  }
}

function parsePrivateKey(path: string, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new KeyError('key.malformed', `${path} holds no unencrypted private key in PEM`);
  }
}

function createKeyFile(path: string, alg: KeyAlgorithm): void {
  // Who comes second finds the first one's key.
  createFileDurably(path, newPrivateKey(alg).export({ type: 'pkcs8', format: 'pem' }), 0o600);
}

/** A fresh key. Its kid does not begin with `-`: on a command line, in an emergency, that would be a flag. */
export function newPrivateKey(alg: KeyAlgorithm): KeyObject {
  for (;;) {
    const { privateKey } =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    if (!new SigningKey(privateKey).kid.startsWith('-')) return privateKey;
  }
}
