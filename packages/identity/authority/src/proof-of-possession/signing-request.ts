import { type KeyObject, verify } from 'node:crypto';
import {
  DER_TAG,
  type DerElement,
  DerError,
  parsePem,
  readBitString,
  readDerElements,
  readDerSequence,
  readOid,
} from '@colophon/encoding';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { checkKeyStrength, importSpki } from './public-key.ts';

type Signature = { readonly digest: 'sha256' | 'sha384' | 'sha512' | null; readonly keyType: 'ec' | 'rsa' | 'ed25519' };

const SIGNATURES: Readonly<Record<string, Signature>> = {
  '1.2.840.10045.4.3.2': { digest: 'sha256', keyType: 'ec' },
  '1.2.840.10045.4.3.3': { digest: 'sha384', keyType: 'ec' },
  '1.2.840.10045.4.3.4': { digest: 'sha512', keyType: 'ec' },
  '1.2.840.113549.1.1.11': { digest: 'sha256', keyType: 'rsa' },
  '1.2.840.113549.1.1.12': { digest: 'sha384', keyType: 'rsa' },
  '1.2.840.113549.1.1.13': { digest: 'sha512', keyType: 'rsa' },
  '1.3.101.112': { digest: null, keyType: 'ed25519' },
};

/**
 * Verifies a PKCS #10 request (RFC 2986, PEM). It proves possession by its own signature; every name in it is ignored,
 * because the certificate's name comes from the token alone.
 *
 * @throws AuthorityError `authority.signing_request_invalid`, `authority.public_key_invalid`,
 *   `authority.public_key_weak`, `authority.proof_invalid`
 */
export function verifySigningRequest(pem: Uint8Array): KeyObject {
  const { info, spki, algorithm, signature } = readSigningRequest(pem);
  const key = importSpki(spki);
  checkKeyStrength(key);
  if (key.asymmetricKeyType !== algorithm.keyType || !verify(algorithm.digest, info, key, signature)) {
    throw new AuthorityError('authority.proof_invalid', 'the certificate signing request is not signed by its own key');
  }
  return key;
}

function readSigningRequest(pem: Uint8Array): {
  info: Uint8Array;
  spki: Uint8Array;
  algorithm: Signature;
  signature: Uint8Array;
} {
  const [block, ...more] = parsePem(Buffer.from(pem).toString('latin1')) ?? [];
  if (more.length > 0 || (block?.label !== 'CERTIFICATE REQUEST' && block?.label !== 'NEW CERTIFICATE REQUEST')) {
    throw invalid();
  }
  try {
    const [info, algorithm, signature, ...rest] = readDerSequence(block.der);
    const known = SIGNATURES[readOid(algorithm && readDerElements(algorithm.content)[0])];
    const spki = info && subjectPublicKey(info);
    if (info === undefined || spki === undefined || known === undefined || rest.length > 0) throw invalid();
    return { info: info.bytes, spki: spki.bytes, algorithm: known, signature: readBitString(signature) };
  } catch (error) {
    throw error instanceof DerError ? invalid(error) : error;
  }
}

/** CertificationRequestInfo: version, subject, subjectPKInfo, attributes. */
function subjectPublicKey(info: DerElement): DerElement | undefined {
  const spki = readDerElements(info.content)[2];
  return spki?.tag === DER_TAG.sequence ? spki : undefined;
}

function invalid(cause?: unknown): AuthorityError {
  return new AuthorityError('authority.signing_request_invalid', 'the certificate signing request cannot be read', {
    cause,
  });
}
