import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addCloseCommand } from './close.ts';
import { addEscalateCommand } from './escalate.ts';
import { addEvidenceCommand } from './evidence.ts';
import { addExportCommand } from './export.ts';
import { addListCommand } from './list.ts';
import { addOpenCommand } from './open.ts';
import { addShowCommand } from './show.ts';
import { addUpdateCommand } from './update.ts';
import { addVerifyCommand } from './verify.ts';
import { addVoidCommand } from './void.ts';

/** One subcommand of `colophon remediation`. */
type RemediationCommand = (remediation: Command, session: Session) => void;

/** In the order in which they are used. */
const REMEDIATION_COMMANDS: readonly RemediationCommand[] = [
  addOpenCommand,
  addListCommand,
  addShowCommand,
  addUpdateCommand,
  addEscalateCommand,
  addCloseCommand,
  addVoidCommand,
  addVerifyCommand,
  addExportCommand,
  addEvidenceCommand,
];

/** `colophon remediation …` */
export function addRemediationCommands(program: Command, session: Session): void {
  const remediation = program
    .command('remediation')
    .description('what is done about each vulnerability, until a scan shows that it is gone');
  for (const add of REMEDIATION_COMMANDS) add(remediation, session);
}
