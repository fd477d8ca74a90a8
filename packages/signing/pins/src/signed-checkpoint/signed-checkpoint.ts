import { type KeyObject, verify } from 'node:crypto';
import { parseCheckpoint, parseNote, signNote } from '@colophon/merkle';
import { PinError } from '../pin-error/pin-error.ts';
import { keyIdOf } from './key-id.ts';
import { treeHeadOf } from './tree-head-note.ts';

/** A log, as far as it can be told apart from others. */
export type LogIdentity = {
  /** First line of its checkpoints. */
  readonly origin: string;
  readonly publicKey: KeyObject;
};

/** A state of a log that its key has signed, and whose signature was verified. */
export type SignedCheckpoint = {
  readonly origin: string;
  /** SHA-256 over the key's SubjectPublicKeyInfo, hex. */
  readonly keyId: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** The text and the log's own signature, so that everybody can verify it again; signatures of others are left out. */
  readonly note: string;
};

/**
 * Reads a checkpoint that the key has signed: a signed note over it, or the note of a certificate log's tree head.
 * @throws PinError `pin.checkpoint_invalid`
 * @see c2sp.org/tlog-checkpoint, c2sp.org/static-ct-api#checkpoints
 */
export function readSignedCheckpoint(note: string, publicKey: KeyObject): SignedCheckpoint {
  const parsed = parseNote(note);
  const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed;
  if (!parsed.ok || !checkpoint.ok) throw invalid('it cannot be read');
  const { text, signatures } = parsed.value;
  const { origin, size, root } = checkpoint.value;
  const algorithm = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signed = Buffer.from(text);
  const own = signatures.find(({ name, keyHash, signature }) => {
    const head = treeHeadOf({ name, keyHash, signature, size, root }, publicKey);
    return head === undefined
      ? isNameIn(origin, name) && isValid(algorithm, signed, publicKey, signature)
      : name === origin && isValid(algorithm, head.signed, publicKey, head.signature);
  });
  if (own === undefined) throw invalid('no signature on it is by the key of the log');
  // Anybody can add lines to a checkpoint, and whoever keeps it would keep them too.
  const alone = signNote(text, { ...own, sign: () => own.signature });
  return { origin, keyId: keyIdOf(publicKey), size, root, note: alone };
}

/** Only this log's. @throws PinError `pin.other_log`, `pin.checkpoint_invalid` */
export function readCheckpointOf(note: string, { origin, publicKey }: LogIdentity): SignedCheckpoint {
  const found = readSignedCheckpoint(note, publicKey);
  if (found.origin === origin) return found;
  throw new PinError('pin.other_log', 'the checkpoint is of another log', { expected: origin, found: found.origin });
}

/** A log signs under its name; Rekor v1 adds the number of its tree to it. */
function isNameIn(origin: string, name: string): boolean {
  return origin === name || origin.startsWith(`${name} `);
}

/** A signature that a key cannot even read is none. */
function isValid(algorithm: string | null, signed: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  try {
    return verify(algorithm, signed, key, signature);
  } catch {
    return false;
  }
}

function invalid(reason: string): PinError {
  return new PinError('pin.checkpoint_invalid', `the checkpoint does not count: ${reason}`);
}
