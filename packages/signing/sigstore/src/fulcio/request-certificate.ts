import { type KeyObject, sign } from 'node:crypto';
import { findPemBlocks } from '@colophon/encoding';
import { isJsonObject, type JsonValue } from '@colophon/json';
import { underBase } from '@colophon/peer';
import type { ServiceOptions } from '../service/ask-service.ts';
import { ask, invalidAnswer, jsonOf } from '../sign/ask.ts';
import type { IdentityToken } from '../sign/identity-token.ts';

/**
 * Exchanges an identity token for a signing certificate, on Fulcio's own API. The proof of possession is over
 * `challenge`, the value of the claim that the authority expects (challengeClaim).
 * @returns DER of the signing certificate.
 * @throws SigningError `signing.ca_unavailable`, `signing.ca_refused`, `signing.ca_answer_invalid`
 * @see contract §1 step 3, §5.1
 */
export async function requestCertificate(
  fulcioUrl: string,
  { token, challenge }: { readonly token: IdentityToken; readonly challenge: string },
  keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  options: ServiceOptions,
): Promise<Buffer> {
  const url = underBase(fulcioUrl, '/api/v2/signingCert');
  const request = {
    credentials: { oidcIdentityToken: token.raw },
    publicKeyRequest: {
      publicKey: { algorithm: 'ECDSA', content: keys.publicKey.export({ type: 'spki', format: 'pem' }) },
      proofOfPossession: sign('sha256', Buffer.from(challenge), keys.privateKey).toString('base64'),
    },
  };
  const answer = jsonOf('ca', url, await ask('ca', url, request, options));
  // An authority without CT log answers in the form for timestamps beside the certificate, with none.
  const apart = answer['signedCertificateDetachedSct'];
  if (apart !== undefined && isJsonObject(apart) && apart['signedCertificateTimestamp']) {
    throw invalidAnswer('ca', url, 'the certificate timestamp is not in the certificate, so no bundle could carry it');
  }
  const first = firstCertificate(answer['signedCertificateEmbeddedSct'] ?? apart);
  if (first === undefined) throw invalidAnswer('ca', url, 'no certificate');
  return first;
}

function firstCertificate(issued: JsonValue | undefined): Buffer | undefined {
  const chain = issued !== undefined && isJsonObject(issued) ? issued['chain'] : undefined;
  const certificates = chain !== undefined && isJsonObject(chain) ? chain['certificates'] : undefined;
  const first = Array.isArray(certificates) ? certificates[0] : undefined;
  if (typeof first !== 'string') return undefined;
  const [block] = findPemBlocks(first, ['CERTIFICATE']) ?? [];
  return block && Buffer.from(block.der);
}
