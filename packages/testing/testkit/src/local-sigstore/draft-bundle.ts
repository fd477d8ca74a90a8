import { createHash, sign } from 'node:crypto';
import type { JsonValue } from '@colophon/json';
import { STATEMENT_TYPE } from '@colophon/records';
import { bundleEntryOfV1 } from '@colophon/sigstore';
import { dsse } from '@sigstore/core';
import { type KeyPair, spkiOf, toPem } from './certificate-writer.ts';
import { type LeafOptions, type LocalSigstore, newKeys } from './local-sigstore.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests take bundles apart in every way
export type BundleJson = any;

export type DraftOptions = LeafOptions & {
  /** A key instead of a certificate. */
  readonly keyed?: boolean;
  readonly keys?: KeyPair;
  /** What is logged instead of the truth. */
  readonly logged?: { readonly signature?: Buffer; readonly digest?: Buffer; readonly verifier?: string };
  readonly kind?: 'intoto';
};

export const ARTIFACT = Buffer.from('the artifact');
export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
export const ARTIFACT_SHA256 = sha256(ARTIFACT).toString('hex');
export const STATEMENT = {
  _type: STATEMENT_TYPE,
  subject: [
    { name: 'other', digest: { sha512: 'e'.repeat(128) } },
    { name: 'artifact', digest: { sha256: ARTIFACT_SHA256 } },
  ],
  predicateType: 'https://colophon.example/predicates/agent-run/v1',
  predicate: { agent: { name: 'code-writer' } },
} as const;

export const toBytes = (json: BundleJson) => Buffer.from(JSON.stringify(json));
const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes as Uint8Array).toString('base64');

/** A valid bundle over an artifact, or one that is wrong in exactly the way that the options say. */
export function draftBlob(
  local: LocalSigstore,
  artifact: Uint8Array = ARTIFACT,
  options: DraftOptions = {},
): BundleJson {
  const keys = options.keys ?? newKeys();
  const { material, verifier } = signerOf(local, keys, options);
  const signature = sign('sha256', artifact, keys.privateKey);
  const digest = sha256(artifact);
  const { logged = {} } = options;
  const body = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: (logged.digest ?? digest).toString('hex') } },
      signature: {
        content: b64(logged.signature ?? signature),
        publicKey: { content: b64(logged.verifier ?? verifier) },
      },
    },
  };
  return bundleOf(local, material, body, {
    messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest: b64(digest) }, signature: b64(signature) },
  });
}

/** A valid attestation, or one that is wrong in exactly the way that the options say. */
export function draftStatement(
  local: LocalSigstore,
  statement: unknown = STATEMENT,
  options: DraftOptions & { readonly payloadType?: string } = {},
): BundleJson {
  const keys = options.keys ?? newKeys();
  const { material, verifier } = signerOf(local, keys, options);
  const payload = Buffer.from(typeof statement === 'string' ? statement : JSON.stringify(statement));
  const payloadType = options.payloadType ?? 'application/vnd.in-toto+json';
  const signature = sign('sha256', dsse.preAuthEncoding(payloadType, payload), keys.privateKey);
  const { logged = {} } = options;
  const payloadHash = { algorithm: 'sha256', value: (logged.digest ?? sha256(payload)).toString('hex') };
  const loggedSignature = b64(logged.signature ?? signature);
  const loggedVerifier = b64(logged.verifier ?? verifier);
  const signatures =
    options.kind === 'intoto'
      ? [{ sig: b64(loggedSignature), publicKey: loggedVerifier }]
      : [{ signature: loggedSignature, verifier: loggedVerifier }];
  const body =
    options.kind === 'intoto'
      ? {
          apiVersion: '0.0.2',
          kind: 'intoto',
          spec: { content: { envelope: { payloadType, signatures }, payloadHash } },
        }
      : { apiVersion: '0.0.1', kind: 'dsse', spec: { payloadHash, signatures } };
  return bundleOf(local, material, body, {
    dsseEnvelope: { payload: b64(payload), payloadType, signatures: [{ sig: b64(signature) }] },
  });
}

/** A log entry over any body, as bundles have it. */
export function logged(local: LocalSigstore, body: JsonValue, time = local.now): BundleJson {
  const index = local.log.append(body, time.getTime() / 1000);
  return structuredClone(bundleEntryOfV1(local.log.entryAt(index))?.entry);
}

function signerOf(local: LocalSigstore, keys: KeyPair, options: DraftOptions) {
  const spki = spkiOf(keys.publicKey);
  if (options.keyed) {
    return { material: { publicKey: { hint: b64(sha256(spki)) } }, verifier: toPem(spki, 'PUBLIC KEY') };
  }
  const certificate = local.issue(keys.publicKey, options);
  return { material: { certificate: { rawBytes: b64(certificate) } }, verifier: toPem(certificate) };
}

function bundleOf(local: LocalSigstore, material: object, body: JsonValue, content: object): BundleJson {
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { ...material, tlogEntries: [logged(local, body)] },
    ...content,
  };
}
