import type { SigningKey } from '@colophon/keys';
import { ecdsaKeyHash, formatCheckpoint, signNote } from '@colophon/merkle';
import type { Database, LedgerStore, MerkleLogStore } from '@colophon/store';
import type { Clock, Logger } from '../ports/ports.ts';

/** A row waits at most this long for its place in the tree and a checkpoint over it. */
export const INTEGRATION_DELAY_MS = 500;

/** Leaves per transaction: long enough to be cheap, short enough that no request waits long behind it. */
const LEAVES_PER_WRITE = 512;

export type SequencerOptions = {
  readonly db: Database;
  readonly ledger: LedgerStore;
  readonly tree: MerkleLogStore;
  readonly key: SigningKey;
  readonly origin: string;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** The one writer of the ledger's tree: brings rows into it in their order and signs a checkpoint over them. */
export class LedgerSequencer {
  readonly #options: SequencerOptions;
  readonly #keyHash: Uint8Array;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
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

  /** Brings every row that is on disk now into the tree; rejects where that cannot be written. */
  integrate(): Promise<void> {
    this.#running ??= this.#integrateAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Integrates what is left, and never again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.integrate();
  }

  async #integrateAll(): Promise<void> {
    while ((await this.#options.db.write(() => this.#integrateSome())) === LEAVES_PER_WRITE);
  }

  /** Nodes and the checkpoint over them are one transaction: a tree never grows past what is signed. */
  #integrateSome(): number {
    const { ledger, tree, key, origin, clock } = this.#options;
    const leaves = ledger.leafHashesFrom(tree.size(), LEAVES_PER_WRITE);
    if (leaves.length === 0) return 0;
    const size = tree.appendAll(leaves) + leaves.length;
    const root = tree.root(size);
    const note = signNote(formatCheckpoint({ origin, size, root }), {
      name: origin,
      keyHash: this.#keyHash,
      sign: (bytes) => key.signDer(bytes),
    });
    tree.saveHead({ size, root, note, signedAt: clock.now() });
    return leaves.length;
  }
}
