import type { FetchedPublication } from '@colophon/publishing';
import { assertOneSignature, verifyPublication } from '@colophon/publishing/published-signature';
import type { IdentityPolicy } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import type { Session } from '../../program/program.ts';
import { readPublicKeyPem } from '../../public-key/public-key.ts';
import { trustMaterial } from '../../trust/trust.ts';
import type { InclusionProofFlags } from '../../verification-flags/inclusion-proof.ts';
import { identityPolicyUnlessKey, type VerificationFlags } from '../../verification-flags/verification-flags.ts';
import type { VerifiedResult } from '../verified-result.ts';
import { verifiedRecord } from '../verifying.ts';

export type PublishedFlags = VerificationFlags & InclusionProofFlags & { readonly key?: string };

/** What the caller pins, read before anything is fetched; answers with what verifies a publication against it. */
export async function publicationVerifier(flags: PublishedFlags, command: Command, session: Session) {
  const policy = identityPolicyUnlessKey(flags, command);
  const publicKey = flags.key === undefined ? undefined : await readPublicKeyPem(flags.key);
  const requiresProof = flags.requireInclusionProof ?? false;
  // A bare signature by a key needs no roots.
  const roots =
    policy === undefined && !requiresProof
      ? await trustMaterial(flags, command, session).catch(nothing)
      : await trustMaterial(flags, command, session);

  return async (fetched: FetchedPublication): Promise<VerifiedResult> => {
    assertOneSignature(fetched);
    const name = `${fetched.artifact}@${fetched.version}`;
    const signer = publicKey === undefined ? { policy: policy as IdentityPolicy } : { publicKey };
    return withFacts({ checked: name, ...(roots && { trust: roots.file }) }, async () => {
      const { log_entry, ...verified } = verifyPublication(fetched, signer, roots?.trust, { requiresProof });
      await roots?.history.settle();
      if (log_entry === undefined || roots === undefined) {
        return {
          ok: true,
          artifact: name,
          trusted_root: flags.key as string,
          basis: {},
          checks: verified.checks,
        };
      }
      const about = { artifact: name, trustFile: roots.file, predicateBase: roots.trust.namespace.predicateBase };
      return verifiedRecord({ ...about, ...verified, log_entry });
    });
  };
}

/** No roots are known: a key does without them. */
function nothing(error: unknown): undefined {
  if (error instanceof CliError && error.code === 'cli.no_trusted_root') return undefined;
  throw error;
}
