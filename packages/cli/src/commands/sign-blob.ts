import { basename } from 'node:path';
import { createStatement } from '@colophon/records';
import {
  hashFile,
  type KeyedOptions,
  type SignedBundle,
  signBlob,
  signBlobWithKey,
  signStatement,
  signStatementWithKey,
} from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { assertReadableFile, readInput, writeOutput } from '../input/input.ts';
import { predicateType, readPredicate, readStatementFile } from '../predicate/predicate.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { type SigningFlags, withSigning } from '../signing-flags/signing-flags.ts';
import {
  describeSigned,
  keepEvidence,
  keylessOptions,
  loggingOptions,
  logIndexOf,
  type SignedRecord,
} from './signing.ts';

type BlobFlags = SigningFlags & { readonly key?: string; readonly bundle?: string; readonly output: OutputFormat };
type AttestBlobFlags = BlobFlags & { readonly predicate?: string; readonly type: string; readonly statement?: string };
type Signature = Pick<SignedBundle, 'bundle'> & Partial<SignedBundle>;

/** `colophon sign-blob` and `colophon attest-blob`: signatures over files, each in a bundle beside its file. */
export function addSignBlobCommands(program: Command, session: Session): void {
  withSigning(program.command('sign-blob <file...>').description('sign files; the bundle is written beside each'))
    .option('--bundle <file>', 'where the bundle goes (default: FILE.sigstore.json)')
    .option('--key <file>', 'sign with this private key instead of a certificate (password: $COSIGN_PASSWORD)')
    .addOption(outputOption())
    .action(async (files: string[], flags: BlobFlags, command: Command) => {
      if (flags.bundle !== undefined && files.length > 1)
        throw new CliError('cli.usage', '--bundle names one file, for one artifact');
      for (const file of files) assertReadableFile(file);
      const sign = await blobSigner(flags, command, session);
      const records: SignedRecord[] = [];
      for (const file of files) records.push(record(file, flags, await sign(file)));
      printResult(session.terminal, flags.output, records, describeSigned);
    });

  withSigning(program.command('attest-blob [file]').description('sign a statement about a file'))
    .option('--predicate <file>', 'JSON file with the predicate (- for standard input)')
    .option('--type <type>', 'predicate type: a URI, or a short name such as agent-run or slsaprovenance1', 'custom')
    .option('--statement <file>', 'a whole in-toto Statement v1 instead of predicate and file')
    .option('--bundle <file>', 'where the bundle goes (default: FILE.<last word of the type>.sigstore.json)')
    .option('--key <file>', 'sign with this private key instead of a certificate (password: $COSIGN_PASSWORD)')
    .addOption(outputOption())
    .action(async (file: string | undefined, flags: AttestBlobFlags, command: Command) => {
      const statement = await readStatement(file, flags);
      const options = await loggingOptions(flags, command, session);
      const signed: Signature =
        flags.key === undefined
          ? await signStatement({ ...(await keylessOptions(flags, command, session)), statement })
          : await signStatementWithKey({ ...options, ...(await readKey(flags.key, session)), statement });
      const artifact = file ?? flags.statement ?? '';
      const name = statement.predicateType
        .split('/')
        .filter((part) => !/^v\d/.test(part))
        .at(-1);
      const bundle = flags.bundle ?? `${artifact}.${name}.sigstore.json`;
      const signedRecord = record(artifact, { ...flags, bundle }, signed);
      await keepEvidence(flags, command, session, signed.bundle);
      printResult(session.terminal, flags.output, [signedRecord], describeSigned);
    });

  function record(artifact: string, flags: BlobFlags & { rekorUrl?: string }, signed: Signature): SignedRecord {
    const file = flags.bundle ?? `${artifact}.sigstore.json`;
    writeOutput(file, Buffer.from(signed.bundle).toString());
    return {
      artifact,
      bundle: file,
      ...(signed.identity === undefined
        ? {}
        : { certificate_identity: signed.identity.subject, certificate_oidc_issuer: signed.identity.issuer }),
      log_index: logIndexOf(signed.bundle),
    };
  }
}

async function blobSigner(
  flags: BlobFlags,
  command: Command,
  session: Session,
): Promise<(file: string) => Promise<Signature>> {
  if (flags.key !== undefined) {
    const options = { ...(await loggingOptions(flags, command, session)), ...(await readKey(flags.key, session)) };
    return (path) => signBlobWithKey({ ...options, artifact: { path } });
  }
  const options = await keylessOptions(flags, command, session);
  return (path) => signBlob({ ...options, artifact: { path } });
}

async function readKey(file: string, { env }: Session): Promise<Pick<KeyedOptions, 'privateKey' | 'passphrase'>> {
  const privateKey = Buffer.from(await readInput(file)).toString();
  return { privateKey, passphrase: env['COSIGN_PASSWORD'] };
}

async function readStatement(file: string | undefined, { predicate, statement, type }: AttestBlobFlags) {
  if (statement !== undefined) {
    if (predicate !== undefined || file !== undefined) {
      throw new CliError('cli.usage', '--statement says everything: give neither --predicate nor a file with it');
    }
    return readStatementFile(statement);
  }
  if (predicate === undefined || file === undefined) {
    throw new CliError('cli.usage', 'nothing to attest', EXIT.usage, {
      expected: '--predicate FILE and a file, or --statement FILE',
    });
  }
  assertReadableFile(file);
  const uri = predicateType(type);
  return createStatement({
    subjects: [{ name: basename(file), digest: { sha256: (await hashFile(file)).sha256 } }],
    predicateType: uri,
    predicate: await readPredicate(predicate, uri),
  });
}
