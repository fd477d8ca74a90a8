import type { AgentName, LedgerStorage, NewLedgerRow } from '@colophon/store';

/** Puts rows into the ledger, and keeps two first requests of one agent from registering its name twice. */
export class LedgerWriter {
  readonly #ledger: LedgerStorage;
  readonly #onCommitted: () => void;
  /** Names whose first row is on its way, by their lower-case form, and how many rows bring each. */
  readonly #reserved = new Map<string, { readonly name: AgentName; rows: number }>();

  /** `onCommitted` is told after each row that was added. */
  constructor(ledger: LedgerStorage, onCommitted: () => void) {
    this.#ledger = ledger;
    this.#onCommitted = onCommitted;
  }

  /** The name as it is registered. */
  findName(name: string): Promise<AgentName | undefined> {
    return this.#ledger.findName(name);
  }

  /** The name as it is about to be registered. */
  reservedName(name: string): AgentName | undefined {
    return this.#reserved.size === 0 ? undefined : this.#reserved.get(name.toLowerCase())?.name;
  }

  /**
   * `name`: the agent's, where it is not registered yet. Fulfilled once the row is durable; rejects as
   * {@link LedgerStorage.append}, then the row is not in the ledger.
   */
  async append(row: NewLedgerRow, name: AgentName | undefined): Promise<void> {
    if (name === undefined) await this.#ledger.append([{ row }]);
    else await this.#appendNamed(row, name);
    this.#onCommitted();
  }

  /** Every row that rests on a reserved name brings it along: none is durable without it, whichever comes first. */
  async #appendNamed(row: NewLedgerRow, name: AgentName): Promise<void> {
    const folded = name.agent_name.toLowerCase();
    const reserved = this.#reserved.get(folded) ?? { name, rows: 0 };
    this.#reserved.set(folded, reserved);
    reserved.rows += 1;
    try {
      await this.#ledger.append([{ row, name }]);
    } finally {
      reserved.rows -= 1;
      if (reserved.rows === 0) this.#reserved.delete(folded);
    }
  }
}
