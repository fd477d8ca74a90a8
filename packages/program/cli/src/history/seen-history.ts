import {
  assertNoFork,
  FilePins,
  historyOf,
  knownList,
  type LogIdentity,
  PinError,
  provenNewest,
  readSignedCheckpoint,
  type SignedCheckpoint,
} from '@colophon/pins';
import type { PinnedRoot, TrustedLog, TrustMaterial } from '@colophon/sigstore';
import type { Command } from 'commander';
import { pinsFolder } from '../home/home.ts';
import { underHeading } from '../program/help-layout.ts';
import type { Session } from '../program/program.ts';
import { givenCheckpoint } from './given-checkpoint.ts';
import { keepPin } from './keep-pin.ts';
import { provenOtherNames } from './other-names.ts';

/** Flags of a command that verifies, about the history of the logs. */
export type HistoryFlags = { readonly checkpoint?: string; readonly requireConsistency?: boolean };

/** Adds `--checkpoint` and `--require-consistency`. */
export function withHistory(command: Command): Command {
  return underHeading('verified', command, (verifying) =>
    verifying
      .option(
        '--checkpoint <file-or-url>',
        'checkpoint that was kept elsewhere, which counts as a pin: --require-consistency has the log continue it',
      )
      .option(
        '--require-consistency',
        'ask the log to prove that its newest checkpoint continues this one, and every one that was seen before',
      ),
  );
}

type SeenLog = { readonly identity: LogIdentity; readonly url: string; readonly seen: Map<string, SignedCheckpoint> };

/** The checkpoints that a verification came upon, and what is done about them: they are held against the pins, and kept. */
export class SeenHistory {
  /** The same material, whose logs tell of their checkpoints. */
  readonly trust: TrustMaterial;
  readonly #session: Session;
  readonly #pins: FilePins;
  readonly #logs = new Map<string, SeenLog>();

  constructor(trust: TrustMaterial, session: Session) {
    const watched = (log: TrustedLog): TrustedLog => ({ ...log, onCheckpoint: ({ note }) => this.#see(log, note) });
    const [first, ...others] = trust.roots;
    const watchedRoot = (root: PinnedRoot): PinnedRoot => ({ ...root, logs: root.logs.map(watched) });
    const roots = [watchedRoot(first), ...others.map(watchedRoot)] as const;
    this.trust = { ...trust, roots, logs: roots.flatMap(({ logs }) => logs) };
    this.#session = session;
    this.#pins = new FilePins(pinsFolder(session.env));
  }

  /**
   * Holds every log that was seen against what is known of it, and keeps what is new. With `requireConsistency` each log
   * is asked to prove that it continues all of it; else nobody is asked.
   * @throws PinError
   */
  async settle({ checkpoint, requireConsistency = false }: HistoryFlags = {}): Promise<void> {
    const given = checkpoint === undefined ? undefined : this.#given(await givenCheckpoint(checkpoint), checkpoint);
    if (requireConsistency && this.#logs.size === 0) {
      throw new PinError('pin.no_checkpoint', 'no checkpoint of a log was seen, so there is nothing to prove');
    }
    for (const [id, { identity, url, seen }] of this.#logs) {
      const known = [...knownList(this.#pins.known(identity)), ...(given?.id === id ? [given.checkpoint] : [])];
      const found = [...seen.values()].sort((a, b) => a.size - b.size);
      for (const [index, one] of found.entries()) assertNoFork([...known, ...found.slice(0, index)], one);
      const largest = found.at(-1)!;
      if (!requireConsistency) {
        this.#keep(identity, largest, false);
        continue;
      }
      const newest = await provenNewest(identity, [...known, ...found], historyOf(url, identity.origin));
      await provenOtherNames(identity, this.#pins, (name) => historyOf(url, name));
      this.#keep(identity, newest, true);
    }
  }

  /**
   * Whether there are pins to hold anything against: to be asked before what cannot be undone is done. A machine whose pins
   * nobody may read is told so.
   * @throws PinError `pin.damaged`
   */
  canHold(): boolean {
    try {
      for (const { publicKey } of this.trust.logs) this.#pins.ofKey(publicKey);
      return true;
    } catch (error) {
      if (!(error instanceof PinError) || error.code !== 'pin.unavailable') throw error;
      this.#session.terminal.stderr.write(`the log is not held against pins: ${error.message}\n`);
      return false;
    }
  }

  #see(log: TrustedLog, note: string): void {
    const { publicKey, baseUrl } = log;
    const found = readSignedCheckpoint(note, publicKey);
    const id = idOf(found);
    const known = this.#logs.get(id);
    const seen = known?.seen ?? new Map<string, SignedCheckpoint>();
    seen.set(`${found.size} ${Buffer.from(found.root).toString('hex')}`, found);
    if (known === undefined) this.#logs.set(id, { identity: { origin: found.origin, publicKey }, url: baseUrl, seen });
  }

  /** @throws PinError `pin.checkpoint_invalid` for one of no pinned log, `pin.other_log` for one that nothing is held against */
  #given(note: string, place: string): { readonly id: string; readonly checkpoint: SignedCheckpoint } {
    const found = signedByOne(note, this.trust.logs, place);
    const id = idOf(found);
    if (this.#logs.has(id)) return { id, checkpoint: found };
    throw new PinError('pin.other_log', 'the checkpoint is of a log that is not the one of this signature', {
      checked: place,
      expected: [...this.#logs.values()].map(({ identity }) => identity.origin).join(', ') || 'no log was seen',
      found: found.origin,
    });
  }

  #keep(identity: LogIdentity, found: SignedCheckpoint, isProven: boolean): void {
    keepPin(this.#pins, identity, found, isProven, this.#session);
  }
}

/** A checkpoint by any of these logs. @throws PinError `pin.checkpoint_invalid` */
export function signedByOne(
  note: string,
  logs: readonly { readonly publicKey: LogIdentity['publicKey'] }[],
  place: string,
): SignedCheckpoint {
  let refusal: PinError | undefined;
  for (const { publicKey } of logs) {
    try {
      return readSignedCheckpoint(note, publicKey);
    } catch (error) {
      if (!(error instanceof PinError)) throw error;
      refusal = error;
    }
  }
  throw new PinError('pin.checkpoint_invalid', refusal?.message ?? 'no log is pinned', { checked: place });
}

function idOf({ origin, keyId }: SignedCheckpoint): string {
  return JSON.stringify([origin, keyId]);
}
