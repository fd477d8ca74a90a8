import { type ArtifactToSign, signBlob } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { artifactSigner, type Signer } from '../commands/sign-blob.ts';
import { loggingOptions } from '../commands/signing.ts';
import { underHeading } from '../program/help-layout.ts';
import { lacking, type Need } from '../program/needs.ts';
import type { Session } from '../program/program.ts';
import { hasContext } from '../run-context/run-context.ts';
import { parseReviewer, reviewerTokens } from '../signing-flags/reviewer-token.ts';
import { SIGNER_WAYS, type SigningFlags, withSigning } from '../signing-flags/signing-flags.ts';

/** The flags of a command that signs a document: as a person, with a key, or as an agent. */
export type DocumentSigningFlags = SigningFlags & { readonly reviewer?: string; readonly key?: string };

/** What a command needs that signs a document, or what `others` names. */
export function documentSignerNeed(...others: readonly string[]): Need {
  return { what: 'who signs', oneOf: ['--reviewer', '--key', ...SIGNER_WAYS, ...others], toldLater: true };
}

/** Adds `--reviewer`, `--key` and everything that a signature by an agent takes. */
export function withDocumentSigning(command: Command): Command {
  return underHeading('signer', withSigning(command, 'sign with this identity token, or a file with one'), (signed) =>
    signed
      .option('--reviewer <email>', 'sign as this person; the certificate will name the address', parseReviewer)
      .option('--key <file>', 'sign with this private key instead of a certificate (password: $COSIGN_PASSWORD)'),
  );
}

/** Whether the flags name anybody to sign as; a token in the environment does not count as a wish to. */
export function namesSigner(flags: DocumentSigningFlags): boolean {
  return (
    flags.reviewer !== undefined || flags.key !== undefined || flags.identityToken !== undefined || hasContext(flags)
  );
}

/** What the environment has that names a signer, and would sign a document that nobody meant to sign. */
export function unnamedSigner({ env }: Session): { readonly found?: string } {
  const set = ['SIGSTORE_ID_TOKEN', 'COLOPHON_CONTEXT'].filter((name) => env[name]).map((name) => `$${name}`);
  return set.length === 0 ? {} : { found: `${set.join(' and ')}, which signs no document unless a flag gives it` };
}

/**
 * A document is signed by whom the flags name, or said to be unsigned.
 * @param what is signed, for the error
 * @throws CliError `cli.no_signer` where the flags name nobody and do not say `--unsigned`, or do both
 */
export function assertSignerOrUnsigned(
  flags: DocumentSigningFlags & { readonly unsigned?: boolean },
  what: string,
  session: Session,
): void {
  if (namesSigner(flags) !== (flags.unsigned === true)) return;
  const expected =
    '--reviewer EMAIL, --key FILE, or an agent by --identity-token or its context; --unsigned to do without';
  if (!flags.unsigned) {
    const facts = { expected, ...unnamedSigner(session) };
    throw lacking(new CliError('cli.no_signer', `nothing says who signs ${what}`, facts));
  }
  throw new CliError('cli.no_signer', '--unsigned conflicts with the flags of a signer', {
    expected,
    found: '--unsigned and a signer',
  });
}

/**
 * What signs documents with the person, the key or the identity that the flags name; each document gets a token and a
 * certificate of its own. Throws before anything is asked of anybody.
 * @throws CliError `cli.usage`, `cli.no_reviewer_secret`, `cli.no_signing_services`, …
 */
export async function documentSigner(
  flags: DocumentSigningFlags,
  command: Command,
  session: Session,
): Promise<Signer<ArtifactToSign>> {
  if (flags.reviewer === undefined) return artifactSigner(flags, command, session);
  if (flags.key !== undefined || flags.identityToken !== undefined || hasContext(flags)) {
    throw new CliError('cli.usage', 'a document is signed by one', {
      expected: '--reviewer, --key, or a token or context',
      found: '--reviewer and another',
    });
  }
  const options = {
    ...(await loggingOptions(flags, command, session)),
    identityToken: reviewerTokens(
      { reviewer: flags.reviewer, issuer: flags.issuer ?? flags.oidcIssuer },
      command,
      session,
    ),
  };
  return (artifact, checkSigner) => signBlob({ ...options, artifact, checkSigner });
}
