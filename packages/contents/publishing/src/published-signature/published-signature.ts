import { createHash, createPublicKey, verify } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import type { BundleLogEntry, CertificateIdentity } from '@colophon/records';
import { SignatureError } from '@colophon/signers';
import {
  assertKind,
  type Check,
  type IdentityPolicy,
  parseBundle,
  type TrustMaterial,
  verifyBundle,
  verifyBundleWithKey,
  verifyDigestSignature,
} from '@colophon/sigstore';
import type { FetchedPublication } from '../publication/fetch-publication.ts';
import type { PublishedSignature } from '../publication/publish.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';

/** Most characters of a published signature that stand in an error. */
const MOST_SHOWN = 200;

/** Both published forms of the signature in a bundle. @throws VerificationError where the bundle is none; SignatureError */
export function signatureOfBundle(bundle: Uint8Array): PublishedSignature {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'messageSignature') {
    throw new SignatureError('signature.not_a_signature', 'the bundle holds an attestation, and no signature', {
      expected: 'a signature over the file',
      next: 'colophon sign-blob',
    });
  }
  return { bundle, signature: Buffer.from(Buffer.from(content.messageSignature.signature).toString('base64')) };
}

/** The signature where it is one over the document by the signer of `ours`, as the roots vouch. */
export function recognizedSignature(
  document: Uint8Array,
  { bundle, signature }: PublishedSignature,
  { signedBy }: PublishedSignature,
  trust: TrustMaterial,
): PublishedSignature | undefined {
  try {
    if (Buffer.compare(signatureOfBundle(bundle).signature, signature) !== 0) return undefined;
    const { subject, issuer } = verifyBundle({
      ...{ bundle, artifact: document, trust, policy: 'gated-elsewhere', purpose: 'document' },
    }).signature.certificate_identity;
    const isSame = subject === signedBy?.subject && issuer === signedBy.issuer;
    return isSame ? { bundle, signature, signedBy } : undefined;
  } catch {
    return undefined;
  }
}

/** Whose signature over a publication counts. */
export type PublicationSigner = { readonly policy: IdentityPolicy } | { readonly publicKey: string };

/** What holds of a publication's signature. */
export type VerifiedPublication = {
  readonly certificate_identity?: CertificateIdentity;
  /** None where a bare signature was verified with a key, without a log. */
  readonly log_entry?: BundleLogEntry;
  readonly checks: readonly Check[];
};

/**
 * Verifies the signature that a document is published with, in whichever forms it is there.
 * @param trust undefined where no roots are known: a bare signature by a key needs none
 * @param options `requiresProof`: whether the log's inclusion proof is demanded, which a bare signature does not have
 * @throws PublishingError `publishing.digest_mismatch`, `publishing.signature_missing`; VerificationError; SignatureError
 */
export function verifyPublication(
  fetched: FetchedPublication,
  signer: PublicationSigner,
  trust: TrustMaterial | undefined,
  { requiresProof = false }: { readonly requiresProof?: boolean } = {},
): VerifiedPublication {
  const { document: artifact, bundle, signature, digest, version } = fetched;
  const name = `${fetched.artifact}@${version}`;
  assertOneSignature(fetched);
  if ('publicKey' in signer && !requiresProof && (bundle === undefined || trust === undefined)) {
    assertSignedByKey(artifact, signature, signer.publicKey);
    const checks = [{ check: 'signature', detail: `by the key, over ${digest}; no log entry was looked at` }];
    return { checks };
  }
  if (bundle === undefined || trust === undefined) throw missing(name);
  const common = { bundle, artifact, trust, requiresProof };
  signatureOfBundle(bundle);
  if ('publicKey' in signer) {
    const { checks, log_entry } = verifyBundleWithKey({ ...common, publicKey: signer.publicKey });
    return { log_entry, checks };
  }
  const { signature: verified, checks } = verifyBundle({ ...common, policy: signer.policy, purpose: 'document' });
  const { certificate_identity, log_entry } = verified;
  return { certificate_identity, log_entry, checks };
}

/**
 * The two published forms are one signature. verifyPublication asks this itself.
 * @throws PublishingError `publishing.digest_mismatch`
 */
export function assertOneSignature({ artifact, version, signature, bundle }: FetchedPublication): void {
  if (signature === undefined || bundle === undefined) return;
  const expected = Buffer.from(signatureOfBundle(bundle).signature).toString();
  const found = Buffer.from(signature).toString().trim();
  if (found === expected) return;
  throw new PublishingError('publishing.digest_mismatch', `the .sig of ${artifact}@${version} is not its bundle's`, {
    expected,
    found: found.slice(0, MOST_SHOWN),
  });
}

function assertSignedByKey(document: Uint8Array, signature: Uint8Array | undefined, publicKey: string): void {
  if (signature === undefined) throw missing('the document');
  assertKind(document, 'file');
  const key = createPublicKey(publicKey);
  const isEd25519 = key.asymmetricKeyType === 'ed25519';
  // `base64` and OpenSSL break lines, cosign does not.
  const bytes = decodeBase64(Buffer.from(signature).toString('latin1').replace(/\s/g, ''));
  if (bytes !== undefined && verify(isEd25519 ? null : 'sha256', document, key, bytes)) return;
  // What is logged is Ed25519ph; OpenSSL writes Ed25519.
  const sha512 = { algorithm: 'sha512', hex: createHash('sha512').update(document).digest('hex') } as const;
  if (bytes !== undefined && isEd25519 && verifyDigestSignature(key, sha512, bytes)) return;
  throw new PublishingError('publishing.digest_mismatch', 'the signature is not by this key over this document');
}

function missing(name: string): PublishingError {
  return new PublishingError(
    'publishing.signature_missing',
    `${name} is published without a signature that can be verified`,
    {
      expected: 'a bundle (.sigstore.json), or a .sig and the public key',
    },
  );
}
