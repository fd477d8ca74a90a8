import type { Bom } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { shellWord } from '../terminal/terminal.ts';
import { readBounded } from './bounded-input.ts';
import { bomValidator } from './official-schemas.ts';

/**
 * A document for the commands that write attribution anew: valid by its schema (or with the contract's own shapes), and
 * whatever it says of agents, since that is what is looked after.
 * @throws CliError `cli.sbom_invalid` (exit 20) with every error and its line, `cli.file_unreadable`,
 * `cli.file_too_large`
 */
export async function readAttributedSbom(file: string): Promise<Bom> {
  const { MAX_BOM_BYTES } = await import('@colophon/sbom');
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { document, issues } = (await bomValidator()).validateBytes(bytes, { profile: 'spec' });
  const errors = issues.filter(
    ({ severity, code }) =>
      (severity === 'error' && !code.startsWith('sbom.ai_')) ||
      // What cannot be kept exactly would be written back as another number.
      code === 'json.number_range',
  );
  if (document !== undefined && errors.length === 0) return document;
  throw new CliError('cli.sbom_invalid', `${file} is no valid SBOM`, EXIT.refused, {
    checked: file,
    issues: errors,
    next: `colophon sbom validate --profile spec ${shellWord(file)}`,
  });
}
