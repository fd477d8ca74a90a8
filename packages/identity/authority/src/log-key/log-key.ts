import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openKeyFile, type SigningKey } from '@colophon/keys';
import { parseCheckpoint, parseNote } from '@colophon/merkle';
import { type Database, MerkleLogStore, type TreeHead, TreeKeyStore } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { checkpointVerifier, treeHeadVerifier } from '../log-verification/signed-head.ts';

/** One of the two logs, with what tells whether a key signed one of its heads. */
export type SignedLog = {
  readonly tree: 'rekor' | 'ct';
  readonly name: string;
  /** File in `keys/`. */
  readonly keyFile: string;
  readonly verifier: (spki: Uint8Array) => (head: TreeHead) => boolean;
};

export const TRANSPARENCY_LOG: SignedLog = {
  tree: 'rekor',
  name: 'the transparency log',
  keyFile: 'transparency-log.pem',
  verifier: checkpointVerifier,
};
export const CERTIFICATE_LOG: SignedLog = {
  tree: 'ct',
  name: 'the certificate log',
  keyFile: 'certificate-log.pem',
  verifier: treeHeadVerifier,
};

/**
 * Opens the key of a log, and makes one only for a log that never had any: with another key the log would go on as a
 * second one, and nothing that was signed under the first would verify any more. Pins the key of a new log.
 *
 * @param isUsed whether the folder had a start before, although the log may have no head yet
 * @throws AuthorityError `authority.log_key_mismatch`, no key having been made; KeyError; StoreError
 */
export async function openLogKey({
  db,
  dataDir,
  log,
  keyFile = log.keyFile,
  isUsed,
}: {
  readonly db: Database;
  readonly dataDir: string;
  readonly log: SignedLog;
  /** In `keys/`; that of a log that took the place of another has a name of its own. */
  readonly keyFile?: string | undefined;
  readonly isUsed: boolean;
}): Promise<SigningKey> {
  const file = join(dataDir, 'keys', keyFile);
  const head = new MerkleLogStore(db, log.tree).head();
  const pins = new TreeKeyStore(db);
  const pinned = pins.find(log.tree);
  if (!existsSync(file) && (isUsed || head !== undefined || pinned !== undefined)) {
    throw mismatch(`${file}, the key of ${log.name} in this data folder, is missing: put it back; no other can go on`);
  }
  const key = openKeyFile(file, 'ES256');
  const keyId = createHash('sha256').update(key.spki).digest();
  const isPinned = pinned === undefined || keyId.equals(pinned);
  if (!isPinned || (head !== undefined && !log.verifier(key.spki)(head))) {
    throw mismatch(`${file} is not the key that signed ${log.name} in this data folder so far: put that key back`);
  }
  if (pinned === undefined) await pins.pin(log.tree, new Uint8Array(keyId));
  return key;
}

/**
 * Holds the transparency log to the name in its newest checkpoint, which every verifier compares.
 * @throws AuthorityError `authority.log_key_mismatch`
 */
export function requireOrigin(db: Database, origin: string): void {
  const head = new MerkleLogStore(db, TRANSPARENCY_LOG.tree).head();
  if (head === undefined) return;
  const note = parseNote(head.note);
  const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
  if (checkpoint.ok && checkpoint.value.origin === origin) return;
  throw mismatch(
    `the newest checkpoint of the transparency log is not of "${origin}": restore keys/ and the database from one backup`,
  );
}

/**
 * Holds a log that was frozen to the key that it is said to have been signed with.
 * @throws AuthorityError `authority.log_key_mismatch`
 */
export function requireFrozenKey(db: Database, log: SignedLog, spki: Uint8Array): void {
  const head = new MerkleLogStore(db, log.tree).head();
  if (head === undefined || log.verifier(spki)(head)) return;
  throw mismatch(`${db.sqlite.location()} does not hold ${log.name} that was frozen: put that file back from a copy`);
}

function mismatch(message: string): AuthorityError {
  return new AuthorityError('authority.log_key_mismatch', message);
}
