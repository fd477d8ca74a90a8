import { signerNames } from '@colophon/records';
import {
  type IdentityPolicy,
  namesIssuer,
  type TrustMaterial,
  verifyBundle,
  verifyBundleWithKey,
} from '@colophon/sigstore';
import { isPerson } from '../person/person.ts';
import { assertSignature } from './assert-signature.ts';
import type { VerifiedDocument } from './verified-document-result.ts';

/** Whose bundles count: those of an identity, or those of one key. */
export type BundleSigner =
  | { readonly policy: IdentityPolicy }
  | { readonly publicKey: string /** Who is told as the signer. */; readonly keyName: string };

/**
 * Verifies a bundle that signs a document.
 * @throws VerificationError, SignatureError `signature.not_a_signature`
 */
export function verifySignedDocument(
  { artifact, bundle }: { readonly artifact: Uint8Array; readonly bundle: Uint8Array },
  signer: BundleSigner,
  trust: TrustMaterial,
): VerifiedDocument {
  if ('publicKey' in signer) {
    const { publicKey, keyName } = signer;
    const { checks, log_entry, statement } = verifyBundleWithKey({ artifact, bundle, trust, publicKey });
    assertSignature(statement);
    return { kind: 'sigstore', signer: keyName, names: [], is_person: false, ...timeOf(log_entry), log_entry, checks };
  }
  const { signature, checks } = verifyBundle({
    ...{ artifact, bundle, trust, policy: signer.policy, purpose: 'document' },
  });
  const { certificate_identity: identity, log_entry, statement } = signature;
  assertSignature(statement);
  const { issuer, subject } = identity;
  // Whoever pins an issuer says whose addresses these are; a pattern says nothing of an issuer that merely matches it.
  const isOfPerson = isPerson(identity, namesIssuer(signer.policy, issuer) ? [issuer] : []);
  const about = { signer: subject, names: signerNames(identity), is_person: isOfPerson, ...timeOf(log_entry) };
  return { kind: 'sigstore', ...about, certificate_identity: identity, log_entry, checks };
}

function timeOf({ integrated_at }: { readonly integrated_at?: string }) {
  return integrated_at === undefined ? {} : { signed_at: integrated_at };
}
