import { basename } from 'node:path';
import { createStatement, type Statement } from '@colophon/records';
import {
  type ArtifactToSign,
  type BundleSigner,
  hashFile,
  type KeyedBundle,
  type SignedBundle,
  signatureIn,
  signBlob,
  signBlobWithKey,
  signStatement,
  signStatementWithKey,
} from '@colophon/sigstore';
import type { Command } from 'commander';
import { assertBundleFile, attestationBeside, bundleBeside } from '../bundle-file/bundle-file.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { signingPredicateBase } from '../home/namespace.ts';
import { assertReadableFile, writeOutput } from '../input/input.ts';
import {
  claimsOfPredicate,
  PREDICATE_NEED,
  predicateOption,
  readAttestedPredicate,
  readStatementFile,
  TYPE_HELP,
} from '../predicate/predicate.ts';
import { example } from '../program/example.ts';
import { withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import type { OutputFormat } from '../report/report.ts';
import {
  assertSigner,
  readSignerIdentity,
  type SignerIdentity,
  type SigningFlags,
  signerNeed,
  withSigning,
} from '../signing-flags/signing-flags.ts';
import { KEY_HELP, keyedOptions, withKey } from './keyed-signing.ts';
import type { Signed } from './signed-result.ts';
import { keepEvidence, keylessOptions, printSigned, withSigned } from './signing.ts';

type BlobFlags = SigningFlags & { readonly key?: string; readonly bundle?: string; readonly output: OutputFormat };
type AttestBlobFlags = BlobFlags & { readonly predicate?: string; readonly type: string; readonly statement?: string };
type Signature = Pick<SignedBundle, 'bundle'> & Partial<SignedBundle> & Pick<KeyedBundle, 'sha256'>;

/** Where somebody else's bundle stands. */
const GO_ON = '--bundle FILE, or move the other one away';

/** `colophon sign-blob`: signatures over files, each in a bundle beside its file. */
export function defineSignBlob(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sign-blob change.patch --context context.json'));
  withNeeds(withSigning(command), signerNeed('--key'))
    .option('--bundle <file>', 'where the bundle goes (default: FILE.sigstore.json)')
    .option('--key <file>', KEY_HELP)
    .addOption(outputOption())
    .action(async (files: string[], flags: BlobFlags, command: Command) => {
      if (flags.bundle !== undefined && files.length > 1)
        throw new CliError('cli.usage', '--bundle names one file, for one artifact');
      const checkSigners = files.map((file) => {
        assertReadableFile(file);
        return assertBundleFile(bundleOf(file, flags), 'artifact', GO_ON);
      });
      const sign = await artifactSigner(flags, command, session);
      const records: Signed[] = [];
      for (const [index, file] of files.entries()) {
        const signed = await withSigned(file, () => sign({ path: file }, checkSigners[index]));
        records.push(record(file, bundleOf(file, flags), signed));
      }
      printSigned(session, flags.output, records);
    });
}

/** `colophon attest-blob`: a signed statement about a file, in a bundle beside it. */
export function defineAttestBlob(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example('colophon attest-blob change.patch --type agent-run \\', '  --context context.json'),
  );
  withNeeds(
    withSigning(command),
    { what: 'the artifact that is attested', oneOf: ['<file>', '--statement'] },
    PREDICATE_NEED,
    signerNeed('--key'),
  )
    .addOption(predicateOption())
    .option('--type <type>', TYPE_HELP, 'custom')
    .option('--statement <file>', 'a whole in-toto Statement v1 instead of predicate and file')
    .option('--bundle <file>', 'where the bundle goes (default: FILE.<last word of the type>.sigstore.json)')
    .option('--key <file>', KEY_HELP)
    .addOption(outputOption())
    .action(async (file: string | undefined, flags: AttestBlobFlags, command: Command) => {
      const identity =
        flags.key === undefined
          ? await readSignerIdentity(flags, command, session, claimsOfPredicate(flags))
          : undefined;
      const predicateBase = signingPredicateBase(session.env, dataFlag(command));
      const statement = await readStatement(file, flags, identity, predicateBase);
      const artifact = file ?? flags.statement ?? '';
      const bundleFile = flags.bundle ?? attestationBeside(artifact, statement.predicateType);
      const checkSigner = assertBundleFile(bundleFile, 'statement', GO_ON);
      const sign = await statementSigner(flags, command, session, identity);
      const signed = await withSigned(artifact, () => sign(statement, checkSigner));
      const signedRecord = record(artifact, bundleFile, signed);
      // The evidence store asks whose statement it is, and a key is nobody's.
      if (flags.key === undefined) await keepEvidence(flags, command, session, signed.bundle, bundleFile);
      printSigned(session, flags.output, [signedRecord]);
    });
}

function bundleOf(file: string, { bundle }: BlobFlags): string {
  return bundle ?? bundleBeside(file);
}

function record(artifact: string, bundleFile: string, { bundle, identity, sha256 }: Signature): Signed {
  writeOutput(bundleFile, Buffer.from(bundle).toString());
  const { digest: ofBundle, log_entry } = signatureIn(bundle);
  const digest = sha256 === undefined ? ofBundle : `sha256:${sha256}`;
  return {
    artifact,
    ...(digest === undefined ? {} : { digest }),
    bundle: bundleFile,
    ...(identity === undefined ? {} : { certificate_identity: identity }),
    log_entry,
  };
}

/** Signs one thing; asks first whether this signer may, where somebody wants to know. */
export type Signer<T> = (content: T, checkSigner?: (signer: BundleSigner) => void) => Promise<Signature>;

/** What signs an artifact, with the key or the identity that the flags name. */
export async function artifactSigner(
  flags: SigningFlags & { readonly key?: string },
  command: Command,
  session: Session,
): Promise<Signer<ArtifactToSign>> {
  const keyed = await keyedOptions(flags, command, session);
  if (keyed !== undefined)
    return (artifact, checkSigner) => withKey(flags, () => signBlobWithKey({ ...keyed, artifact, checkSigner }));
  const options = await keylessOptions(flags, command, session);
  return (artifact, checkSigner) => signBlob({ ...options, artifact, checkSigner });
}

async function statementSigner(
  flags: BlobFlags,
  command: Command,
  session: Session,
  identity: SignerIdentity | undefined,
): Promise<Signer<Statement>> {
  const keyed = await keyedOptions(flags, command, session);
  if (keyed !== undefined) {
    return (statement, checkSigner) => withKey(flags, () => signStatementWithKey({ ...keyed, statement, checkSigner }));
  }
  const options = await keylessOptions(flags, command, session, assertSigner(identity));
  return (statement, checkSigner) => signStatement({ ...options, statement, checkSigner });
}

async function readStatement(
  file: string | undefined,
  { predicate, statement, type }: AttestBlobFlags,
  identity: SignerIdentity | undefined,
  predicateBase: string,
): Promise<Statement> {
  if (statement !== undefined) {
    if (predicate !== undefined || file !== undefined) {
      throw new CliError('cli.usage', '--statement says everything: give neither --predicate nor a file with it');
    }
    return readStatementFile(statement, predicateBase);
  }
  const path = file as string;
  assertReadableFile(path);
  const attested = await readAttestedPredicate(predicate, type, identity, predicateBase);
  return createStatement({
    subjects: [{ name: basename(path), digest: { sha256: (await hashFile(path)).sha256 } }],
    ...attested,
  });
}
