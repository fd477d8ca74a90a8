import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const SCAN_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'run [options]',
    description: 'scan an SBOM or an image with osv-scanner, grype or trivy, whichever is installed',
    load: async () => (await import('./run.ts')).defineRun,
  },
  {
    term: 'import [options] <file...>',
    description: 'read the JSON outputs of scanners, kept scans and lists of findings; each vulnerability once',
    load: async () => (await import('./import.ts')).defineImport,
  },
];

/** `colophon scan …`: findings, in the order in which the commands are used. */
export function defineScan(scan: Command, session: Session): void {
  addCommands(scan, SCAN_COMMANDS, session);
}
