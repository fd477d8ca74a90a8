import { type ImageVerification, verifyImage } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { resolveImage } from '../image/image.ts';
import { predicateParsers, predicateTypes, TYPE_HELP } from '../predicate/predicate.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  identityPolicy,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import type { VerifiedResult } from './verified-result.ts';
import { describeVerified, verifiedRecord } from './verifying.ts';

type VerifyImageFlags = VerificationFlags & { readonly type?: string; readonly output: OutputFormat };
type ImageRecord = {
  readonly ok: true;
  readonly image: string;
  readonly digest: string;
  readonly verified: readonly VerifiedResult[];
  readonly rejected: ImageVerification['rejected'];
};

/** `colophon verify`: the signatures of an image, held against an identity and a root. */
export function defineVerify(command: Command, session: Session): void {
  withVerification(command)
    .addOption(outputOption())
    .action((reference: string, flags: VerifyImageFlags, command: Command) =>
      verify(reference, undefined, flags, command, session),
    );
}

/** `colophon verify-attestation`: the attestations of an image, held against an identity and a root. */
export function defineVerifyAttestation(command: Command, session: Session): void {
  withVerification(command)
    .option('--type <type>', TYPE_HELP, 'custom')
    .addOption(outputOption())
    .action((reference: string, flags: VerifyImageFlags, command: Command) =>
      verify(reference, typesOf(flags, command, session), flags, command, session),
    );
}

function typesOf({ type = 'custom' }: VerifyImageFlags, command: Command, { env }: Session): readonly string[] {
  return predicateTypes(type, ownNamespace(env, dataFlag(command)).predicateBase);
}

async function verify(
  reference: string,
  predicateType: readonly string[] | undefined,
  flags: VerifyImageFlags,
  command: Command,
  session: Session,
): Promise<void> {
  const policy = identityPolicy(flags);
  const { trust, file: trustFile } = await trustMaterial(flags, command, session);
  const record = await withFacts({ checked: reference, trust: trustFile }, async (): Promise<ImageRecord> => {
    const { client, image } = await resolveImage(reference, session);
    const { predicateBase } = trust.namespace;
    const options = { client, image, trust, policy, predicateType, predicateParsers: predicateParsers(predicateBase) };
    const { verified, rejected } = await verifyImage(options);
    const records = verified.map((signature) =>
      verifiedRecord({ artifact: reference, trustFile, predicateBase, ...signature }),
    );
    return { ok: true, image: reference, digest: image.digest, verified: records, rejected };
  });
  printResult(session.terminal, flags.output, record, (result) => describe(result, session.terminal));
}

function describe({ verified, rejected }: ImageRecord, terminal: Terminal): string {
  const others =
    rejected.length === 0
      ? ''
      : `\nnot counted:\n${rejected.map(({ code, message }) => `  ${code}: ${message}\n`).join('')}`;
  return verified.map((one) => describeVerified(one, terminal)).join('\n') + others;
}
