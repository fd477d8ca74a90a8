import { createKeyRule, createPinnedRule, type IdentityRule } from '@colophon/admission';
import { findNoOfSigner } from '@colophon/gate';
import {
  type CollectedSignatures,
  decideIdentity,
  type IdentityPolicy,
  type RegistryClient,
  type TrustMaterial,
} from '@colophon/sigstore';
import { CliError } from '../cli-error/cli-error.ts';
import type { VerificationFlags } from './verification-flags.ts';

/** Whose signatures were verified: by what the certificate must say, or by a key. */
export type Verified = { readonly policy: IdentityPolicy } | { readonly publicKey: string };

/**
 * Refuses an image about which the verified signer says no beside the yes that was asked for: in another spelling of the
 * name, or by a statement of another type.
 * @throws CliError `cli.not_affirmative`
 */
export async function assertNoNoOfSigner(
  flags: VerificationFlags,
  verified: Verified,
  collected: CollectedSignatures,
  found: { readonly client: RegistryClient; readonly trust: TrustMaterial },
): Promise<void> {
  const issues = await findNoOfSigner(ruleOf(flags, verified), collected, found);
  const [first] = issues;
  if (first === undefined) return;
  throw new CliError('cli.not_affirmative', 'the signature verifies, and its signer says no beside it', {
    expected: 'no word of the same signer against it',
    found: first.found ?? first.code,
    issues,
  });
}

function ruleOf(flags: VerificationFlags, verified: Verified): IdentityRule {
  // A key that verified something can be read.
  if ('publicKey' in verified) return createKeyRule(verified.publicKey) as IdentityRule;
  const pinned = {
    issuer: flags.certificateOidcIssuer,
    issuerRegExp: flags.certificateOidcIssuerRegexp,
    subject: flags.certificateIdentity,
    subjectRegExp: flags.certificateIdentityRegexp,
    repository: flags.certificateGithubWorkflowRepository,
    trigger: flags.certificateGithubWorkflowTrigger,
  };
  return createPinnedRule(pinned, (identity) => decideIdentity(verified.policy, identity).length === 0);
}
