import { type FilePins, keyIdOf, type LogIdentity } from '@colophon/pins';
import { logRestoredType, STATEMENT_TYPE } from '@colophon/records';
import { largestPin } from './ended-log.ts';

/** Which of the two. */
export type LogKind = 'transparency' | 'certificate';

/** What the first entry of a transparency log says of a log that ended. */
export type EndedLogFacts = {
  readonly log: LogKind;
  readonly origin: string;
  /** SHA-256 of its key, hex: its log id. */
  readonly key_id: string;
  /** Entries that it had, by the largest checkpoint that is known. */
  readonly pinned_size: number;
  /** Root over them, hex; null where no checkpoint is known. */
  readonly pinned_root: string | null;
  /** Entries that were left of it, and are still served. */
  readonly kept_size: number;
};

/** @throws PinError `pin.damaged`, `pin.unavailable` */
export function endedLogFacts(log: LogKind, one: LogIdentity, pins: FilePins, kept: number): EndedLogFacts {
  const pinned = largestPin(one, pins);
  return {
    log,
    origin: one.origin,
    key_id: keyIdOf(one.publicKey),
    pinned_size: pinned?.size ?? 0,
    pinned_root: pinned === undefined ? null : Buffer.from(pinned.root).toString('hex'),
    kept_size: kept,
  };
}

/** What stands in the first entry, beside the ended logs. */
export type LogsBegun = {
  readonly predicateBase: string;
  readonly reason: string;
  readonly at: Date;
  readonly transparency_origin: string;
  readonly certificate_origin: string;
};

/**
 * The statement in the first entry of a transparency log that took the place of another, as JSON. Its subjects are the keys of the logs
 * that ended, so a search for a log id finds it.
 */
export function logRestoredStatement(begun: LogsBegun, ended: readonly EndedLogFacts[]): string {
  const { predicateBase, reason, at, transparency_origin, certificate_origin } = begun;
  return JSON.stringify({
    _type: STATEMENT_TYPE,
    subject: ended.map(({ origin, key_id }) => ({ name: origin, digest: { sha256: key_id } })),
    predicateType: logRestoredType(predicateBase),
    predicate: {
      restoredAt: at.toISOString().replace('.000Z', 'Z'),
      reason,
      transparencyLog: transparency_origin,
      certificateLog: certificate_origin,
      ended: ended.map(({ log, origin, key_id, pinned_size, pinned_root, kept_size }) => ({
        log,
        origin,
        logId: key_id,
        pinnedSize: pinned_size,
        pinnedRoot: pinned_root,
        keptSize: kept_size,
      })),
    },
  });
}
