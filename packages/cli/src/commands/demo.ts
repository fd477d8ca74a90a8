import type { Command } from 'commander';
import type { Session } from '../program/program.ts';

/** `colophon demo`: the whole way in a scratch folder, and what is refused on it. */
export function addDemoCommand(program: Command, session: Session): void {
  program
    .command('demo')
    .description(
      'show the whole way on this machine: context, token, certificate, signature, log, admission, SBOM, licence gate, and what becomes of a vulnerability',
    )
    .action(async () => {
      session.holdInterrupts();
      const { playDemo } = await import('../demo/demo.ts');
      await playDemo(session);
    });
}
