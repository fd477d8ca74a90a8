import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  LockHeld,
  makeFolder,
  readRegularFile,
  systemReason,
  withFileLock,
  writeFileDurably,
} from '@colophon/durable-file';
import { PinError } from '../pin-error/pin-error.ts';
import { type KnownCheckpoints, withSeen } from '../pin-rule/pin-rule.ts';
import { keyIdOf } from '../signed-checkpoint/key-id.ts';
import {
  type LogIdentity,
  readSignedCheckpoint,
  type SignedCheckpoint,
} from '../signed-checkpoint/signed-checkpoint.ts';

/** Bytes of a pin file: a checkpoint has some hundred, or some thousand with the signatures of many witnesses. */
const MOST_PIN_BYTES = 256 * 1024;
/** A write takes some milliseconds. */
const PATIENCE_MS = 10_000;
/** Notes whose signatures are remembered: those of a dozen logs. */
const MOST_VERIFIED = 1000;
/** How often a folder is looked at again that changes meanwhile. */
const MOST_LOOKS = 5;
const NAME = /^([0-9a-f]{64})\.([0-9a-f]{16})\.(pinned|seen)$/;

type Role = 'pinned' | 'seen';
type PinFile = { readonly name: string; readonly keyId: string; readonly originId: string; readonly role: Role };

/**
 * Pins in a folder: of each log a file with the checkpoint that is pinned, as its log has signed it, so that it can be
 * verified by anybody and handed on; and one with a JSON array of larger ones that were seen and are not proven.
 * A file is whole or not there, and is replaced under a lock; what is known only grows.
 */
export class FilePins {
  readonly folder: string;
  readonly #patienceMs: number;
  /** By key and text: a file is read several times by one command, and each note in it verified once. */
  readonly #verified = new Map<string, SignedCheckpoint>();

  /** @param patienceMs how long another process's write is waited for */
  constructor(folder: string, patienceMs: number = PATIENCE_MS) {
    this.folder = folder;
    this.#patienceMs = patienceMs;
  }

  /**
   * What is known of a log.
   * @throws PinError `pin.damaged` for a file that holds no checkpoint of it, `pin.unavailable`
   */
  known({ origin, publicKey }: LogIdentity): KnownCheckpoints {
    const originId = originIdOf(origin);
    const found = this.#readAll(publicKey).filter((file) => file.originId === originId);
    const of = (role: Role) => found.filter((file) => file.role === role).flatMap(({ checkpoints }) => checkpoints);
    const [pinned] = of('pinned');
    // A crash between the two writes leaves some that are no longer needed.
    const seen = of('seen').filter(({ size }) => pinned === undefined || size > pinned.size);
    return pinned === undefined ? { seen } : { pinned, seen };
  }

  /**
   * Everything that is known of logs with this key, whatever their names: a key belongs to one log.
   * @throws PinError as known
   */
  ofKey(publicKey: LogIdentity['publicKey']): readonly SignedCheckpoint[] {
    return this.#readAll(publicKey).flatMap(({ checkpoints }) => checkpoints);
  }

  /**
   * Keeps a checkpoint that was seen. On disk before it returns.
   * @param isProven whether the log has proven that it continues everything that is known and not larger
   * @throws PinError `pin.fork`, `pin.damaged`, `pin.busy`, `pin.unavailable`
   */
  keep(log: LogIdentity, found: SignedCheckpoint, isProven: boolean): void {
    const before = this.known(log);
    // Most are not new, and need no lock.
    if (withSeen(before, found, isProven) === before) return;
    this.#locked(() => {
      const known = this.known(log);
      const next = withSeen(known, found, isProven);
      if (next === known) return;
      const { pinned, seen } = next;
      const prefix = `${found.keyId}.${originIdOf(log.origin)}`;
      if (pinned !== known.pinned) this.#write(`${prefix}.pinned`, pinned!.note);
      if (seen.length > 0) this.#write(`${prefix}.seen`, JSON.stringify(seen.map(({ note }) => note)));
      else rmSync(join(this.folder, `${prefix}.seen`), { force: true });
    });
  }

  /**
   * Notes that a log was frozen and is never to be written again, and which one takes its place. On disk before it returns.
   * @throws PinError `pin.unavailable`, `pin.busy`
   */
  retire({ origin, publicKey }: LogIdentity, successor: string): void {
    const name = `${keyIdOf(publicKey)}.${originIdOf(origin)}.retired`;
    if (existsSync(join(this.folder, name))) return;
    this.#locked(() => this.#write(name, `${successor}\n`));
  }

  /** The name of the log that took the place of this one. @throws PinError `pin.unavailable` */
  successorOf({ origin, publicKey }: LogIdentity): string | undefined {
    const path = join(this.folder, `${keyIdOf(publicKey)}.${originIdOf(origin)}.retired`);
    try {
      return readRegularFile(path, MOST_PIN_BYTES).toString().trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#unavailable(error);
    }
  }

  #readAll(publicKey: LogIdentity['publicKey']) {
    const keyId = keyIdOf(publicKey);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#files()
          .filter((file) => file.keyId === keyId)
          .map((file) => ({ ...file, checkpoints: this.#read(file, publicKey) }));
      } catch (error) {
        // A writer took one away between the two looks; what took its place is there already.
        if (!(error instanceof PinError && isGone(error.cause)) || attempt === MOST_LOOKS) throw error;
      }
    }
  }

  #files(): PinFile[] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw this.#unavailable(error);
    }
    return names.flatMap((name) => {
      const [, keyId, originId, role] = NAME.exec(name) ?? [];
      if (keyId === undefined || originId === undefined) return [];
      return [{ name, keyId, originId, role: role as Role }];
    });
  }

  /** What does not verify with the log's key is no pin, and no pin that is there is left out silently. */
  #read({ name, role, originId }: PinFile, publicKey: LogIdentity['publicKey']): readonly SignedCheckpoint[] {
    const path = join(this.folder, name);
    let found: readonly SignedCheckpoint[];
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(path, MOST_PIN_BYTES));
      found = (role === 'pinned' ? [text] : notesIn(text)).map((note) => this.#verify(note, publicKey));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EACCES') throw this.#unavailable(cause);
      throw damaged(path, 'it does not hold what its log has signed', cause);
    }
    if (found.every(({ origin }) => originIdOf(origin) === originId)) return found;
    throw damaged(path, 'it holds a checkpoint of another log');
  }

  #verify(note: string, publicKey: LogIdentity['publicKey']): SignedCheckpoint {
    const id = `${keyIdOf(publicKey)} ${note}`;
    const found = this.#verified.get(id) ?? readSignedCheckpoint(note, publicKey);
    // A server reads its own pins for months.
    if (this.#verified.size >= MOST_VERIFIED) this.#verified.clear();
    this.#verified.set(id, found);
    return found;
  }

  #write(name: string, content: string): void {
    writeFileDurably(join(this.folder, name), content, 0o600);
  }

  #locked(work: () => void): void {
    try {
      makeFolder(this.folder);
      withFileLock(join(this.folder, 'lock.db'), work, this.#patienceMs);
    } catch (error) {
      if (error instanceof PinError) throw error;
      if (error instanceof LockHeld) throw new PinError('pin.busy', `another process is writing ${this.folder}`);
      throw this.#unavailable(error);
    }
  }

  #unavailable(cause: unknown): PinError {
    const reason = 'errcode' in (cause as object) ? (cause as Error).message : systemReason(cause);
    return new PinError('pin.unavailable', `${this.folder}: ${reason}`, { checked: this.folder, cause });
  }
}

/** @throws Error for anything but a JSON array of texts */
function notesIn(text: string): readonly string[] {
  const notes: unknown = JSON.parse(text);
  if (Array.isArray(notes) && notes.every((note) => typeof note === 'string')) return notes;
  throw new TypeError('no list of notes');
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

function originIdOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex').slice(0, 16);
}

function damaged(path: string, reason: string, cause?: unknown): PinError {
  return new PinError('pin.damaged', `${path} is damaged: ${reason}`, {
    checked: path,
    ...(cause === undefined ? {} : { cause }),
  });
}
