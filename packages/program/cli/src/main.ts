import { writeSync } from 'node:fs';
import { useMachineNetwork } from '@colophon/peer';
import { EXIT, type ExitCode } from './exit-code/exit-code.ts';
import { Interrupts } from './interrupts/interrupts.ts';
import { runCommand } from './run-command/run-command.ts';

/** At once, since the process is about to end; where nobody listens any more, nobody is told. */
function tell(text: string): void {
  try {
    writeSync(process.stderr.fd, text);
  } catch {
    // Standard error is as full.
  }
}

/** Runs one command line and sets the process's exit code; nothing that goes wrong ever leaves it at 0. */
export async function main(args: readonly string[]): Promise<void> {
  const interrupts = new Interrupts(process);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has seen enough (`| head`) is no failure of ours, and what is under way is put in order first.
      if (error.code === 'EPIPE') return;
      if (stream === process.stdout) tell(`error cli.internal: standard output cannot be written: ${error.code}\n`);
      // What has failed already is said by its own code.
      process.exit(process.exitCode || EXIT.internal);
    });
  }
  await runCommand(args, {
    terminal: { stdout: process.stdout, stderr: process.stderr, env: process.env },
    env: process.env,
    signal: interrupts.signal,
    run: runCommand,
    holdInterrupts: () => interrupts.hold(),
    useNetwork: () => useMachineNetwork(process.env),
    setExitCode: (code: ExitCode) => {
      process.exitCode = code;
    },
    exitAs: (code) => {
      process.exitCode = code;
    },
  });
}
