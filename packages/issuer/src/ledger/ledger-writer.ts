import type { AgentName, AgentNameStore, Database, LedgerStore, NewLedgerRow } from '@colophon/store';

/** A token that is about to leave, and the agent's name where the ledger sees it for the first time. */
export type LedgerAppend = { readonly row: NewLedgerRow; readonly newName: AgentName | undefined };

type Waiting = LedgerAppend & { readonly resolve: () => void; readonly reject: (reason: unknown) => void };

/** Collects the rows of one turn of the event loop into one write; a promise is fulfilled once its row is on disk. */
export class LedgerWriter {
  readonly #db: Database;
  readonly #ledger: LedgerStore;
  readonly #names: AgentNameStore;
  readonly #onCommitted: () => void;
  #waiting: Waiting[] = [];
  /** Names whose first row is on its way, by their lower-case form: two spellings in one turn are told apart here. */
  readonly #reserved = new Map<string, AgentName>();

  /** `onCommitted` is told after each write that added rows. */
  constructor(db: Database, ledger: LedgerStore, names: AgentNameStore, onCommitted: () => void) {
    this.#db = db;
    this.#ledger = ledger;
    this.#names = names;
    this.#onCommitted = onCommitted;
  }

  /** The name as it is registered, or as it is about to be. */
  findName(name: string): AgentName | undefined {
    if (this.#reserved.size > 0) {
      const reserved = this.#reserved.get(name.toLowerCase());
      if (reserved !== undefined) return reserved;
    }
    return this.#names.find(name);
  }

  /** Rejects where the row could not be made durable; then it is not in the ledger. */
  append(entry: LedgerAppend): Promise<void> {
    return new Promise((resolve, reject) => {
      const { row, newName } = entry;
      if (newName !== undefined) this.#reserved.set(newName.agent_name.toLowerCase(), newName);
      this.#waiting.push({ row, newName, resolve, reject });
      if (this.#waiting.length === 1) this.#commitThisTurn();
    });
  }

  #commitThisTurn(): void {
    let batch: Waiting[] | undefined;
    const written = this.#db.write(() => {
      batch = this.#take();
      for (const { row, newName } of batch) {
        if (newName !== undefined) this.#names.insert(newName, row.issued_at);
      }
      this.#ledger.append(batch.map(({ row }) => row));
    });
    written.then(
      () => {
        this.#settle(batch!, ({ resolve }) => resolve());
        this.#onCommitted();
      },
      // A transaction that could not even begin has not taken its rows yet.
      (error: unknown) => this.#settle(batch ?? this.#take(), ({ reject }) => reject(error)),
    );
  }

  #take(): Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }

  #settle(batch: readonly Waiting[], end: (entry: Waiting) => void): void {
    for (const entry of batch) {
      if (entry.newName !== undefined) this.#reserved.delete(entry.newName.agent_name.toLowerCase());
      end(entry);
    }
  }
}
