import type { Bom, WrittenProfile } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
import { counted } from '../terminal/terminal.ts';
import { bomValidator } from './official-schemas.ts';

/**
 * Holds a document that was written anew against its schema. Attribution that is not whole is somebody's statement and
 * stays, and a note says so.
 * @throws CliError `cli.sbom_invalid` for anything else, which would be our own fault
 */
export function attributionFaults(bom: Bom, profile: WrittenProfile): readonly string[] {
  const { issues } = bomValidator().validateBom(bom, { profile: profile === 'spec' ? 'spec' : 'standard' });
  const errors = issues.filter(({ severity }) => severity === 'error');
  const others = errors.filter(({ code }) => !code.startsWith('sbom.ai_'));
  if (others.length > 0) {
    throw new CliError('cli.sbom_invalid', 'the document that was made is no valid SBOM', {
      issues: others,
      kind: 'machine',
    });
  }
  if (errors.length === 0) return [];
  const command = `colophon sbom validate${profile === 'spec' ? ' --profile spec' : ''}`;
  return [`${counted(errors.length, 'fault')} in attribution, which nothing here mends: ${command}`];
}
