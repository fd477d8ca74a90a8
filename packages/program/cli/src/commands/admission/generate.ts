import { join, resolve } from 'node:path';
import type { Policy } from '@colophon/admission';
import {
  clusterImagePolicy,
  cosignLines,
  type GeneratedFile,
  TARGETS,
  type Target,
  type TrustedRootDocument,
} from '@colophon/admission/generate';
import { type Command, Option } from 'commander';
import { readPolicies } from '../../admission-policy/read-policies.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { readInput } from '../../input/input.ts';
import { writeAll } from '../../output-folder/output-folder.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable, oneLine } from '../../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';
import type { AdmissionGenerateResult } from './generate-result.ts';

type GenerateFlags = TrustFlags & {
  readonly policy: string;
  readonly to: Target;
  readonly out: string;
  readonly replace?: boolean;
  readonly output: OutputFormat;
};

/** `colophon admission generate`: a policy in the language of another admission controller, with what is lost on the way. */
export function defineAdmissionGenerate(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon admission generate --policy admission.yaml \\',
      '  --to policy-controller --out cluster',
      'colophon admission generate --policy admission.yaml --to cosign --out verify',
    ),
  );
  withTrust(command)
    .requiredOption('--policy <file>', 'policy file')
    .addOption(new Option('--to <program>', 'whose language').choices(TARGETS).makeOptionMandatory())
    .option('--out <folder>', 'where the files are written', '.')
    .option('--replace', 'replace files that say something else')
    .addOption(outputOption())
    .action(async (flags: GenerateFlags, command: Command) => {
      const policy = await onePolicy(flags.policy, command, session);
      const root = await theTrustedRoot(flags, command, session);
      const options = { trustedRoot: root.document, insecureIgnoreSct: flags.insecureIgnoreSct ?? false };
      const { files, gaps } =
        flags.to === 'cosign' ? cosignLines(policy, options) : clusterImagePolicy(policy, options);
      const all = flags.to === 'cosign' ? [root.copy, ...files] : files;
      const folder = resolve(flags.out);
      writeAll(folder, all, flags.replace ?? false);
      const result = {
        ok: true,
        policy: policy.name,
        to: flags.to,
        folder,
        files: all.map(({ name, what }) => ({ name, what })),
        not_expressible: [...gaps],
        trusted_root: root.file,
      } satisfies AdmissionGenerateResult;
      printResult(session.terminal, flags.output, result, describe);
    });
}

/** @throws CliError `cli.usage` for a folder with several */
async function onePolicy(path: string, command: Command, session: Session): Promise<Policy> {
  const [first, ...others] = await readPolicies([path], command, session);
  if (first !== undefined && others.length === 0) return first.policy;
  throw new CliError('cli.usage', 'one policy is generated at a time', {
    checked: '--policy',
    expected: 'one policy file',
    found: `${others.length + 1} of them`,
  });
}

type TrustedRoot = { readonly file: string; readonly document: TrustedRootDocument; readonly copy: GeneratedFile };

/** The one trusted root, checked. Other programs take one: keys of several would count for each other's signatures. */
async function theTrustedRoot(flags: TrustFlags, command: Command, session: Session): Promise<TrustedRoot> {
  const { file, files } = await trustMaterial(flags, command, session);
  if (files.length > 1) {
    throw new CliError('cli.usage', 'another program takes one trusted root, and several are configured', {
      checked: file,
      expected: '--trusted-root FILE',
    });
  }
  const content = Buffer.from(await readInput(file)).toString();
  const copy = { name: 'trusted_root.json', what: 'whom cosign trusts', content };
  return { file, document: JSON.parse(content) as TrustedRootDocument, copy };
}

function describe({ to, folder, files, not_expressible: gaps }: AdmissionGenerateResult): string {
  const program = oneLine(to);
  const written = formatTable(files.map(({ name, what }) => [join(folder, name), what]));
  const listed = (effect: 'admits' | 'refuses', title: string) => {
    const rows = gaps.filter((gap) => gap.effect === effect).map(({ key, what }) => [`  ${key}`, what]);
    return rows.length === 0 ? '' : `\n${title}\n${formatTable(rows)}`;
  };
  return [
    written,
    listed('admits', `What colophon admit refuses and ${program} may admit:`),
    listed('refuses', `What colophon admit admits and ${program} may refuse:`),
  ].join('');
}
