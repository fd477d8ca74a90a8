import type { Command } from 'commander';
import { playDemo } from '../demo/demo.ts';
import { example } from '../program/example.ts';
import type { Session } from '../program/program.ts';

/** `colophon demo`: the whole way in a scratch folder, and what is refused on it. */
export function defineDemo(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon demo'));
  command.action(async () => {
    session.holdInterrupts();
    await playDemo(session);
  });
}
