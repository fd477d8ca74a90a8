import type { ScanRecord } from '@colophon/records';
import { partialScans } from '@colophon/remediation';
import { coloursFor, oneLine, type Terminal } from '../terminal/terminal.ts';

const MOST_SHOWN = 5;

/** Says of each scan that lists components of the SBOM and others, too, which others these are. */
export function warnOfPartialScans(scans: readonly ScanRecord[], sbom: Uint8Array, terminal: Terminal): void {
  for (const { name, listed, foreign } of partialScans(scans, sbom)) {
    const shown = foreign.slice(0, MOST_SHOWN).map((one) => one.purl ?? `${one.name} ${one.version ?? ''}`.trim());
    const more = foreign.length > shown.length ? `, and ${foreign.length - shown.length} more` : '';
    terminal.stderr.write(
      `${coloursFor(terminal).yellow('warning')} ${oneLine(`not in the SBOM, of ${listed} components that ${name} lists: ${shown.join(', ')}${more}`)}\n`,
    );
  }
}
