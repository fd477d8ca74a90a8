import type { AgentName, LedgerStorage, NewLedgerRow, NewToken, TokenUse } from '@colophon/store';

/** Puts rows into the ledger, and keeps two first requests of one agent from registering its name twice. */
export class LedgerWriter {
  readonly #ledger: LedgerStorage;
  /** Names whose first row is on its way, by their lower-case form, and how many rows bring each. */
  readonly #reserved = new Map<string, { readonly name: AgentName; rows: number }>();

  constructor(ledger: LedgerStorage) {
    this.#ledger = ledger;
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
   * `name`: the agent's, where it is not registered yet; `use`: of the caller's token, where that counts once. Fulfilled once the row is durable; rejects as
   * {@link LedgerStorage.append}, then the row is not in the ledger.
   */
  append(row: NewLedgerRow, name: AgentName | undefined, use: TokenUse | undefined): Promise<void> {
    const token = use === undefined ? { row } : { row, use };
    return name === undefined ? this.#ledger.append([token]) : this.#appendNamed(token, name);
  }

  /** Every row that rests on a reserved name brings it along: none is durable without it, whichever comes first. */
  async #appendNamed(token: NewToken, name: AgentName): Promise<void> {
    const folded = name.agent_name.toLowerCase();
    const reserved = this.#reserved.get(folded) ?? { name, rows: 0 };
    this.#reserved.set(folded, reserved);
    reserved.rows += 1;
    try {
      await this.#ledger.append([{ ...token, name }]);
    } finally {
      reserved.rows -= 1;
      if (reserved.rows === 0) this.#reserved.delete(folded);
    }
  }
}
