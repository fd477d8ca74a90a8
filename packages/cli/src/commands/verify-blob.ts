import { existsSync } from 'node:fs';
import { parseDigest, parseSha256 } from '@colophon/notation';
import { assertSignature } from '@colophon/signatures';
import { type HashedArtifact, hashFile, verifyBundle, verifyBundleWithKey } from '@colophon/sigstore';
import type { Command } from 'commander';
import { attestationBeside, bundleBeside } from '../bundle-file/bundle-file.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { assertReadableFile, readInput } from '../input/input.ts';
import { predicateTypes, shortTypes, TYPE_HELP } from '../predicate/predicate.ts';
import { example } from '../program/example.ts';
import { lacking, type Need, withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import {
  identityNeeds,
  identityPolicyUnlessKey,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import type { VerifiedResult } from './verified-result.ts';
import { tellVerified, verifiedRecord, withDetails } from './verifying.ts';

type VerifyBlobFlags = VerificationFlags & {
  readonly bundle?: string;
  readonly key?: string;
  readonly type?: string;
  readonly digest?: string;
  readonly details?: boolean;
  readonly output: OutputFormat;
};

/** Beside a digest lies no bundle. */
const BUNDLE_OF_DIGEST: Need = {
  what: 'the bundle of the digest',
  oneOf: ['--bundle'],
  when: ({ args: [file] }) => file !== undefined && digestInPlace(file) !== undefined,
};

/** `colophon verify-blob`: the bundle of a signature held against a file, an identity, a root. */
export function defineVerifyBlob(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon verify-blob change.patch \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(withDetails(withVerification(command)), BUNDLE_OF_DIGEST, ...identityNeeds('--key'))
    .option('--bundle <file>', 'bundle of the signature (default: FILE.sigstore.json)')
    .option('--key <file>', 'public key, for a bundle that was signed with a key')
    .addOption(outputOption())
    .action(async (file: string, flags: VerifyBlobFlags, command: Command) => {
      const record = await verify(file, undefined, flags, command, session);
      printResult(session.terminal, flags.output, record, (verified) =>
        tellVerified(verified, flags, session.terminal),
      );
    });
}

/** `colophon verify-blob-attestation`: the bundle of a statement held against a file, an identity, a root. */
export function defineVerifyBlobAttestation(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon verify-blob-attestation change.patch --type agent-run \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(
    withDetails(withVerification(command)),
    { what: 'the artifact that is attested', oneOf: ['<file>', '--digest --bundle'] },
    BUNDLE_OF_DIGEST,
    ...identityNeeds('--key'),
  )
    .option('--bundle <file>', 'bundle of the attestation (default: FILE.<last word of the type>.sigstore.json)')
    .option('--type <type>', TYPE_HELP, 'custom')
    .option('--digest <sha256>', 'SHA-256 of the artifact, instead of the file')
    .option('--key <file>', 'public key, for a bundle that was signed with a key')
    .addOption(outputOption())
    .action(async (file: string | undefined, flags: VerifyBlobFlags, command: Command) => {
      const { predicateBase } = ownNamespace(session.env, dataFlag(command));
      const types = predicateTypes(flags.type ?? 'custom', predicateBase);
      const record = await verify(file, types, flags, command, session);
      printResult(session.terminal, flags.output, record, (verified) =>
        tellVerified(verified, flags, session.terminal),
      );
    });
}

async function verify(
  file: string | undefined,
  predicateType: readonly string[] | undefined,
  flags: VerifyBlobFlags,
  command: Command,
  session: Session,
): Promise<VerifiedResult> {
  const artifact = await readArtifact(file, flags.digest);
  const name = file ?? `sha256:${artifact.sha256}`;
  // What the caller wants pinned is checked before anything is read.
  const policy = identityPolicyUnlessKey(flags, command);
  const { trust, file: trustFile } = await trustMaterial(flags, command, session);
  const bundleFile = flags.bundle ?? bundleOf(file, predicateType, command, trust.namespace.predicateBase);
  const bundle = await readInput(bundleFile);
  const { predicateBase } = trust.namespace;
  const common = { bundle, artifact, trust, predicateType };
  return withFacts({ checked: `${bundleFile} for ${name}`, trust: trustFile }, async () => {
    if (policy === undefined) {
      const publicKey = await readPublicKeyPem(flags.key as string);
      const { checks, log_entry, statement } = verifyBundleWithKey({ ...common, publicKey });
      if (predicateType === undefined) assertSignature(statement);
      return verifiedRecord({ artifact: name, trustFile, predicateBase, log_entry, statement, checks });
    }
    const { signature, checks } = verifyBundle({ ...common, policy });
    if (predicateType === undefined) assertSignature(signature.statement);
    return verifiedRecord({ artifact: name, trustFile, predicateBase, checks, ...signature });
  });
}

/** The bundle that was written beside a file: of several names of its type, the first one that is there. */
function bundleOf(
  file: string | undefined,
  predicateTypes: readonly string[] | undefined,
  command: Command,
  predicateBase: string,
): string {
  if (file === undefined || !existsSync(file)) {
    throw new CliError('cli.usage', 'no file, and so no bundle beside it', { expected: '--bundle FILE' });
  }
  const names =
    predicateTypes === undefined ? [bundleBeside(file)] : predicateTypes.map((type) => attestationBeside(file, type));
  const found = names.find((name) => existsSync(name));
  if (found !== undefined) return found;
  const checked = [...new Set(names)].join(', ');
  const others = predicateTypes === undefined ? [] : typesBeside(file, predicateBase);
  if (others.length === 0) {
    throw new CliError('cli.no_signature', `there is no bundle beside ${file}`, {
      checked,
      expected: '--bundle FILE, where it has another name',
    });
  }
  const expected = others.map((type) => `--type ${type}`).join(' or ');
  const error = new CliError('cli.no_signature', `beside ${file} is no attestation of this type`, {
    checked,
    expected,
  });
  // In the line to type a type would stand twice.
  throw command.getOptionValueSource('type') === 'cli'
    ? error
    : lacking(error, [{ what: 'the type of the attestation beside the file', oneOf: [`--type=${others[0]}`] }]);
}

/** The types, by their short names, of which an attestation lies beside a file. */
function typesBeside(file: string, predicateBase: string): readonly string[] {
  return shortTypes().filter((name) =>
    predicateTypes(name, predicateBase).some((type) => existsSync(attestationBeside(file, type))),
  );
}

/** What was meant as a digest in the place of a file, which cosign takes too: an algorithm and a colon, or many hex digits. */
const ALMOST_DIGEST = /^(?:sha\d+:.*|[0-9a-f]{32,})$/i;

/** The digest, 64 hex digits, that stands where a file is named. */
function digestInPlace(file: string): string | undefined {
  const digest = parseDigest(file.toLowerCase());
  return digest?.algorithm === 'sha256' && !existsSync(file) ? digest.hex : undefined;
}

async function readArtifact(file: string | undefined, digest: string | undefined): Promise<HashedArtifact> {
  if (file !== undefined && digest === undefined) {
    const inPlace = digestInPlace(file);
    if (inPlace !== undefined) return { sha256: inPlace };
    const expected = ALMOST_DIGEST.test(file) ? { expected: 'a file, or sha256: and 64 hex digits' } : {};
    await withFacts(expected, async () => assertReadableFile(file));
    return hashFile(file);
  }
  const given = parseSha256(digest ?? '');
  if (file === undefined && given !== undefined) return { sha256: given.slice('sha256:'.length) };
  throw new CliError('cli.usage', 'nothing to hold the bundle against', {
    expected: 'a file, or --digest with 64 hex digits',
  });
}
