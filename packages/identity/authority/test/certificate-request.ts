import { base64, proofOver, type Signer } from './signer.ts';

/** The body of POST /api/v2/signingCert. */
export const certificateRequest = (token: string, by: Signer, proof = proofOver(by, 'agent:code-writer')) => ({
  credentials: { oidcIdentityToken: token },
  publicKeyRequest: { publicKey: { algorithm: 'ECDSA', content: by.pem }, proofOfPossession: base64(proof) },
});
