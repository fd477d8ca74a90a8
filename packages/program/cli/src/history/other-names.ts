import type { FilePins, LogHistory, LogIdentity, SignedCheckpoint } from '@colophon/pins';
import { provenNewest } from '@colophon/pins';

/**
 * What is pinned of a log's key under other names than its own. Whoever holds the key chooses the name in a checkpoint, so
 * a history that was taken back could go on under a name of which nothing is known; each of these must still be there.
 * @returns every pinned one, with the newest of its name
 * @throws PinError as provenNewest
 */
export async function provenOtherNames(
  { origin, publicKey }: LogIdentity,
  pins: FilePins,
  historyOf: (origin: string) => LogHistory,
): Promise<readonly { readonly known: readonly SignedCheckpoint[]; readonly newest: SignedCheckpoint }[]> {
  const others = Map.groupBy(
    pins.ofKey(publicKey).filter((one) => one.origin !== origin),
    (one) => one.origin,
  );
  const proven = [];
  for (const [name, known] of others) {
    proven.push({ known, newest: await provenNewest({ origin: name, publicKey }, known, historyOf(name)) });
  }
  return proven;
}
