import { type Bom, type DocumentReader, MAX_BOM_BYTES, type Profile } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { shellWord } from '../terminal/terminal.ts';
import { bomValidator } from './official-schemas.ts';

/** A document that is valid, and the bytes in which it was written. */
export type SbomFile = { readonly bom: Bom; readonly bytes: Uint8Array };

/**
 * The document in a file or on standard input (`-`), valid by its schema and without faults in its attribution. With
 * the profile `spec`, which is the default, also one that carries the contract's own shapes (§2.5).
 * @throws CliError `cli.sbom_invalid` (exit 20) with every error and its line, `cli.file_unreadable`,
 * `cli.file_too_large`
 */
export async function readSbom(file: string, options: { readonly profile?: Profile } = {}): Promise<Bom> {
  return (await readSbomFile(file, options)).bom;
}

/** Against what a document is held: its schema, and what a program refuses. */
type Demands = { readonly profile?: Profile; readonly for?: DocumentReader };

/** As `readSbom`, and the bytes too. */
export function readSbomFile(file: string, demands: Demands = {}): Promise<SbomFile> {
  return readWithoutFaults(file, { profile: 'spec', ...demands }, () => true);
}

/**
 * A document for the commands that write attribution anew: valid by its schema (or with the contract's own shapes), and
 * whatever it says of agents, since that is what is looked after.
 * @throws CliError as `readSbom`
 */
export async function readAttributedSbom(file: string): Promise<Bom> {
  return (await readWithoutFaults(file, { profile: 'spec' }, (code) => !code.startsWith('sbom.ai_'))).bom;
}

async function readWithoutFaults(file: string, demands: Demands, counts: (code: string) => boolean): Promise<SbomFile> {
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { document, issues } = bomValidator().validateBytes(bytes, demands);
  const errors = issues.filter(
    ({ severity, code }) =>
      (severity === 'error' && counts(code)) ||
      // What cannot be kept exactly would be written back as another number.
      code === 'json.number_range',
  );
  if (document !== undefined && errors.length === 0) return { bom: document, bytes };
  throw new CliError('cli.sbom_invalid', `${file} is no valid SBOM`, {
    checked: file,
    issues: errors,
    next: `colophon sbom validate ${flagOf(demands)}${shellWord(file)}`,
  });
}

function flagOf({ profile, for: reader }: Demands): string {
  if (reader !== undefined) return `--for ${reader} `;
  return profile === 'standard' ? '' : '--profile spec ';
}

/**
 * Holds a document that was made here against its schema, before it is written.
 * @throws CliError `cli.sbom_invalid` (exit 20) with every error
 */
export function assertValidSbom(bom: Bom, demands: Demands = {}): void {
  const { issues, valid } = bomValidator().validateBom(bom, { profile: 'spec', ...demands });
  if (valid) return;
  throw new CliError('cli.sbom_invalid', 'the document that was made is no valid SBOM', {
    issues: issues.filter(({ severity }) => severity === 'error'),
  });
}
