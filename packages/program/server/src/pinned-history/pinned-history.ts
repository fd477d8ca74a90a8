import { FilePins, type LogIdentity, PinError, readSignedCheckpoint } from '@colophon/pins';
import type { TreeHead } from '@colophon/store';
import { assertContinues, assertHeld } from './own-trees.ts';

/** How long the newest checkpoint is at most not pinned yet. */
export const PIN_INTERVAL_MS = 5_000;
/** Another process writes for milliseconds, and a server waits for nobody: it tries again. */
const PATIENCE_MS = 200;

/** One tree of the data folder, as its own server sees it. */
export type OwnTree = {
  readonly name: 'ledger' | 'transparency log' | 'certificate log';
  readonly log: LogIdentity;
  head(): TreeHead | undefined;
  size(): number;
  /** Over the first `size` leaves. */
  root(size: number): Uint8Array;
  /** A head as a signed note. */
  note(head: TreeHead): string;
};

type Logger = { warn(fields: object, message: string): void; error(fields: object, message: string): void };

/**
 * What this server has signed before, kept outside of its data folder: an older copy of the folder is whole in itself,
 * and with it the server would sign another history under the same name and key.
 */
export class PinnedHistory {
  readonly #pins: FilePins;
  readonly #logger: Logger;
  readonly #trees: OwnTree[] = [];
  readonly #pinnedSizes = new Map<string, number>();
  readonly #unpinned: OwnTree['name'][] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(folder: string, logger: Logger) {
    this.#pins = new FilePins(folder, PATIENCE_MS);
    this.#logger = logger;
  }

  /** Trees that had a history and no pin when the server started: an older copy of them would not have been noticed. */
  get unpinned(): readonly OwnTree['name'][] {
    return this.#unpinned;
  }

  /**
   * Holds a tree against its pins, before anything is signed on it; from then on its pin follows it.
   * @throws PinError `pin.history_smaller`, `pin.fork`, `pin.log_retired`, `pin.damaged`, `pin.unavailable`
   */
  hold(tree: OwnTree): void {
    const pinned = this.#pins.ofKey(tree.log.publicKey);
    assertHeld(tree, this.#pins);
    if (pinned.length === 0 && tree.size() > 0) {
      this.#unpinned.push(tree.name);
      this.#logger.warn(
        { code: 'server.pin_missing', tree: tree.name, pins: this.#pins.folder },
        `no pin of the ${tree.name} is known, so an older copy of it would not be noticed; its newest checkpoint is pinned now`,
      );
    }
    this.#trees.push(tree);
    try {
      this.#pin(tree);
    } catch (error) {
      // Somebody else is writing pins here, and nothing is wrong with these: it is tried again.
      if (!(error instanceof PinError && error.code === 'pin.busy')) throw error;
    }
  }

  /** Notes that a log is never to be written again: a copy of the data folder may still hold it. */
  retire(log: LogIdentity, successor: string): void {
    this.#pins.retire(log, successor);
  }

  /** Pins what is signed from now on. */
  follow(): void {
    this.#timer = setInterval(() => this.#pinAll(), PIN_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Pins what was signed last. */
  close(): void {
    clearInterval(this.#timer);
    this.#pinAll();
  }

  /** A pin that cannot be written stops nobody: the last one still holds, and the next try may do. */
  #pinAll(): void {
    try {
      for (const tree of this.#trees) this.#pin(tree);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) {
        const { code } = error as { code?: unknown };
        this.#logger.error({ code, err: error }, 'the newest checkpoint cannot be pinned; this is tried again');
      }
      this.#isFailing = true;
    }
  }

  #pin(tree: OwnTree): void {
    const head = tree.head();
    if (head === undefined || head.size === this.#pinnedSizes.get(tree.name)) return;
    // Its own tree is the proof, also for what clients of this user have seen since it was held against the pins.
    assertContinues(tree, head.size, this.#pins);
    this.#pins.keep(tree.log, readSignedCheckpoint(tree.note(head), tree.log.publicKey), true);
    this.#pinnedSizes.set(tree.name, head.size);
  }
}
