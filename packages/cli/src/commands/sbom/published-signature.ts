import { createPublicKey, verify } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import type { FetchedPublication, PublishedSignature } from '@colophon/feeds';
import { PublishingError } from '@colophon/sbom';
import { assertKind, parseBundle, type TrustMaterial, verifyBundle, verifyBundleWithKey } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import type { Session } from '../../program/program.ts';
import { readPublicKeyPem } from '../../public-key/public-key.ts';
import { oneLine } from '../../terminal/terminal.ts';
import {
  identityPolicyUnlessKey,
  trustMaterial,
  type VerificationFlags,
} from '../../verification-flags/verification-flags.ts';
import { type VerifiedRecord, verifiedRecord } from '../verifying.ts';

export type PublishedFlags = VerificationFlags & { readonly key?: string };

/** Both published forms of the signature in a bundle. @throws VerificationError where the bundle is none; CliError */
export function signatureOfBundle(bundle: Uint8Array): PublishedSignature {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'messageSignature') {
    throw new CliError('cli.not_a_signature', 'the bundle holds an attestation, and no signature', {
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
    const { subject, issuer } = verifyBundle({ bundle, artifact: document, trust, policy: 'gated-elsewhere' }).signature
      .identity;
    const isSame = subject === signedBy?.subject && issuer === signedBy.issuer;
    return isSame ? { bundle, signature, signedBy } : undefined;
  } catch {
    return undefined;
  }
}

/** What the caller pins, read before anything is fetched; answers with what verifies a publication against it. */
export async function publicationVerifier(flags: PublishedFlags, command: Command, session: Session) {
  const policy = identityPolicyUnlessKey(flags);
  const publicKey = flags.key === undefined ? undefined : await readPublicKeyPem(flags.key);
  // A bare signature by a key needs no roots.
  const roots =
    policy === undefined
      ? await trustMaterial(flags, command, session).catch(nothing)
      : await trustMaterial(flags, command, session);

  return async (fetched: FetchedPublication): Promise<VerifiedRecord> => {
    const { document: artifact, bundle, signature, digest, version } = fetched;
    const name = `${fetched.artifact}@${version}`;
    assertOneSignature(fetched);
    return withFacts({ checked: name, ...(roots && { trust: roots.file }) }, async () => {
      if (publicKey !== undefined && (bundle === undefined || roots === undefined)) {
        assertSignedByKey(artifact, signature, publicKey);
        const checks = [{ check: 'signature', detail: `by the key, over ${digest}; no log entry was looked at` }];
        return { ok: true, artifact: name, trusted_root: flags.key as string, log: {}, basis: {}, checks };
      }
      if (bundle === undefined || roots === undefined) throw missing(name);
      const common = { bundle, artifact, trust: roots.trust };
      signatureOfBundle(bundle);
      if (publicKey !== undefined) {
        const { checks, log } = verifyBundleWithKey({ ...common, publicKey });
        return verifiedRecord({ artifact: name, trustFile: roots.file, log, checks });
      }
      const { signature: verified, checks } = verifyBundle({ ...common, policy: policy as never });
      return verifiedRecord({ artifact: name, trustFile: roots.file, checks, ...verified });
    });
  };
}

/** The two published forms are one signature. @throws PublishingError `publishing.digest_mismatch` */
function assertOneSignature({ artifact, version, signature, bundle }: FetchedPublication): void {
  if (signature === undefined || bundle === undefined) return;
  const expected = Buffer.from(signatureOfBundle(bundle).signature).toString();
  const found = Buffer.from(signature).toString().trim();
  if (found === expected) return;
  throw new PublishingError('publishing.digest_mismatch', `the .sig of ${artifact}@${version} is not its bundle's`, {
    expected,
    found: oneLine(found.slice(0, 200)),
  });
}

function assertSignedByKey(document: Uint8Array, signature: Uint8Array | undefined, publicKey: string): void {
  if (signature === undefined) throw missing('the document');
  assertKind(document, 'file');
  const key = createPublicKey(publicKey);
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  // `base64` and OpenSSL break lines, cosign does not.
  const bytes = decodeBase64(Buffer.from(signature).toString('latin1').replace(/\s/g, ''));
  if (bytes !== undefined && verify(algorithm, document, key, bytes)) return;
  throw new PublishingError('publishing.digest_mismatch', 'the signature is not by this key over this document');
}

function missing(name: string): PublishingError {
  return new PublishingError(
    'publishing.signature_missing',
    `${name} is published without a signature that can be verified`,
    {
      expected: 'a bundle (.sigstore.json), or a .sig and --key',
    },
  );
}

/** No roots are known: a key does without them. */
function nothing(error: unknown): undefined {
  if (error instanceof CliError && error.code === 'cli.no_trusted_root') return undefined;
  throw error;
}
