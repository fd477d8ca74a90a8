import { isIri } from '@colophon/vex';
import { CliError } from '../../cli-error/cli-error.ts';

/**
 * Refuses an id for a document that OpenVEX cannot have, in place of making another one without a word.
 * @throws CliError `cli.usage`
 */
export function assertDocumentId(id: string | undefined): void {
  if (id === undefined || isIri(id)) return;
  throw new CliError('cli.usage', 'the id of a document is an IRI', {
    checked: '--id',
    expected: 'e.g. https://example.com/vex/2026-1',
    found: id,
  });
}
