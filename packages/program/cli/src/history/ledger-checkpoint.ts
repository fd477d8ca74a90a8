import type { KeyObject } from 'node:crypto';
import { isLedgerOrigin, ledgerOrigin } from '@colophon/issuer';
import { ledgerHistory, PinError, readSignedCheckpoint, type SignedCheckpoint } from '@colophon/pins';
import type { Session } from '../program/program.ts';
import { auditHistory } from './audit-history.ts';
import { givenCheckpoint } from './given-checkpoint.ts';
import type { HistoryResult } from './history-result.ts';

/**
 * A checkpoint of a ledger of this issuer: of its first one, or of one that a restore began.
 * @throws PinError `pin.checkpoint_invalid`, `pin.other_log`
 */
export function readLedgerCheckpoint(note: string, issuerUrl: string, publicKey: KeyObject): SignedCheckpoint {
  const found = readSignedCheckpoint(note, publicKey);
  if (isLedgerOrigin(issuerUrl, found.origin, found.keyId)) return found;
  throw new PinError('pin.other_log', 'the checkpoint is of another log', {
    expected: ledgerOrigin(issuerUrl),
    found: found.origin,
  });
}

/**
 * Asks an issuer to prove that its ledger continues a given checkpoint and the pins. It is asked for the ledger that the
 * key belongs to, which a restore may have frozen.
 * @throws PinError; CliError `cli.file_unreadable`
 */
export async function auditLedger(
  issuerUrl: string,
  publicKey: KeyObject,
  checkpoint: string | undefined,
  session: Session,
): Promise<HistoryResult> {
  const note = checkpoint === undefined ? await ledgerHistory(issuerUrl).newest() : await givenCheckpoint(checkpoint);
  const { origin } = readLedgerCheckpoint(note, issuerUrl, publicKey);
  return auditHistory({ origin, publicKey }, (name) => ledgerHistory(issuerUrl, name), checkpoint, session);
}
