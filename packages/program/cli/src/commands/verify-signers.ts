import { decideRequiredSigners } from '@colophon/admission';
import { requireSigners } from '@colophon/gate';
import { type VerifiedSignature, withoutSigner } from '@colophon/records';
import { assertSignature } from '@colophon/signers';
import { type Check, SIGN_PREDICATE_TYPE, signedDigestIn, verifyBundle } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import type { HistoryFlags } from '../history/seen-history.ts';
import { resolveImage } from '../image/image.ts';
import { readInput } from '../input/input.ts';
import type { Session } from '../program/program.ts';
import { trustMaterial } from '../trust/trust.ts';
import type { RequireFlags } from '../verification-flags/require-flag.ts';
import { readRequireRules, signaturesMeeting } from '../verification-flags/require-rules.ts';
import type { VerificationFlags } from '../verification-flags/verification-flags.ts';
import { artifactReader, bundleOf } from './signed-blob.ts';
import type { VerifiedBlobResult, VerifiedImageResult, VerifiedResult } from './verified-result.ts';
import { verifiedRecord } from './verifying.ts';

type SignerFlags = VerificationFlags & HistoryFlags & RequireFlags;

/** Verifies each bundle on its own, and then holds all signatures against the rules: each needs another signer. */
export async function verifyBlobSigners(
  file: string,
  flags: SignerFlags & { readonly bundles: readonly string[] | undefined },
  command: Command,
  session: Session,
): Promise<VerifiedBlobResult> {
  const rules = await readRequireRules(flags);
  const readArtifact = artifactReader(file, undefined);
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  const { predicateBase } = trust.namespace;
  const bundles = flags.bundles ?? [bundleOf(file, undefined, command, predicateBase)];
  const verified: Array<VerifiedSignature & { readonly checks: readonly Check[] }> = [];
  for (const bundleFile of bundles) {
    const bundle = await readInput(bundleFile);
    const artifact = await readArtifact(signedDigestIn(bundle));
    const facts = { checked: `${bundleFile} for ${file}`, trust: trustFile };
    await withFacts(facts, async () => {
      const { signature, checks } = verifyBundle({ bundle, artifact, trust, policy: 'gated-elsewhere' });
      // Of an image it is the signature. Who signed the image of that digest has signed no file.
      if (signature.statement?.predicateType === SIGN_PREDICATE_TYPE) assertSignature(signature.statement);
      verified.push({ ...signature, checks });
    });
  }
  await history.settle(flags);
  const { sha256 } = await readArtifact('sha256');
  const image = { digest: `sha256:${sha256}`, kind: 'file' as const };
  const signers = decideRequiredSigners(rules, { image, signatures: verified, rejected: [] });
  const [first, ...further] = await withFacts({ checked: file, trust: trustFile }, async () =>
    signaturesMeeting(signers, verified).map(({ rule, signature }) => ({
      ...verifiedRecord({ artifact: file, trustFile, predicateBase, ...signature }),
      rule,
    })),
  );
  return { ...(first as VerifiedResult), further_signatures: further };
}

/** Holds all signatures of an image against the rules: each needs another signer. */
export async function verifyImageSigners(
  reference: string,
  flags: SignerFlags,
  command: Command,
  session: Session,
): Promise<VerifiedImageResult> {
  const rules = await readRequireRules(flags);
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  const { predicateBase } = trust.namespace;
  return withFacts({ checked: reference, trust: trustFile }, async () => {
    const { client, image } = await resolveImage(reference, session);
    const signers = await requireSigners(rules, { client, image, trust });
    await history.settle(flags);
    const signatures = signaturesMeeting(signers, signers.verified).map(({ rule, signature }) => ({
      ...verifiedRecord({ artifact: reference, trustFile, predicateBase, ...signature }),
      rule,
    }));
    const rejected_signatures = signers.rejected.map(withoutSigner);
    return { ok: true, image: reference, digest: image.digest, signatures, rejected_signatures };
  });
}
