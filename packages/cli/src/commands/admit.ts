import { type AdmissionDecision, decideAdmission, type Policy, parsePolicy } from '@colophon/admission';
import { assessImage } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { resolveImage } from '../image/image.ts';
import { readInput } from '../input/input.ts';
import { everyValue, outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { coloursFor, oneLine } from '../terminal/terminal.ts';
import { trustMaterial } from '../verification-flags/verification-flags.ts';

type AdmitFlags = {
  readonly policy: string[];
  readonly profile?: 'strict' | 'spec';
  readonly trustedRoot?: string;
  readonly output: OutputFormat;
};
type AdmitRecord = AdmissionDecision & {
  readonly image: string;
  readonly digest: string;
  readonly trusted_root: string;
};

/** `colophon admit`: may this image run, and every reason why not (contract §5.3). Exit 20 is a refusal. */
export function addAdmitCommand(program: Command, session: Session): void {
  program
    .command('admit <image>')
    .description('decide whether an image may run, by policy; exit 20 and every reason where it may not')
    .requiredOption(
      '--policy <file>',
      'policy file; of several, each one that covers the image must admit it',
      everyValue,
    )
    .addOption(
      new Option('--profile <profile>', 'spec: contract §5.3 to the letter, instead of what the policy says').choices([
        'strict',
        'spec',
      ]),
    )
    .option('--trusted-root <file>', 'trusted root (default: $COLOPHON_TRUSTED_ROOT, else of the data folder)')
    .addOption(outputOption())
    .action(async (reference: string, flags: AdmitFlags, command: Command) => {
      const policies = await Promise.all(flags.policy.map(readPolicy));
      const { trust, file } = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: reference, trust: file }, async (): Promise<AdmitRecord> => {
        const { client, image } = await resolveImage(reference, session);
        // Which identities count is what the policies say.
        const { verified, rejected } = await assessImage({ client, image, trust, policy: 'gated-elsewhere' });
        const decision = decideAdmission({
          image: { reference, digest: image.digest },
          signatures: verified,
          rejected,
          policies,
          ...(flags.profile === undefined ? {} : { profile: flags.profile }),
        });
        return { ...decision, image: reference, digest: image.digest, trusted_root: file };
      });
      printResult(session.terminal, flags.output, record, (result) => describe(result, session));
      if (!record.admitted) session.setExitCode(EXIT.refused);
    });
}

async function readPolicy(file: string): Promise<Policy> {
  const parsed = parsePolicy(Buffer.from(await readInput(file)).toString(), { name: file });
  if (parsed.ok) return parsed.value;
  throw new CliError('cli.policy_invalid', `${file} is no policy`, EXIT.usage, {
    checked: file,
    issues: parsed.issues,
  });
}

function describe(
  { admitted, image, digest, reasons, warnings, verdicts, trusted_root }: AdmitRecord,
  { terminal }: Session,
): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const lines = [
    `${admitted ? colours.green('admitted') : colours.red('refused')}  ${oneLine(image)}`,
    `digest    ${digest}`,
    `trust     ${trusted_root}`,
  ];
  for (const verdict of verdicts.filter((one) => one.admitted)) {
    const agents = verdict.agentSignatures.map(({ identity }) => identity.subject);
    const reviewers = verdict.reviews.map(({ identity }) => identity.subject);
    lines.push(
      `policy    ${oneLine(verdict.policy)}: signed by ${[...new Set(agents)].join(', ')}; reviewed by ${[...new Set(reviewers)].join(', ')}`,
    );
  }
  for (const [kind, list] of [
    ['reason', reasons],
    ['warning', warnings],
  ] as const) {
    for (const { code, message, expected, found, policy } of list) {
      const by = policy === undefined ? '' : ` (${oneLine(policy)})`;
      lines.push(`${kind.padEnd(8)}  ${colours.bold(code)}: ${oneLine(message)}${by}`);
      if (expected !== undefined) lines.push(`          expected ${oneLine(expected)}`);
      if (found !== undefined) lines.push(`          found    ${oneLine(found)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
