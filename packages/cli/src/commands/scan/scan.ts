import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addImportCommand } from './import.ts';
import { addRunCommand } from './run.ts';

/** One subcommand of `colophon scan`. */
type ScanCommand = (scan: Command, session: Session) => void;

/** In the order in which they are used. */
const SCAN_COMMANDS: readonly ScanCommand[] = [addRunCommand, addImportCommand];

/** `colophon scan …` */
export function addScanCommands(program: Command, session: Session): void {
  const scan = program.command('scan').description('findings of vulnerability scanners: read, merged, scored');
  for (const add of SCAN_COMMANDS) add(scan, session);
}
