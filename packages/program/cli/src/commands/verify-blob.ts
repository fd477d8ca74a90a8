import { assertSignature } from '@colophon/signers';
import { signedDigestIn, verifyBundle, verifyBundleWithKey } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { isMeantAsDigest } from '../artifact-digest/artifact-digest.ts';
import { withFacts } from '../cli-error/cli-error.ts';
import { type HistoryFlags, withHistory } from '../history/seen-history.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readInput } from '../input/input.ts';
import { predicateTypes, TYPE_HELP } from '../predicate/predicate.ts';
import { example } from '../program/example.ts';
import { type Need, withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { everyValueBeside, refuseSeveral } from '../program/repeated-flag.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { trustMaterial } from '../trust/trust.ts';
import { type AffirmativeFlags, assertAffirmative, withAffirmative } from '../verification-flags/affirmative.ts';
import { type InclusionProofFlags, withInclusionProof } from '../verification-flags/inclusion-proof.ts';
import { type RequireFlags, requiresNobody, withRequire } from '../verification-flags/require-flag.ts';
import {
  identityNeeds,
  identityNeedsWhen,
  identityPolicyUnlessKey,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import { artifactReader, bundleOf } from './signed-blob.ts';
import type { VerifiedBlobResult, VerifiedResult } from './verified-result.ts';
import { verifiedSentence } from './verified-sentence.ts';
import { tellVerified, verifiedRecord, withDetails } from './verifying.ts';

type SignedBlobFlags = Omit<VerifyBlobFlags, 'bundle'> & RequireFlags & { readonly bundle?: readonly string[] };
type VerifyBlobFlags = VerificationFlags &
  InclusionProofFlags &
  AffirmativeFlags &
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
      const record = requiresNobody(command)
        ? await verifyOne(file, bundles, flags, command, session)
        : await (await import('./verify-signers.ts')).verifyBlobSigners(file, { ...flags, bundles }, command, session);
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
    withDetails(withHistory(withInclusionProof(withAffirmative(withVerification(command))))),
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

function verifyOne(
  file: string,
  bundles: readonly string[] | undefined,
  flags: VerifyBlobFlags,
  command: Command,
  session: Session,
): Promise<VerifiedResult> {
  refuseSeveral(command, '--bundle');
  const [bundle] = bundles ?? [];
  return verify(file, undefined, bundle === undefined ? flags : { ...flags, bundle }, command, session);
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
  const affirmed = (record: VerifiedResult) => {
    // By its digest it may be an image.
    const asked = { digest: `sha256:${artifact.sha256}`, kinds: ['file', 'image'] } as const;
    assertAffirmative(flags, record.statement === undefined ? [] : [record.statement], asked);
    return record;
  };
  return withFacts({ checked: `${bundleFile} for ${name}`, trust: trustFile }, async () => {
    if (policy === undefined) {
      const publicKey = await readPublicKeyPem(flags.key as string);
      const { checks, log_entry, statement } = verifyBundleWithKey({ ...common, publicKey });
      if (predicateType === undefined) assertSignature(statement);
      await history.settle(flags);
      return affirmed(verifiedRecord({ artifact: name, trustFile, predicateBase, log_entry, statement, checks }));
    }
    const { signature, checks } = verifyBundle({ ...common, policy, purpose: flags.document ? 'document' : undefined });
    if (predicateType === undefined) assertSignature(signature.statement);
    await history.settle(flags);
    return affirmed(verifiedRecord({ artifact: name, trustFile, predicateBase, checks, ...signature }));
  });
}
