import { type DocumentReader, MAX_BOM_BYTES, type Profile, WRITTEN_PROFILES } from '@colophon/sbom';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { type CheckedFile, type ValidationFlags, validateFiles } from '../../validation-report/validate-files.ts';

type ValidateFlags = ValidationFlags & {
  readonly profile: Profile;
  readonly for?: DocumentReader;
  readonly namespace: string;
};

// As in @colophon/sbom, which is loaded when a command runs.
const READERS: readonly DocumentReader[] = ['dependency-track'];

/** `colophon sbom validate`: validates documents by their official schema and by rules that it cannot express. */
export function defineValidate(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom validate app.cdx.json'));
  command
    .addOption(
      new Option('--profile <profile>', 'standard: the official schema; spec: x-ai-generated and ast-similarity too')
        .choices(WRITTEN_PROFILES)
        .default('standard'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'what makes a file invalid').choices(['error', 'warning']).default('error'),
    )
    .addOption(new Option('--for <program>', 'what this program refuses is an error, too').choices(READERS))
    .option('--namespace <name>', 'namespace of the properties of attribution variant B', 'vendor')
    .addOption(outputOption('sarif'))
    .action((paths: string[], flags: ValidateFlags) => {
      if (flags.for !== undefined && flags.profile === 'spec') {
        throw new CliError('cli.usage', 'these flags do not go together', {
          found: '--for and --profile spec',
          expected: 'one of them: no other program takes what the profile adds',
        });
      }
      return validateFiles(
        paths,
        flags,
        session,
        (file) => check(file, flags),
        ({ spec_version }) => (spec_version === undefined ? '' : `CycloneDX ${spec_version}`),
      );
    });
}

async function check(file: string, flags: ValidateFlags): Promise<CheckedFile<{ spec_version?: string }>> {
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { issues, omitted, document } = bomValidator().validateBytes(bytes, flags);
  return { facts: document === undefined ? {} : { spec_version: document.specVersion }, issues, omitted };
}
