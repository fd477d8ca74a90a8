import { predicateParsers, withoutSigner } from '@colophon/records';
import { collectImageSignatures, OTHER_KIND_CODES, verifyImage, verifyImageWithKey } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { cut } from '../explanation/shown-text.ts';
import { type HistoryFlags, withHistory } from '../history/seen-history.ts';
import { ownNamespace } from '../home/namespace.ts';
import { resolveImage } from '../image/image.ts';
import { predicateTypes, TYPE_HELP } from '../predicate/predicate.ts';
import { example } from '../program/example.ts';
import { withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { readPublicKeyPem } from '../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { oneLine, type Terminal } from '../terminal/terminal.ts';
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
import { isOnline, withOffline } from './offline-flags.ts';
import type { VerifiedImageResult } from './verified-result.ts';
import { verifiedSentence } from './verified-sentence.ts';
import { tellVerified, verifiedRecord, withDetails } from './verifying.ts';

type VerifyImageFlags = VerificationFlags &
  InclusionProofFlags &
  AffirmativeFlags &
  HistoryFlags &
  RequireFlags & {
    readonly key?: string;
    readonly type?: string;
    readonly details?: boolean;
    readonly output: OutputFormat;
  };

const KEY_HELP = 'public key, for signatures that were made with a key';

/** `colophon verify`: verifies the signatures of an image against an identity and a trusted root. */
export function defineVerify(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon verify localhost:7080/webshop:1.0 \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
      'colophon verify localhost:7080/webshop:1.0 \\',
      "  --require '{ issuer: http://localhost:7080, subject: agent:code-writer }' \\",
      '  --require signers.yaml',
    ),
  );
  withNeeds(
    withOffline(withDetails(withHistory(withInclusionProof(withRequire(withVerification(command)))))),
    ...identityNeedsWhen((line) => isOnline(line) && requiresNobody(line), '--key'),
  )
    .option('--key <file>', KEY_HELP)
    .addOption(outputOption())
    .action(async (reference: string, flags: VerifyImageFlags, command: Command) => {
      if (!isOnline(command)) {
        return (await import('./verify-pack.ts')).verifyPack(reference, flags, command, session);
      }
      const record = requiresNobody(command)
        ? await verify(reference, undefined, flags, command, session)
        : await (await import('./verify-signers.ts')).verifyImageSigners(reference, flags, command, session);
      print(record, flags, session);
    });
}

/** `colophon verify-attestation`: verifies the attestations of an image against an identity and a trusted root. */
export function defineVerifyAttestation(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon verify-attestation localhost:7080/webshop:1.0 --type agent-run \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(
    withDetails(withHistory(withInclusionProof(withAffirmative(withVerification(command))))),
    ...identityNeeds('--key'),
  )
    .option('--key <file>', KEY_HELP)
    .option('--type <type>', TYPE_HELP, 'custom')
    .addOption(outputOption())
    .action(async (reference: string, flags: VerifyImageFlags, command: Command) =>
      print(await verify(reference, typesOf(flags, command, session), flags, command, session), flags, session),
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
): Promise<VerifiedImageResult> {
  // What the caller wants pinned is checked before anything is read.
  const policy = identityPolicyUnlessKey(flags, command);
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  return withFacts({ checked: reference, trust: trustFile }, async () => {
    const publicKey = policy === undefined ? await readPublicKeyPem(flags.key as string) : undefined;
    const { client, image } = await resolveImage(reference, session);
    const { predicateBase } = trust.namespace;
    const collected = await collectImageSignatures(client, image, { byKey: policy === undefined });
    const common = {
      ...{ client, image, collected, trust, predicateType, requiresProof: flags.requireInclusionProof },
      predicateParsers: predicateParsers(predicateBase),
    };
    const { verified, rejected, incomplete } =
      policy === undefined
        ? await verifyImageWithKey({ ...common, publicKey: publicKey as string })
        : await verifyImage({ ...common, policy });
    await history.settle(flags);
    const signatures = verified.map((signature) =>
      verifiedRecord({ artifact: reference, trustFile, predicateBase, ...signature }),
    );
    const malformed = rejected.filter(({ code }) => code === 'image.predicate_invalid');
    const statements = verified.flatMap(({ statement }) => statement ?? []);
    assertAffirmative(flags, statements, { digest: image.digest, kinds: ['image'] }, [...malformed, ...incomplete]);
    if (flags.affirmative) {
      const { assertNoNoOfSigner } = await import('../verification-flags/no-of-signer.ts');
      const signer = policy === undefined ? { publicKey: publicKey as string } : { policy };
      await assertNoNoOfSigner(flags, signer, collected, { client, trust });
    }
    const rejected_signatures = rejected.map(withoutSigner);
    return { ok: true, image: reference, digest: image.digest, signatures, rejected_signatures };
  });
}

function print(record: VerifiedImageResult, flags: VerifyImageFlags, { terminal }: Session): void {
  printResult(terminal, flags.output, record, (result) => describe(result, flags, terminal));
}

function describe(
  { signatures, rejected_signatures: rejected }: VerifiedImageResult,
  flags: VerifyImageFlags,
  terminal: Terminal,
): string {
  if (!flags.details) return `${verifiedSentence(signatures, terminal).trimEnd()}${notCounted(rejected)}\n`;
  const others =
    rejected.length === 0
      ? ''
      : `\nnot counted:\n${rejected.map(({ code, message }) => `  ${code}: ${oneLine(cut(message))}\n`).join('')}`;
  return signatures.map((one) => tellVerified(one, flags, terminal)).join('\n') + others;
}

/** `; not counted: 4 of another kind, 1 identity.subject_mismatch (--details)`. */
function notCounted(rejected: VerifiedImageResult['rejected_signatures']): string {
  if (rejected.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { code } of rejected) {
    const why = OTHER_KIND_CODES.includes(code) ? 'of another kind' : code;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  const reasons = [...counts].map(([why, number]) => `${number} ${why}`);
  return `; not counted: ${reasons.join(', ')} (--details)`;
}
