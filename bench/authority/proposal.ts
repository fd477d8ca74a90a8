import { createHash, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '@colophon/json';
import type { Statement } from '@colophon/records';
import type { ScratchAuthority } from './scratch-authority.ts';

/** Who signs what is logged: a key, and its certificate as a log takes it (PEM, base64). */
export type Signer = { readonly privateKey: KeyObject; readonly verifier: string };

export const PROPOSAL_KINDS = ['hashedrekord', 'dsse'] as const;

/** Buys one certificate. */
export async function makeSigner({ authority, preparePurchase }: ScratchAuthority): Promise<Signer> {
  const { token, proof, privateKey } = await preparePurchase();
  const [certificate] = (await authority.issueCertificate(token, proof)).chainPem;
  return { privateKey, verifier: base64(certificate!) };
}

/** A signature over an artifact that nobody signed before, proposed for the log. */
export function propose(kind: (typeof PROPOSAL_KINDS)[number], name: string, signer: Signer): JsonObject {
  return { apiVersion: '0.0.1', kind, spec: kind === 'dsse' ? dsse(name, signer) : hashedRekord(name, signer) };
}

/** A small statement whose subject is the text `name`. */
export function statementAbout(name: string): Statement {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha256: sha256(name) } }],
    predicateType: 'https://example.com/bench/v1',
    predicate: { name },
  };
}

function hashedRekord(name: string, { privateKey, verifier }: Signer): JsonObject {
  return {
    data: { hash: { algorithm: 'sha256', value: sha256(name) } },
    signature: { content: base64(sign('sha256', Buffer.from(name), privateKey)), publicKey: { content: verifier } },
  };
}

function dsse(name: string, { privateKey, verifier }: Signer): JsonObject {
  const payloadType = 'application/vnd.in-toto+json';
  const payload = JSON.stringify(statementAbout(name));
  const signed = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} ${payload}`);
  const signatures = [{ sig: base64(sign('sha256', signed, privateKey)) }];
  const envelope = JSON.stringify({ payloadType, payload: base64(payload), signatures });
  return { proposedContent: { envelope, verifiers: [verifier] } };
}

function base64(content: Uint8Array | string): string {
  return Buffer.from(content).toString('base64');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
