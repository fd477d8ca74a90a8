import { existsSync } from 'node:fs';
import { decideRequiredSigners, type RequireRule } from '@colophon/admission';
import type { VerifiedSignature } from '@colophon/records';
import { assertSignature } from '@colophon/signatures';
import {
  type Check,
  type HashedArtifact,
  hashFile,
  signedDigestIn,
  verifyBundle,
  verifyBundleWithKey,
} from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { digestFlag, isMeantAsDigest } from '../artifact-digest/artifact-digest.ts';
import { attestationBeside, bundleBeside } from '../bundle-file/bundle-file.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { type HistoryFlags, withHistory } from '../history/seen-history.ts';
import { ownNamespace } from '../home/namespace.ts';
import { assertReadableFile, readInput } from '../input/input.ts';
import { predicateTypes, shortTypes, TYPE_HELP } from '../predicate/predicate.ts';
import { example } from '../program/example.ts';
import { lacking, type Need, withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { everyValueBeside, refuseSeveral } from '../program/repeated-flag.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { trustMaterial } from '../trust/trust.ts';
import { type InclusionProofFlags, withInclusionProof } from '../verification-flags/inclusion-proof.ts';
import {
  type RequireFlags,
  readRequireRules,
  requiresNobody,
  signaturesMeeting,
  withRequire,
} from '../verification-flags/require-rules.ts';
import {
  identityNeeds,
  identityNeedsWhen,
  identityPolicyUnlessKey,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import type { VerifiedBlobResult, VerifiedResult } from './verified-result.ts';
import { verifiedSentence } from './verified-sentence.ts';
import { tellVerified, verifiedRecord, withDetails } from './verifying.ts';

type SignedBlobFlags = Omit<VerifyBlobFlags, 'bundle'> & RequireFlags & { readonly bundle?: readonly string[] };
type VerifyBlobFlags = VerificationFlags &
  InclusionProofFlags &
  HistoryFlags & {
    readonly bundle?: string;
    readonly key?: string;
    readonly type?: string;
    readonly digest?: string;
    readonly document?: boolean;
    readonly details?: boolean;
    readonly output: OutputFormat;
  };

/** Beside a digest lies no bundle. */
const BUNDLE_OF_DIGEST: Need = {
  what: 'the bundle of the digest',
  oneOf: ['--bundle'],
  when: ({ args: [file] }) => file !== undefined && isMeantAsDigest(file),
};

/** `colophon verify-blob`: verifies the bundle of a signature against a file, an identity and a trusted root. */
export function defineVerifyBlob(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon verify-blob change.patch \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
      'colophon verify-blob change.patch \\',
      '  --bundle change.patch.sigstore.json --bundle fixer.sigstore.json \\',
      "  --require '{ issuer: http://localhost:7080, subject: agent:code-writer }' \\",
      '  --require signers.yaml',
    ),
  );
  withNeeds(
    withDetails(withHistory(withInclusionProof(withRequire(withVerification(command))))),
    BUNDLE_OF_DIGEST,
    ...identityNeedsWhen(requiresNobody, '--key'),
  )
    .option(
      '--bundle <file>',
      'bundle of the signature (default: FILE.sigstore.json); with --require repeatable',
      everyValueBeside('--require'),
    )
    .option('--key <file>', 'public key, for a signature that was made with a key')
    .addOption(
      new Option('--document', "a document: a person's own signature counts as well (reviewer:…)").conflicts('key'),
    )
    .addOption(outputOption())
    .action(async (file: string, { bundle: bundles, ...flags }: SignedBlobFlags, command: Command) => {
      const rules = await readRequireRules(flags);
      if (rules === undefined) refuseSeveral(command, '--bundle');
      const [bundle] = bundles ?? [];
      const record =
        rules === undefined
          ? await verify(file, undefined, bundle === undefined ? flags : { ...flags, bundle }, command, session)
          : await verifySigners(file, rules, { ...flags, bundles }, command, session);
      printResult(session.terminal, flags.output, record, (verified) => tell(verified, flags, session));
    });
}

/** `colophon verify-blob-attestation`: verifies a bundled statement against a file, an identity and a trusted root. */
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
    withDetails(withHistory(withInclusionProof(withVerification(command)))),
    { what: 'the artifact that is attested', oneOf: ['<file>', '--digest --bundle'] },
    BUNDLE_OF_DIGEST,
    ...identityNeeds('--key'),
  )
    .option('--bundle <file>', 'bundle of the attestation (default: FILE.<last word of the type>.sigstore.json)')
    .option('--type <type>', TYPE_HELP, 'custom')
    .option('--digest <sha256>', 'SHA-256 of the artifact, instead of the file')
    .option('--key <file>', 'public key, for a signature that was made with a key')
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

/** One sentence about all signatures of a file, or every check of each. */
function tell(
  { further_signatures: further = [], ...first }: VerifiedBlobResult,
  flags: VerifyBlobFlags,
  session: Session,
) {
  const all = [first, ...further];
  if (!flags.details) return verifiedSentence(all, session.terminal);
  return all.map((one) => tellVerified(one, flags, session.terminal)).join('\n');
}

/** Verifies each bundle on its own, and then holds all signatures against the rules: each needs another signer. */
async function verifySigners(
  file: string,
  rules: readonly RequireRule[],
  flags: VerificationFlags & HistoryFlags & { readonly bundles: readonly string[] | undefined },
  command: Command,
  session: Session,
): Promise<VerifiedBlobResult> {
  const readArtifact = artifactReader(file, undefined);
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  const { predicateBase } = trust.namespace;
  const bundles = flags.bundles ?? [bundleOf(file, undefined, command, predicateBase)];
  const verified: Array<VerifiedSignature & { readonly checks: readonly Check[] }> = [];
  for (const bundleFile of bundles) {
    const bundle = await readInput(bundleFile);
    const artifact = await readArtifact(signedDigestIn(bundle));
    const facts = { checked: `${bundleFile} for ${file}`, trust: trustFile };
    const { signature, checks } = await withFacts(facts, async () =>
      verifyBundle({ bundle, artifact, trust, policy: 'gated-elsewhere' }),
    );
    verified.push({ ...signature, checks });
  }
  await history.settle(flags);
  const { sha256 } = await readArtifact('sha256');
  const image = { digest: `sha256:${sha256}` };
  const signers = decideRequiredSigners(rules, { image, signatures: verified, rejected: [] });
  const [first, ...further] = await withFacts({ checked: file, trust: trustFile }, async () =>
    signaturesMeeting(signers, verified).map(({ rule, signature }) => ({
      ...verifiedRecord({ artifact: file, trustFile, predicateBase, ...signature }),
      rule,
    })),
  );
  return { ...(first as VerifiedResult), further_signatures: further };
}

async function verify(
  file: string | undefined,
  predicateType: readonly string[] | undefined,
  flags: VerifyBlobFlags,
  command: Command,
  session: Session,
): Promise<VerifiedResult> {
  const readArtifact = artifactReader(file, flags.digest);
  // What the caller wants pinned is checked before anything is read.
  const policy = identityPolicyUnlessKey(flags, command);
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  const bundleFile = flags.bundle ?? bundleOf(file, predicateType, command, trust.namespace.predicateBase);
  const bundle = await readInput(bundleFile);
  const artifact = await readArtifact(signedDigestIn(bundle));
  const name = file ?? `sha256:${artifact.sha256}`;
  const { predicateBase } = trust.namespace;
  const common = { bundle, artifact, trust, predicateType, requiresProof: flags.requireInclusionProof };
  return withFacts({ checked: `${bundleFile} for ${name}`, trust: trustFile }, async () => {
    if (policy === undefined) {
      const publicKey = await readPublicKeyPem(flags.key as string);
      const { checks, log_entry, statement } = verifyBundleWithKey({ ...common, publicKey });
      if (predicateType === undefined) assertSignature(statement);
      await history.settle(flags);
      return verifiedRecord({ artifact: name, trustFile, predicateBase, log_entry, statement, checks });
    }
    const { signature, checks } = verifyBundle({ ...common, policy, purpose: flags.document ? 'document' : undefined });
    if (predicateType === undefined) assertSignature(signature.statement);
    await history.settle(flags);
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
    throw new CliError('cli.usage', 'without a file, the bundle must be named', { expected: '--bundle FILE' });
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

/** The file, or the digest that stands in its place, which cosign takes too. A file is read by what it was signed by. */
function artifactReader(
  file: string | undefined,
  digest: string | undefined,
): (by: ReturnType<typeof signedDigestIn>) => Promise<HashedArtifact> {
  if (file !== undefined && digest === undefined) {
    if (isMeantAsDigest(file)) return known(sha256Of('<file>', file));
    assertReadableFile(file);
    return (by) => hashFile(file, by);
  }
  if (file === undefined && digest !== undefined) return known(sha256Of('--digest', digest));
  throw new CliError('cli.usage', 'one file, or one valid digest, is needed', {
    expected: 'a file, or --digest with 64 hex digits',
  });
}

function known(artifact: HashedArtifact): () => Promise<HashedArtifact> {
  return async () => artifact;
}

function sha256Of(flag: string, text: string): HashedArtifact {
  return { sha256: digestFlag(flag, text, ['sha256']).slice('sha256:'.length) };
}
