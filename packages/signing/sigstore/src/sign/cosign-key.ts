import { createPrivateKey, type KeyObject, randomBytes, scryptSync } from 'node:crypto';
import { decodeBase64, findPemBlocks, formatPem } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';

const LABELS: readonly string[] = ['ENCRYPTED SIGSTORE PRIVATE KEY', 'ENCRYPTED COSIGN PRIVATE KEY'];
// The dearest parameters that cosign writes ask for 64 MiB; a file must not ask for much more.
const MAX_SCRYPT_BYTES = 160 * 1024 * 1024;
/** Those that cosign writes; it reads few others. */
const SCRYPT = { N: 65536, r: 8, p: 1 };
const [SALT_BYTES, NONCE_BYTES] = [32, 24];

/** Whether the text is a key as \`cosign generate-key-pair\` writes it. */
export function isCosignKey(pem: string): boolean {
  return LABELS.some((label) => pem.trimStart().startsWith(`-----BEGIN ${label}-----`));
}

/**
 * Opens the key file of \`cosign generate-key-pair\`: PKCS #8 in a NaCl secretbox whose key scrypt makes from the
 * password.
 * @returns undefined for a wrong password, or a file that is not of that form.
 */
export function openCosignKey(pem: string, password: string): KeyObject | undefined {
  const [block] = findPemBlocks(pem, LABELS) ?? [];
  if (block === undefined) return undefined;
  const parsed = parseStrictJson(block.der);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { kdf, cipher, ciphertext } = parsed.value;
  if (!isNamed(kdf, 'scrypt') || !isNamed(cipher, 'nacl/secretbox')) return undefined;
  const { params } = kdf;
  if (params === undefined || !isJsonObject(params)) return undefined;
  const [salt, nonce, sealed] = [kdf['salt'], cipher['nonce'], ciphertext].map(bytesOf);
  if (salt === undefined || nonce === undefined || sealed === undefined) return undefined;
  const { N, r, p } = params;
  if (typeof N !== 'number' || typeof r !== 'number' || typeof p !== 'number') return undefined;
  try {
    const secret = scryptSync(password, salt, 32, { N, r, p, maxmem: MAX_SCRYPT_BYTES });
    const der = xsalsa20poly1305(secret, nonce).decrypt(sealed);
    return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch {
    // A wrong password and a damaged file look the same, as they should.
    return undefined;
  }
}

/** Writes a private key as `cosign generate-key-pair` does; {@link openCosignKey} and cosign open it. */
export function sealCosignKey(privateKey: KeyObject, password: string): string {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const secret = scryptSync(password, salt, 32, { ...SCRYPT, maxmem: MAX_SCRYPT_BYTES });
  const sealed = xsalsa20poly1305(secret, nonce).encrypt(privateKey.export({ type: 'pkcs8', format: 'der' }));
  const json = {
    kdf: { name: 'scrypt', params: SCRYPT, salt: salt.toString('base64') },
    cipher: { name: 'nacl/secretbox', nonce: nonce.toString('base64') },
    ciphertext: Buffer.from(sealed).toString('base64'),
  };
  return formatPem(LABELS[0] as string, Buffer.from(JSON.stringify(json)));
}

function bytesOf(value: JsonValue | undefined): Uint8Array | undefined {
  return typeof value === 'string' ? decodeBase64(value) : undefined;
}

function isNamed(value: unknown, name: string): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && (value as JsonObject)['name'] === name;
}
