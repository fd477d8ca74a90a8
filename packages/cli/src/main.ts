import { EXIT, type ExitCode } from './exit-code/exit-code.ts';
import { runCommand } from './run-command/run-command.ts';

/** Runs one command line and sets the process's exit code; nothing that goes wrong ever leaves it at 0. */
export async function main(args: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(signal, () => {
      // The second one is somebody in a hurry.
      if (interrupt.signal.aborted) process.exit(code);
      process.exitCode = code;
      interrupt.abort();
    });
  }
  // A reader that has seen enough (`| head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.internal),
  );
  await runCommand(args, {
    terminal: { stdout: process.stdout, stderr: process.stderr, env: process.env },
    env: process.env,
    signal: interrupt.signal,
    setExitCode: (code: ExitCode) => {
      process.exitCode = code;
    },
  });
}
