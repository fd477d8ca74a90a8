import { FilePins, type LogIdentity, PinError, type SignedCheckpoint } from '@colophon/pins';
import { pinsFolder } from '../home/home.ts';
import type { Session } from '../program/program.ts';

/**
 * Keeps a checkpoint that was seen. A machine without a place for pins goes on all the same, and is told that it has no
 * memory.
 * @param isProven whether the log has proven that it continues everything that is known and not larger
 * @throws PinError `pin.fork`, `pin.damaged`
 */
export function keepPin(
  pins: FilePins,
  log: LogIdentity,
  found: SignedCheckpoint,
  isProven: boolean,
  { terminal }: Session,
): void {
  try {
    pins.keep(log, found, isProven);
  } catch (error) {
    if (!(error instanceof PinError) || (error.code !== 'pin.unavailable' && error.code !== 'pin.busy')) throw error;
    terminal.stderr.write(`the checkpoint of the log is not pinned: ${error.message}\n`);
  }
}

/** Holds a checkpoint of which nothing is proven against the pins of this machine, and keeps it. @throws as keepPin */
export function pinSeen(log: LogIdentity, found: SignedCheckpoint, session: Session): void {
  keepPin(new FilePins(pinsFolder(session.env)), log, found, false, session);
}
