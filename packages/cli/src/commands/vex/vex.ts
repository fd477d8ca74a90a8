import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addApplyCommand } from './apply.ts';
import { addConvertCommand } from './convert.ts';
import { addCreateCommand } from './create.ts';
import { addMergeCommand } from './merge.ts';
import { addSetCommand } from './set.ts';
import { addShowCommand } from './show.ts';
import { addSignCommand } from './sign.ts';
import { addValidateCommand } from './validate.ts';
import { addVerifyCommand } from './verify.ts';

/** One subcommand of `colophon vex`. */
type VexCommand = (vex: Command, session: Session) => void;

/** In the order in which they are used. */
const VEX_COMMANDS: readonly VexCommand[] = [
  addShowCommand,
  addValidateCommand,
  addConvertCommand,
  addMergeCommand,
  addCreateCommand,
  addSetCommand,
  addSignCommand,
  addVerifyCommand,
  addApplyCommand,
];

/** `colophon vex …` */
export function addVexCommands(program: Command, session: Session): void {
  const vex = program
    .command('vex')
    .description('statements on whether a vulnerability matters: made, checked, converted, signed');
  for (const add of VEX_COMMANDS) add(vex, session);
}
