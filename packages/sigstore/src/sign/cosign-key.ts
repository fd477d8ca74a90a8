import { createPrivateKey, type KeyObject, scryptSync } from 'node:crypto';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';

const ARMOR = /^-----BEGIN ENCRYPTED (?:SIGSTORE|COSIGN) PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END ENCRYPTED/;
// The dearest parameters that cosign writes ask for 64 MiB; a file must not ask for much more.
const MAX_SCRYPT_BYTES = 160 * 1024 * 1024;

/** Whether the text is a key as \`cosign generate-key-pair\` writes it. */
export function isCosignKey(pem: string): boolean {
  return ARMOR.test(pem.trim());
}

/**
 * Opens the key file of \`cosign generate-key-pair\`: PKCS #8 in a NaCl secretbox whose key scrypt makes from the
 * password.
 * @returns undefined for a wrong password, or a file that is not of that form.
 */
export function openCosignKey(pem: string, password: string): KeyObject | undefined {
  const [, base64 = ''] = ARMOR.exec(pem.trim()) ?? [];
  const parsed = parseStrictJson(Buffer.from(base64, 'base64'));
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { kdf, cipher, ciphertext } = parsed.value;
  if (!isNamed(kdf, 'scrypt') || !isNamed(cipher, 'nacl/secretbox') || typeof ciphertext !== 'string') return undefined;
  const { params } = kdf;
  if (params === undefined || !isJsonObject(params)) return undefined;
  const { N, r, p } = params;
  if (typeof N !== 'number' || typeof r !== 'number' || typeof p !== 'number') return undefined;
  try {
    const salt = Buffer.from(String(kdf['salt']), 'base64');
    const secret = scryptSync(password, salt, 32, { N, r, p, maxmem: MAX_SCRYPT_BYTES });
    const box = xsalsa20poly1305(secret, Buffer.from(String(cipher['nonce']), 'base64'));
    const der = box.decrypt(Buffer.from(ciphertext, 'base64'));
    return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch {
    // A wrong password and a damaged file look the same, as they should.
    return undefined;
  }
}

function isNamed(value: unknown, name: string): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && (value as JsonObject)['name'] === name;
}
