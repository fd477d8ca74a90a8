import type { Signer } from '@colophon/keys';
import { ecdsaKeyHash, formatCheckpoint, grownTree, signNote } from '@colophon/merkle';
import { type LedgerStorage, StoreError } from '@colophon/store';
import type { Clock, Logger } from '../ports/ports.ts';

/** A row waits at most this long for its place in the tree and a checkpoint over it. */
export const INTEGRATION_DELAY_MS = 500;

/** So often the ledger is asked for rows that another process has written. */
export const WATCH_INTERVAL_MS = 500;

/** Leaves per transaction: long enough to be cheap, short enough that no request waits long behind it. */
const LEAVES_PER_WRITE = 512;

export type SequencerOptions = {
  readonly ledger: LedgerStorage;
  readonly key: Signer;
  readonly origin: string;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Brings the ledger's rows into its tree, in their order, and signs a checkpoint over them. */
export class LedgerSequencer {
  readonly #options: SequencerOptions;
  readonly #keyHash: Uint8Array;
  #timer: NodeJS.Timeout | undefined;
  #watcher: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Whether somebody asked since the rows were last read. */
  #isAsked = false;
  #isClosed = false;

  constructor(options: SequencerOptions) {
    this.#options = options;
    this.#keyHash = ecdsaKeyHash(options.key.spki);
  }

  /** There are new rows: they will be in the tree before a second has passed. */
  schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.integrate().catch((error: unknown) => {
        this.#options.logger.error({ code: 'issuer.ledger_unavailable', err: error }, 'rows wait for their checkpoint');
        this.schedule();
      });
    }, INTEGRATION_DELAY_MS);
    this.#timer.unref();
  }

  /** From now on rows of other processes, of which nobody tells, are in the tree before a second has passed too. */
  watch(): void {
    if (this.#isClosed) return;
    this.#watcher = setTimeout(() => {
      // Whoever writes a row here asks for its place, and hears where that fails: this only looks again.
      void this.integrate()
        .catch(() => {})
        .finally(() => this.watch());
    }, WATCH_INTERVAL_MS);
    this.#watcher.unref();
  }

  /** Brings every row that is on disk now into the tree; rejects where that cannot be written. */
  integrate(): Promise<void> {
    // A run that is under way has read its rows, and reads again before it ends.
    this.#isAsked = true;
    this.#running ??= this.#integrateAll();
    return this.#running;
  }

  /** Integrates what is left, and never again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#watcher);
    // What could not be written a moment ago is tried once more.
    await this.#running?.catch(() => {});
    await this.integrate();
  }

  async #integrateAll(): Promise<void> {
    try {
      let isMore: boolean;
      do {
        this.#isAsked = false;
        isMore = await this.#integrateSome();
      } while (isMore || this.#isAsked);
    } finally {
      // In the same turn as the last look at what was asked, so that nobody joins a run that has ended.
      this.#running = undefined;
    }
  }

  /**
   * One step of the tree: read, sign, write if the head is still the one that was read. Nodes and the checkpoint over
   * them are written together, so a tree never grows past what is signed. True where more may be waiting.
   */
  async #integrateSome(): Promise<boolean> {
    const { ledger, key, origin, clock } = this.#options;
    const { head: from, edge, leafHashes } = await ledger.pending(LEAVES_PER_WRITE);
    if (leafHashes.length === 0) return false;
    const { size, root, nodes } = grownTree(from?.size ?? 0, edge, leafHashes);
    const text = formatCheckpoint({ origin, size, root });
    const signature = await key.signDer(Buffer.from(text));
    const note = signNote(text, { name: origin, keyHash: this.#keyHash, sign: () => signature });
    try {
      await ledger.advance({ from, nodes, to: { size, root, note, signedAt: clock.now() } });
    } catch (error) {
      // Another sequencer was faster: what it left is read anew, and this checkpoint is shown to nobody.
      if (error instanceof StoreError && error.code === 'store.conflict') return true;
      throw error;
    }
    return leafHashes.length === LEAVES_PER_WRITE;
  }
}
