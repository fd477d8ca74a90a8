import { createPublicKey, type KeyObject } from 'node:crypto';
import { readRegularFile, systemReason } from '@colophon/durable-file';
import type { ListedWitness, WitnessBook } from '@colophon/issuer';
import { openKeyFile } from '@colophon/keys';
import { keyThumbprint } from '@colophon/records';
import type { WitnessEntry } from '../configuration/configuration.ts';
import { ServerError } from '../server-error/server-error.ts';

/** Bytes of a key file: a key has some hundred. */
const MOST_KEY_BYTES = 64 * 1024;

/**
 * The witnesses of a configuration, with their keys.
 * @param texts what is in the key files, by their names; what is missing is read now
 * @throws ServerError `server.witness_unusable` where a key cannot be read, or two witnesses have one
 */
export function readWitnessBook(
  entries: readonly WitnessEntry[],
  predicateBase: string,
  texts: ReadonlyMap<string, string | undefined> = new Map(),
): WitnessBook {
  const byKeyId = new Map<string, ListedWitness>();
  for (const { keyFile, ...entry } of entries) {
    const publicKey = readPublicKey(entry.name, keyFile, texts.get(keyFile));
    const keyId = keyThumbprint(publicKey.export({ format: 'jwk' }) as Record<string, string>);
    if (byKeyId.has(keyId)) {
      throw new ServerError('server.witness_unusable', `the key of the witness ${entry.name} is another one's too`);
    }
    byKeyId.set(keyId, { ...entry, keyId, publicKey });
  }
  return { byKeyId, predicateBase };
}

/** The witness of the same user on this machine, whose key is made where there is none. @throws KeyError */
export function ownWitnessBook(keyFile: string, predicateBase: string): WitnessBook {
  const { kid: keyId, publicKey } = openKeyFile(keyFile, 'ES256');
  return { byKeyId: new Map([[keyId, { name: 'local', keyId, place: 'same-host', publicKey }]]), predicateBase };
}

function readPublicKey(name: string, file: string, given: string | undefined): KeyObject {
  const unusable = (reason: string, cause?: unknown) => {
    const message = `the public key of the witness ${name} cannot be read: ${file}: ${reason}`;
    return new ServerError('server.witness_unusable', message, cause === undefined ? {} : { cause });
  };
  const text = attempt(
    () => given ?? readRegularFile(file, MOST_KEY_BYTES).toString('utf8'),
    (cause) => unusable(systemReason(cause), cause),
  );
  // A private key says its public half too; here nobody may have it.
  if (/PRIVATE KEY/.test(text)) throw unusable('the file holds a private key');
  const key = attempt(
    () => createPublicKey(text),
    (cause) => unusable('it holds no public key in PEM', cause),
  );
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw unusable('the key is not on P-256');
  return key;
}

function attempt<T>(read: () => T, failed: (cause: unknown) => ServerError): T {
  try {
    return read();
  } catch (cause) {
    throw failed(cause);
  }
}
