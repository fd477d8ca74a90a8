import {
  attestImage,
  type ImageSignatureResult,
  type ImageSigner,
  keyedImageSigner,
  keylessImageSigner,
  signatureIn,
  signImage,
} from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { signingPredicateBase } from '../home/namespace.ts';
import { resolveImage } from '../image/image.ts';
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
import { keepEvidence, keylessOptions, printSigned, sayOlderRefused, withSigned } from './signing.ts';

type ImageFlags = SigningFlags & {
  readonly key?: string;
  readonly output: OutputFormat;
  readonly signatureFormat: 'auto' | 'bundle' | 'older';
};
type AttestFlags = ImageFlags & { readonly predicate?: string; readonly type: string; readonly statement?: string };

/** `colophon sign`: signatures on images in a registry, by their digests. */
export function defineSign(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sign localhost:7080/webshop:1.0 --context context.json'));
  withNeeds(withSigning(command), signerNeed('--key'))
    .option('--key <file>', KEY_HELP)
    .addOption(signatureFormat())
    .addOption(outputOption())
    .action(async (references: string[], flags: ImageFlags, command: Command) => {
      const signerOfOne = await imageSigner(flags, command, session, undefined);
      const records: Signed[] = [];
      for (const reference of references) {
        const result = await withSigned(reference, async () => {
          const { client, image } = await resolveImage(reference, session);
          return withKey(flags, () =>
            signImage({ client, image, signer: signerOfOne(), format: flags.signatureFormat }),
          );
        });
        sayOlderRefused(result, session);
        records.push(...recordsOf(reference, result));
      }
      printSigned(session, flags.output, records);
    });
}

/** `colophon attest`: a signed statement attached to an image in a registry, by its digest. */
export function defineAttest(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example('colophon attest localhost:7080/webshop:1.0 --type agent-run \\', '  --context context.json'),
  );
  withNeeds(withSigning(command), PREDICATE_NEED, signerNeed('--key'))
    .addOption(predicateOption())
    .option('--type <type>', TYPE_HELP, 'custom')
    .option('--statement <file>', 'a whole in-toto Statement v1 instead of the predicate')
    .option('--key <file>', KEY_HELP)
    .addOption(signatureFormat())
    .addOption(outputOption())
    .action(async (reference: string, flags: AttestFlags, command: Command) => {
      const identity =
        flags.key === undefined
          ? await readSignerIdentity(flags, command, session, claimsOfPredicate(flags))
          : undefined;
      const attestation = await readAttestation(flags, identity, signingPredicateBase(session.env, dataFlag(command)));
      const signerOfOne = await imageSigner(flags, command, session, identity);
      const result = await withSigned(reference, async () => {
        const { client, image } = await resolveImage(reference, session);
        return withKey(flags, () =>
          attestImage({ client, image, signer: signerOfOne(), attestation, format: flags.signatureFormat }),
        );
      });
      sayOlderRefused(result, session);
      // The evidence store asks whose statement it is, and a key is nobody's.
      const kept = flags.key === undefined ? result.signatures : [];
      for (const { bundle } of kept) await keepEvidence(flags, command, session, bundle, reference);
      printSigned(session, flags.output, recordsOf(reference, result));
    });
}

/** Makes the signer of each image, with the key or the identity that the flags name. */
async function imageSigner(
  flags: ImageFlags,
  command: Command,
  session: Session,
  identity: SignerIdentity | undefined,
): Promise<() => ImageSigner> {
  const keyed = await keyedOptions(flags, command, session);
  if (keyed !== undefined) {
    // Opened once, and before anything is asked of a registry.
    const signer = await withKey(flags, async () => keyedImageSigner(keyed));
    return () => signer;
  }
  const options = await keylessOptions(flags, command, session, identity && assertSigner(identity));
  return () => keylessImageSigner(options);
}

/** One record a log entry; without an image each is about what its bundle names. */
export function recordsOf(
  artifact: string,
  { signatures, image }: Pick<ImageSignatureResult, 'signatures'> & { readonly image?: { readonly digest: string } },
): Signed[] {
  return signatures.map(({ bundle, identity }) => {
    const { digest: ofBundle, log_entry } = signatureIn(bundle);
    const digest = image?.digest ?? ofBundle;
    return {
      artifact,
      ...(digest === undefined ? {} : { digest }),
      ...(identity === undefined ? {} : { certificate_identity: identity }),
      log_entry,
    };
  });
}

async function readAttestation(
  { predicate, statement, type }: AttestFlags,
  identity: SignerIdentity | undefined,
  predicateBase: string,
) {
  if (statement !== undefined && predicate !== undefined) {
    throw new CliError('cli.usage', '--statement and --predicate exclude each other');
  }
  if (statement !== undefined) return { statement: await readStatementFile(statement, predicateBase) };
  return readAttestedPredicate(predicate, type, identity, predicateBase);
}

function signatureFormat(): Option {
  return new Option('--signature-format <format>', 'the bundle, the older tag format, or both where the log allows it')
    .choices(['auto', 'bundle', 'older'])
    .default('auto');
}
