import { describeKey } from '@colophon/openpgp';
import { type DocumentVerifier, isBundle, verifyArmoredDocument, verifySignedDocument } from '@colophon/signers';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { underHeading } from '../program/help-layout.ts';
import { lacking, type Need } from '../program/needs.ts';
import type { Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import { trustMaterial } from '../trust/trust.ts';
import {
  IDENTITY_FLAGS,
  identityNeeds,
  identityPolicyUnlessKey,
  publicKeyFlag,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import type { CheckedDocument } from './checked-document-result.ts';

/** The flags that say whose signature over a document counts. */
export type DocumentVerificationFlags = VerificationFlags & {
  /** File of the public key: {@link withDocumentVerification}'s, or `--public-key` of a command that signs too. */
  readonly key?: string;
  readonly openpgpKey?: readonly string[];
};

/** A keyring of thousands. */
const MOST_KEY_BYTES = 4 * 1024 * 1024;

/** Adds the flags that say whose signature counts: a certificate's identity, a bare key, OpenPGP keys. */
export function withDocumentVerification(command: Command): Command {
  return underHeading('verified', withVerification(command), (verifying) =>
    verifying
      .option('--key <file>', 'public key, for a signature that was made with a key')
      .option('--openpgp-key <file>', 'OpenPGP public key or keyring whose signatures count; repeatable', everyValue),
  );
}

/** What a command needs that verifies the signatures of a document, or what `others` names. */
export function documentNeeds(...others: readonly string[]): readonly Need[] {
  return identityNeeds('--key', '--openpgp-key', ...others);
}

/** Whether the flags say whose signature in a bundle counts. */
export function namesCertificate(flags: DocumentVerificationFlags): boolean {
  const isPinned = IDENTITY_FLAGS.some((name) => flags[name] !== undefined);
  return isPinned || flags.key !== undefined || flags.identityGatedElsewhere === true;
}

/**
 * What verifies signatures over documents, as the flags say. Throws before anything is verified where they say nothing,
 * or what they name cannot be read; the verifier throws where a signature does not hold.
 * @throws CliError `cli.usage`, `cli.no_trusted_root`, `cli.file_unreadable`
 * @throws VerificationError, OpenPgpError from the verifier
 */
export async function documentVerifier(
  flags: DocumentVerificationFlags,
  command: Command,
  session: Session,
): Promise<DocumentVerifier<CheckedDocument>> {
  if (!namesCertificate(flags) && flags.openpgpKey === undefined) throw lacking(namesNobody(command));
  const ofBundle = namesCertificate(flags) ? await bundleVerifier(flags, command, session) : undefined;
  const ofArmor = flags.openpgpKey === undefined ? undefined : await openPgpVerifier(flags.openpgpKey);
  return async (document, signature) => {
    const verifier = isBundle(signature) ? ofBundle : ofArmor;
    if (verifier === undefined) throw namesNobody(command, isBundle(signature) ? 'a bundle' : 'an OpenPGP signature');
    return verifier(document, signature);
  };
}

function namesNobody(command: Command, found?: string): CliError {
  const key = publicKeyFlag(command);
  const openPgpKey = `--openpgp-${key.slice('--'.length)}`;
  return new CliError('cli.usage', 'no flag says whose signature counts', {
    expected: `--certificate-identity NAME and --certificate-oidc-issuer URL, ${key} FILE, or ${openPgpKey} FILE`,
    ...(found === undefined ? {} : { found }),
  });
}

async function bundleVerifier(
  flags: DocumentVerificationFlags,
  command: Command,
  session: Session,
): Promise<DocumentVerifier<CheckedDocument>> {
  const { key: keyFile } = flags;
  const policy = identityPolicyUnlessKey(flags, command);
  const { trust, file: trustedRoot, history } = await trustMaterial(flags, command, session);
  const publicKey = keyFile === undefined ? undefined : await readPublicKeyPem(keyFile);
  const signer = policy === undefined ? { publicKey: publicKey as string, keyName: keyFile as string } : { policy };
  return (artifact, bundle) =>
    withFacts({ trust: trustedRoot }, async () => {
      const { checks, ...verified } = verifySignedDocument({ artifact, bundle }, signer, trust);
      await history.settle();
      return { ...verified, trusted_root: trustedRoot, checks };
    });
}

async function openPgpVerifier(files: readonly string[]): Promise<DocumentVerifier> {
  const publicKeys: Uint8Array[] = [];
  for (const file of files) {
    const key = await readBounded(file, MOST_KEY_BYTES);
    // Here, so that a fault of this file is not told of the signature.
    await withFacts({ checked: file }, () => describeKey(key, new Date()));
    publicKeys.push(key);
  }
  return (document, signature) => verifyArmoredDocument(document, signature, publicKeys);
}
