import type { Statement } from '@colophon/records';
import { readBundleClaim } from '../bundle/bundle-signer.ts';
import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import { hasSubject } from '../verify/statement.ts';
import { verifyBundle } from '../verify/verify-bundle.ts';
import { attachBundle } from './attach.ts';
import { ImageSignatureError } from './image-signature-error.ts';

/** A bundle that holds a statement which may be attached to an image. */
export type StatementBundle = { readonly bundle: Uint8Array; readonly predicateType: string };

/**
 * Reads a bundle that was signed elsewhere, e.g. before the image was built, and may be attached to it: it verifies, and its
 * statement names the image, or nothing but commits and the like. Whose it is does not matter: who reads it decides.
 * @throws VerificationError as verifyBundle
 * @throws ImageSignatureError `image.not_an_attestation`, `image.statement_about_other`
 */
export function readStatementFor(image: ResolvedImage, bundle: Uint8Array, trust: TrustMaterial): StatementBundle {
  if (readBundleClaim(bundle).signs !== 'statement') {
    throw new ImageSignatureError(
      'image.not_an_attestation',
      'the bundle signs a file, and states nothing of an image',
    );
  }
  const statement = verifyBundle({ bundle, trust, policy: 'gated-elsewhere' }).signature.statement as Statement;
  const sha256 = image.digest.slice('sha256:'.length);
  if (namesArtifact(statement) && !hasSubject(statement, 'sha256', sha256)) {
    throw new ImageSignatureError(
      'image.statement_about_other',
      'the statement is about something else than the image',
    );
  }
  return { bundle, predicateType: statement.predicateType };
}

function namesArtifact({ subject }: Statement): boolean {
  return subject.some(({ digest }) => Object.keys(digest).some((name) => !name.startsWith('git')));
}

/** Attaches statements to an image, each as a bundle. @throws RegistryError */
export async function addStatements(
  statements: readonly StatementBundle[],
  { client, image, now }: { readonly client: RegistryClient; readonly image: ResolvedImage; readonly now: Date },
): Promise<void> {
  for (const { bundle, predicateType } of statements) await attachBundle(client, image, { bundle, predicateType, now });
}
