import { Option } from 'commander';
import { EXIT } from '../exit-code/exit-code.ts';
import { untilAborted } from '../interrupts/until-aborted.ts';
import type { Session } from './program.ts';

/** What `logLevelOption` reads. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** What a server says of itself. */
export function logLevelOption(level: LogLevel): Option {
  return new Option('--log-level <level>', 'what goes to standard error, as lines of JSON')
    .choices(['silent', 'error', 'warn', 'info'])
    .default(level);
}

/** Runs a server until Ctrl-C, and ends it in its own time. */
export async function serveUntilInterrupted(
  session: Session,
  start: () => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  session.holdInterrupts();
  const server = await start();
  try {
    await untilAborted(session.signal);
  } finally {
    await server.close();
  }
  session.setExitCode(EXIT.ok);
}
