import { describeKey, verifyDetached } from '@colophon/openpgp';
import type { CertificateIdentity } from '@colophon/records';
import { type Check, verifyBundle, verifyBundleWithKey } from '@colophon/sigstore';
import { signerNames } from '@colophon/triage';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { underHeading } from '../program/help-layout.ts';
import type { Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import {
  identityPolicyUnlessKey,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';

/** The flags that say whose signature over a document counts. */
export type DocumentVerificationFlags = VerificationFlags & {
  readonly certificateKey?: string;
  readonly openpgpKey?: readonly string[];
};

/** One signature over a document that verified. */
export type VerifiedDocument = {
  readonly kind: 'sigstore' | 'openpgp';
  /** The certificate's subject, the user id of an OpenPGP key, or the file of a bare key. */
  readonly signer: string;
  /**
   * Every name under which a policy may know those who signed: a certificate's subject, alone and with its issuer, or a
   * fingerprint. The user id of an OpenPGP key is none, since whoever makes a key writes what they like into it; neither
   * is the name of a key's file.
   */
  readonly names: readonly string[];
  /** Somebody who answers for a decision signed: no agent, no machine, no key that names nobody. */
  readonly isPerson: boolean;
  /** RFC 3339 in UTC: what the log or the signer says. */
  readonly signedAt?: string;
  readonly identity?: CertificateIdentity;
  /** Of the OpenPGP key. */
  readonly fingerprint?: string;
  readonly trustedRoot?: string;
  readonly checks: readonly Check[];
};

/** Verifies one signature, a bundle or an OpenPGP signature, over the very bytes of a document. */
export type DocumentVerifier = (document: Uint8Array, signature: Uint8Array) => Promise<VerifiedDocument>;

/** The check of a signature in a file of several that does not hold, or is by nobody who was named. */
export const NOT_COUNTED = 'not counted';

/** A keyring of thousands. */
const MOST_KEY_BYTES = 4 * 1024 * 1024;

/** Adds the flags that say whose signature counts: a certificate's identity, a bare key, OpenPGP keys. */
export function withDocumentVerification(command: Command): Command {
  return underHeading('verified', withVerification(command), (verifying) =>
    verifying
      .option('--certificate-key <file>', 'public key, for a bundle that was signed with a key')
      .option('--openpgp-key <file>', 'OpenPGP public key or keyring whose signatures count; repeatable', everyValue),
  );
}

/** Whether the flags say whose signature in a bundle counts. */
export function namesCertificate(flags: DocumentVerificationFlags): boolean {
  const { certificateIdentity, certificateIdentityRegexp, certificateOidcIssuer, certificateOidcIssuerRegexp } = flags;
  return [
    certificateIdentity,
    certificateIdentityRegexp,
    certificateOidcIssuer,
    certificateOidcIssuerRegexp,
    flags.certificateKey,
    flags.identityGatedElsewhere || undefined,
  ].some((flag) => flag !== undefined);
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
): Promise<DocumentVerifier> {
  if (!namesCertificate(flags) && flags.openpgpKey === undefined) throw namesNobody();
  const ofBundle = namesCertificate(flags) ? await bundleVerifier(flags, command, session) : undefined;
  const ofArmor = flags.openpgpKey === undefined ? undefined : await openPgpVerifier(flags.openpgpKey);
  return async (document, signature) => {
    const verifier = isBundle(signature) ? ofBundle : ofArmor;
    if (verifier === undefined) throw namesNobody(isBundle(signature) ? 'a bundle' : 'an OpenPGP signature');
    return verifier(document, signature);
  };
}

/** A bundle is JSON; neither an armored nor a binary OpenPGP signature begins as it does. */
function isBundle(signature: Uint8Array): boolean {
  const first = signature.find((byte) => byte > 0x20);
  return first === '{'.charCodeAt(0);
}

function namesNobody(found?: string): CliError {
  return new CliError('cli.usage', 'nothing says whose signature counts', {
    expected:
      '--certificate-identity NAME and --certificate-oidc-issuer URL, --certificate-key FILE, or --openpgp-key FILE',
    ...(found === undefined ? {} : { found }),
  });
}

async function bundleVerifier(
  flags: DocumentVerificationFlags,
  command: Command,
  session: Session,
): Promise<DocumentVerifier> {
  const { certificateKey } = flags;
  const policy = identityPolicyUnlessKey({ ...flags, ...(certificateKey && { key: certificateKey }) });
  const { trust, file: trustedRoot } = await trustMaterial(flags, command, session);
  const publicKey = certificateKey === undefined ? undefined : await readPublicKeyPem(certificateKey);
  return (artifact, bundle) =>
    withFacts({ trust: trustedRoot }, async () => {
      if (policy === undefined) {
        const { checks, log, statement } = verifyBundleWithKey({
          artifact,
          bundle,
          trust,
          publicKey: publicKey as string,
        });
        assertSignature(statement);
        const signer = certificateKey as string;
        return { kind: 'sigstore', signer, names: [], isPerson: false, ...timeOf(log), trustedRoot, checks };
      }
      const { signature, checks } = verifyBundle({ artifact, bundle, trust, policy });
      const { identity, log, statement } = signature;
      assertSignature(statement);
      const signer = identity.subject;
      const about = { signer, names: signerNames(identity), isPerson: isPerson(signer), ...timeOf(log) };
      return { kind: 'sigstore', ...about, identity, trustedRoot, checks };
    });
}

function timeOf({ integratedAt }: { readonly integratedAt?: string }) {
  return integratedAt === undefined ? {} : { signedAt: integratedAt };
}

/** Who attests something about a file has not signed the file. */
function assertSignature(statement: { readonly predicateType: string } | undefined): void {
  if (statement === undefined) return;
  throw new CliError('cli.not_a_signature', 'the bundle holds an attestation, and no signature', {
    expected: 'a signature over the file',
    found: statement.predicateType,
    next: 'colophon verify-blob-attestation',
  });
}

/** Our issuer certifies people as `reviewer:<e-mail>`; others certify the bare address, and some a machine's like it. */
export function isPerson(subject: string): boolean {
  return /^(?:reviewer:)?[^\s:/@]+@[^\s:/@]+$/.test(subject) && !subject.endsWith('.gserviceaccount.com');
}

async function openPgpVerifier(files: readonly string[]): Promise<DocumentVerifier> {
  const publicKeys: Uint8Array[] = [];
  for (const file of files) {
    const key = await readBounded(file, MOST_KEY_BYTES);
    // Here, so that a fault of this file is not told of the signature.
    await withFacts({ checked: file }, () => describeKey(key, new Date()));
    publicKeys.push(key);
  }
  return async (document, signature) => {
    const verified = await verifyDetached(document, signature, { publicKeys, at: new Date() });
    const { fingerprint, userIds, signedAt, hash } = verified;
    const signer = userIds[0] ?? fingerprint;
    return {
      kind: 'openpgp',
      signer,
      names: [...new Set(verified.signatures.map((one) => one.fingerprint.toLowerCase()))],
      // Whoever gave the key says that it is somebody's; its owner put an address to it.
      isPerson: /@/.test(signer),
      signedAt,
      fingerprint,
      checks: [
        { check: 'signature', detail: `detached, over the document's bytes, ${hash}` },
        { check: 'key', detail: `${fingerprint} is one of those given, neither expired nor revoked` },
        ...verified.signatures.slice(1).map((more) => ({
          check: 'signature',
          detail: `also by ${more.userIds[0] ?? more.fingerprint} (${more.fingerprint})`,
        })),
        ...verified.rejected.map(({ keyId, message }) => ({ check: NOT_COUNTED, detail: `${keyId}: ${message}` })),
      ],
    };
  };
}
