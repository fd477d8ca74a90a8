import type { Command } from 'commander';
import type { Session } from '../program/program.ts';

/** `colophon demo`: the whole way in a scratch folder, and what is refused on it. */
export function defineDemo(command: Command, session: Session): void {
  command.action(async () => {
    session.holdInterrupts();
    const { playDemo } = await import('../demo/demo.ts');
    await playDemo(session);
  });
}
