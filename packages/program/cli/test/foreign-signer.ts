import { generateKeyPairSync } from 'node:crypto';
import type { Statement } from '@colophon/records';
import { type ImageSigner, readCertificateIdentity } from '@colophon/sigstore';
import { requestCertificate } from '../../../signing/sigstore/src/fulcio/request-certificate.ts';
import { readIdentityToken } from '../../../signing/sigstore/src/sign/identity-token.ts';
import { logAndBundle, signEnvelope } from '../../../signing/sigstore/src/sign/sign.ts';

/**
 * Another program that signs at the same services and asks nothing about what it signs; good for statements alone. `context`
 * is a token request, or a token. `rekorUrl`: of a log elsewhere.
 */
export function foreignSigner(url: string, context: object | string, rekorUrl = url): ImageSigner {
  return {
    signPayload: () => Promise.reject(new Error('statements alone')),
    signStatement: async (statement: Statement) => {
      const token = readIdentityToken(typeof context === 'string' ? context : await tokenFor(url, context));
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const der = await requestCertificate(url, { token, challenge: token.subject }, keys, {});
      const verifier = { kind: 'x509Certificate', der, keyDetails: 'PKIX_ECDSA_P256_SHA_256' } as const;
      const signed = signEnvelope(statement, keys.privateKey);
      const bundle = await logAndBundle(signed, verifier, { certificate: der }, { rekorUrl });
      return { bundle, identity: readCertificateIdentity(der) };
    },
  };
}

async function tokenFor(url: string, context: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: JSON.stringify(context) });
  return answer.text();
}
