import { decodeBase64 } from '@colophon/encoding';
import { canonicalJson, isJsonObject, type JsonObject } from '@colophon/json';
import { parseDigest } from '@colophon/notation';
import { verifyDigestSignature } from '@colophon/sigstore';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { VerifiedEntry } from './proposed-entry.ts';
import { signerSearchKey } from './search-keys.ts';
import { isAcceptedKey, parseVerifier } from './verifier.ts';

const ALGORITHMS: readonly unknown[] = ['sha256', 'sha384', 'sha512'];

/**
 * `hashedrekord` 0.0.1: a signature over a digest, and the key or certificate that verifies it. Members that the type
 * does not have (`url` once was one) are not looked at and not recorded.
 * @throws AuthorityError `authority.entry_invalid`, `authority.entry_signature_invalid`
 */
export function readHashedRekord(spec: JsonObject): VerifiedEntry {
  const { signature, data } = spec;
  const { content, publicKey } = isJsonObject(signature) ? signature : {};
  const { hash } = isJsonObject(data) ? data : {};
  const { algorithm, value } = isJsonObject(hash) ? hash : {};
  const signatureBytes = decode(content, 'signature.content');
  const verifier = parseVerifier(
    decode(isJsonObject(publicKey) ? publicKey['content'] : undefined, 'signature.publicKey.content'),
  );
  if (!ALGORITHMS.includes(algorithm)) throw invalid('data.hash.algorithm is sha256, sha384 or sha512');
  const digest = typeof value === 'string' ? parseDigest(`${algorithm}:${value.toLowerCase()}`) : undefined;
  if (digest === undefined) throw invalid('data.hash.value is the digest in hexadecimal');
  if (!isAcceptedKey(verifier.key) || !verifyDigestSignature(verifier.key, digest, signatureBytes)) {
    throw new AuthorityError(
      'authority.entry_signature_invalid',
      'the signature is not the key’s signature over that digest',
    );
  }
  return {
    body: canonicalJson({
      apiVersion: '0.0.1',
      kind: 'hashedrekord',
      spec: {
        data: { hash: { algorithm: digest.algorithm, value: value as string } },
        signature: { content: content as string, publicKey: { content: Buffer.from(verifier.pem).toString('base64') } },
      },
    }),
    keys: [`${digest.algorithm}:${digest.hex}`, signerSearchKey(verifier)],
  };
}

function decode(value: unknown, name: string): Uint8Array {
  const bytes = typeof value === 'string' && value !== '' ? decodeBase64(value) : undefined;
  if (bytes === undefined) throw invalid(`${name} is base64`);
  return bytes;
}

function invalid(message: string): AuthorityError {
  return new AuthorityError('authority.entry_invalid', message);
}
