import { LockHeld, systemReason, withFileLock } from '@colophon/durable-file';
import { KeyError } from '../key-error/key-error.ts';

/** A change takes some milliseconds, and half a second where a key is made for RS256. */
const PATIENCE_MS = 10_000;

/**
 * Does `work` while no other process changes this ring.
 * @throws KeyError `key.ring_busy`, `key.unavailable`; what `work` throws
 */
export function lockedRing<T>(lockFile: string, work: () => T, patienceMs = PATIENCE_MS): T {
  let isLocked = false;
  try {
    return withFileLock(
      lockFile,
      () => {
        isLocked = true;
        return work();
      },
      patienceMs,
    );
  } catch (cause) {
    if (isLocked) throw cause;
    if (cause instanceof LockHeld) {
      throw new KeyError('key.ring_busy', `another process is changing the keys beside ${lockFile}`);
    }
    throw new KeyError('key.unavailable', `${lockFile} cannot be made or locked: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  return 'errcode' in (error as object) ? (error as Error).message : systemReason(error);
}
