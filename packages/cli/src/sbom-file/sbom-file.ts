import type { Bom } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { readInput } from '../input/input.ts';

/**
 * The document in a file or on standard input (`-`).
 * @throws CliError `cli.sbom_invalid` (exit 20) with every issue
 */
export async function readSbom(file: string): Promise<Bom> {
  const { parseBom } = await import('@colophon/sbom');
  const parsed = parseBom(await readInput(file));
  if (parsed.ok) return parsed.value;
  throw new CliError('cli.sbom_invalid', `${file} is no valid SBOM`, EXIT.refused, {
    checked: file,
    issues: parsed.issues,
    next: `colophon sbom validate ${file}`,
  });
}
