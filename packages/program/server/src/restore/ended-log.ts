import type { KeyObject } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { openKeyFile, type SigningKey } from '@colophon/keys';
import { type FilePins, keyIdOf, type LogIdentity, PinError, type SignedCheckpoint } from '@colophon/pins';

/** Reasons for which a log must not go on. */
const REASONS: readonly string[] = ['pin.history_smaller', 'pin.fork', 'pin.log_retired'];

/** Whether a check against the pins says that a log must not go on. @throws what else it throws */
export function mustNotGoOn(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof PinError && REASONS.includes(error.code)) return true;
    throw error;
  }
}

/**
 * Logs that took the place of one by earlier restores, where their database was lost too or an older copy than theirs
 * was put back: they end here as well.
 * @param others every log whose key is there
 */
export function successorsOf(
  frozen: LogIdentity,
  pins: FilePins,
  others: readonly LogIdentity[],
): readonly LogIdentity[] {
  const chain: LogIdentity[] = [];
  for (let log: LogIdentity | undefined = frozen; log !== undefined; ) {
    const successor = pins.successorOf(log);
    log = others.find(({ origin }) => origin === successor && !chain.some((one) => one.origin === origin));
    if (log !== undefined) chain.push(log);
  }
  return chain;
}

/** The largest checkpoint that is known of a log. @throws PinError `pin.damaged`, `pin.unavailable` */
export function largestPin({ origin, publicKey }: LogIdentity, pins: FilePins): SignedCheckpoint | undefined {
  const known = pins.ofKey(publicKey).filter((one) => one.origin === origin);
  return [...known].sort((one, other) => other.size - one.size)[0];
}

/** A key under a name that tells it from all others; one that was left by a call that was killed is used. */
export function nextKey(folder: string, name: string): { readonly file: string; readonly key: SigningKey } {
  const draft = join(folder, `${name}-next.pem`);
  const key = openKeyFile(draft, 'ES256');
  const file = `${name}-${keyIdOf(key.publicKey).slice(0, 16)}.pem`;
  renameSync(draft, join(folder, file));
  return { file, key };
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}
