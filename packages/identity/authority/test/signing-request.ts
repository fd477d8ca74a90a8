import { sign } from 'node:crypto';
import { contextTag, derBitString, derOid, derSequence, derUnsigned, encodeDer, formatPem } from '@colophon/encoding';
import type { Signer } from './signer.ts';

const OIDS: Record<string, string> = {
  'ec/sha256': '1.2.840.10045.4.3.2',
  'ec/sha384': '1.2.840.10045.4.3.3',
  'ec/sha512': '1.2.840.10045.4.3.4',
  'rsa/sha256': '1.2.840.113549.1.1.11',
  'rsa/sha384': '1.2.840.113549.1.1.12',
  'rsa/sha512': '1.2.840.113549.1.1.13',
  'ed25519/null': '1.3.101.112',
};

export function signingRequestOf(
  signer: Signer,
  digest: string | null,
  { by = signer, oid = OIDS[`${signer.publicKey.asymmetricKeyType}/${digest}`]!, label = 'CERTIFICATE REQUEST' } = {},
): Uint8Array {
  const spki = new Uint8Array(signer.publicKey.export({ type: 'spki', format: 'der' }));
  const info = derSequence(derUnsigned(Uint8Array.of(0)), derSequence(), spki, encodeDer(contextTag(0)));
  const der = derSequence(info, derSequence(derOid(oid)), derBitString(sign(digest, info, by.privateKey)));
  return Buffer.from(formatPem(label, der));
}
