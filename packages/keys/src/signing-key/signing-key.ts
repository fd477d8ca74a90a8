import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** JOSE names; RS256 keys have 2048 bits, ES256 keys are on P-256. */
export type KeyAlgorithm = 'RS256' | 'ES256';

/** A private key that signs with SHA-256 and never leaves this object, with its public half in the usual forms. */
export class SigningKey {
  readonly alg: KeyAlgorithm;
  readonly publicKey: KeyObject;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /** RFC 7638 thumbprint, base64url. */
  readonly kid: string;
  /** Public JWK with `kid`, `alg` and `use: sig`. */
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly #privateKey: KeyObject;

  constructor(privateKey: KeyObject) {
    this.#privateKey = privateKey;
    this.alg = algorithmOf(privateKey);
    this.publicKey = createPublicKey(privateKey);
    this.spki = new Uint8Array(this.publicKey.export({ type: 'spki', format: 'der' }));
    const jwk = this.publicKey.export({ format: 'jwk' }) as Record<string, string>;
    this.kid = thumbprint(jwk);
    this.publicJwk = Object.freeze({ ...jwk, use: 'sig', alg: this.alg, kid: this.kid });
  }

  /** Signs for JOSE: RSASSA-PKCS1-v1_5, or ECDSA as r‖s (RFC 7518 §3.4). */
  signJose(data: Uint8Array): Uint8Array {
    return sign('sha256', data, { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
  }

  /** Signs as X.509, CT, Rekor and signed notes want it: RSASSA-PKCS1-v1_5, or ECDSA in DER. */
  signDer(data: Uint8Array): Uint8Array {
    return sign('sha256', data, this.#privateKey);
  }

  publicPem(): string {
    return this.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  }
}

/**
 * Opens the PKCS#8 PEM file at `path`; makes the key first where there is none. The file is complete on disk, mode
 * 0600, before it has its name, so two starts at once agree on one key.
 * @throws Error where others may read the file, or it holds a key of another algorithm.
 */
export function openKeyFile(path: string, alg: KeyAlgorithm): SigningKey {
  if (!existsSync(path)) createKeyFile(path, alg);
  const mode = statSync(path).mode & 0o777;
  if (mode & 0o077) {
    throw new Error(
      `${path} may be read by others (mode ${mode.toString(8)}): chmod 600 it, or replace a key that may be known`,
    );
  }
  const key = new SigningKey(createPrivateKey(readFileSync(path)));
  if (key.alg !== alg) throw new Error(`${path} holds a key for ${key.alg}, not ${alg}`);
  return key;
}

function createKeyFile(path: string, alg: KeyAlgorithm): void {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function algorithmOf(key: KeyObject): KeyAlgorithm {
  if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return 'RS256';
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new Error('a signing key is RSA of 2048 bits or more, or on P-256');
}

function thumbprint(jwk: Record<string, string>): string {
  const members = jwk['kty'] === 'RSA' ? ['e', 'kty', 'n'] : ['crv', 'kty', 'x', 'y'];
  const canonical = JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]])));
  return createHash('sha256').update(canonical).digest('base64url');
}
