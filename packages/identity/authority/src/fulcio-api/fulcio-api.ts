import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { CertificateAuthority, KeyProof } from '../ca/certificate-authority.ts';
import { RETRY_AFTER_SECONDS, refusalOf } from '../http/http-status.ts';
import { acceptRawBodies, readJsonObject } from '../http/json-body.ts';

/** Bytes of a certificate request: a token of 16 KiB, a key and a proof fit. */
export const MAX_CERTIFICATE_REQUEST_BYTES = 64 * 1024;

/** The numbers of google.rpc.Code that stand beside an HTTP status in gRPC gateways. */
const GRPC_CODES: Readonly<Record<number, number>> = { 400: 3, 404: 5, 413: 3, 415: 3, 500: 13, 503: 14 };
const PEM_CHAIN = 'application/pem-certificate-chain';

/** An issuer whose tokens are taken, under the name that Fulcio has for what they name. */
export type FulcioIssuer = { readonly issuer: string; readonly type: 'ci-provider' | 'uri' | 'email' };

/**
 * Mounts the certificate authority on Fulcio's HTTP API: v2, and the v1 paths that older clients call. Errors have the
 * shape of Fulcio's gateway; our stable code is the `reason` of the one detail.
 */
export function registerFulcioApi(
  app: FastifyInstance,
  {
    ca,
    issuers,
    audience,
  }: { readonly ca: CertificateAuthority; readonly issuers: readonly FulcioIssuer[]; readonly audience: string },
): void {
  app.register(async (scope) => {
    acceptRawBodies(scope);
    scope.setErrorHandler((error, request, reply) => refuse(error, request, reply));
    const options = { bodyLimit: MAX_CERTIFICATE_REQUEST_BYTES };

    scope.post('/api/v2/signingCert', options, async (request, reply) => {
      const body = readJsonObject(request, { maxBytes: MAX_CERTIFICATE_REQUEST_BYTES });
      const token =
        objectAt(body, 'credentials')?.['oidcIdentityToken'] ?? objectAt(body, 'credentials')?.['oidc_identity_token'];
      const { chainPem } = await ca.issueCertificate(token ?? bearerToken(request), keyProofV2(body));
      const certificates = chainPem.map((pem) => pem.trimEnd());
      return reply.send({ signedCertificateEmbeddedSct: { chain: { certificates } } });
    });

    scope.post('/api/v1/signingCert', options, async (request, reply) => {
      const body = readJsonObject(request, { maxBytes: MAX_CERTIFICATE_REQUEST_BYTES });
      const { chainPem } = await ca.issueCertificate(bearerToken(request), keyProofV1(body));
      return reply.code(201).type(PEM_CHAIN).send(chainPem.join('').trimEnd());
    });

    const { chainPem } = ca.certificates;
    scope.get('/api/v2/trustBundle', async () => ({ chains: [{ certificates: chainPem }] }));
    scope.get('/api/v1/rootCert', async (_request, reply) => reply.type(PEM_CHAIN).send(chainPem.join('').trimEnd()));
    scope.get('/api/v2/configuration', async () => ({
      issuers: issuers.map(({ issuer, type }) => ({
        issuerUrl: issuer,
        audience,
        challengeClaim: type === 'email' ? 'email' : 'sub',
        spiffeTrustDomain: '',
        issuerType: type,
        subjectDomain: '',
        skipEmailVerification: false,
      })),
    }));
  });
}

function keyProofV2(body: JsonObject): KeyProof {
  const csr = member(body, 'certificateSigningRequest', 'certificate_signing_request');
  if (isFilled(csr)) return { signingRequest: decodeBytes(csr, 'certificateSigningRequest') };
  const request = member(body, 'publicKeyRequest', 'public_key_request');
  const { publicKey, public_key } = isJsonObject(request) ? request : {};
  const key = publicKey ?? public_key;
  const content = isJsonObject(key) ? key['content'] : undefined;
  const proof = isJsonObject(request) ? member(request, 'proofOfPossession', 'proof_of_possession') : undefined;
  if (!isFilled(content)) throw new AuthorityError('authority.public_key_invalid', 'the request has no public key');
  return { publicKey: Buffer.from(content, 'utf8'), proofOfPossession: decodeBytes(proof, 'proofOfPossession') };
}

function keyProofV1(body: JsonObject): KeyProof {
  const csr = body['certificateSigningRequest'];
  if (isFilled(csr)) return { signingRequest: decodeBytes(csr, 'certificateSigningRequest') };
  const content = objectAt(body, 'publicKey')?.['content'];
  if (!isFilled(content)) throw new AuthorityError('authority.public_key_invalid', 'the request has no public key');
  // The field is bytes, so base64 on the wire, of PEM or DER; some clients send the PEM itself.
  const publicKey = content.startsWith('-----BEGIN ')
    ? Buffer.from(content, 'utf8')
    : decodeBytes(content, 'publicKey.content');
  return { publicKey, proofOfPossession: decodeBytes(body['signedEmailAddress'], 'signedEmailAddress') };
}

/** A `bytes` field of protobuf's JSON form: either alphabet, with or without padding. */
function decodeBytes(value: JsonValue | undefined, name: string): Uint8Array {
  const text = typeof value === 'string' ? value : '';
  const bytes = decodeBase64(text, { alphabet: 'either', padding: 'optional' });
  if (bytes !== undefined && bytes.length > 0) return bytes;
  const code = name.startsWith('publicKey')
    ? 'authority.public_key_invalid'
    : name.startsWith('certificate')
      ? 'authority.signing_request_invalid'
      : 'authority.proof_invalid';
  throw new AuthorityError(code, `${name} is not base64`);
}

function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer ([^ ]+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function member(object: JsonObject, camelCase: string, snakeCase: string): JsonValue | undefined {
  return object[camelCase] ?? object[snakeCase];
}

function objectAt(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isJsonObject(value) ? value : undefined;
}

function isFilled(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message } = refusalOf(error);
  if (status >= 500) request.log.error({ err: error }, 'certificate request failed');
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply.code(status).send({
    code: GRPC_CODES[status] ?? (status >= 500 ? 13 : 3),
    message,
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'colophon', metadata: {} }],
  });
}
