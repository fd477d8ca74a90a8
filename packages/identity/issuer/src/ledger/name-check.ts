import { isUuid } from '@colophon/notation';
import type { StoredAgentName } from '@colophon/store';
import type { ProblemSink } from './ledger-problem.ts';

type SeenName = {
  readonly agent_name: string;
  readonly agent_id: unknown;
  readonly issued_at: number;
  readonly seq: number;
};

/** Holds the registered names of agents against those that rows name. Keeps one entry for each agent. */
export class NameCheck {
  readonly #problems: ProblemSink;
  readonly #seen = new Map<string, SeenName>();
  readonly #erasedAt = new Set<number>();
  /** Names that a row gives. */
  confirmed = 0;
  /** Names whose rows were all erased, so that nothing gives them. */
  unconfirmed = 0;

  constructor(problems: ProblemSink) {
    this.#problems = problems;
  }

  /** A row names an agent, or none. */
  row(seq: number, issued_at: number, { agent_name, agent_id }: { readonly [claim: string]: unknown }): void {
    if (typeof agent_name !== 'string') return;
    const folded = agent_name.toLowerCase();
    const first = this.#seen.get(folded);
    if (first === undefined) this.#seen.set(folded, { agent_name, agent_id, issued_at, seq });
    else if (first.agent_name !== agent_name || first.agent_id !== agent_id)
      this.#problems.add('ledger.name_mismatch', `row ${first.seq} has this agent with another name or id`, { seq });
  }

  /** A row no longer says whom it named. */
  erasedRow(issued_at: number): void {
    this.#erasedAt.add(issued_at);
  }

  /** Called after the last row. */
  names(registered: Iterable<StoredAgentName>): void {
    for (const name of registered) this.#name(name);
    for (const { seq } of this.#seen.values())
      this.#problems.add('ledger.name_mismatch', 'the agent of this row is not registered', { seq });
  }

  #name({ folded, agent_name, agent_id, first_seen_at }: StoredAgentName): void {
    const first = this.#seen.get(folded);
    this.#seen.delete(folded);
    if (folded !== agent_name.toLowerCase()) {
      this.#problems.add('ledger.name_mismatch', `${JSON.stringify(agent_name)} is registered under another name`);
    } else if (first !== undefined) {
      this.confirmed += 1;
      const isSame =
        first.agent_name === agent_name &&
        (first.agent_id === undefined || first.agent_id === agent_id) &&
        this.#isTimeOf(first, first_seen_at);
      if (isSame) return;
      const message = 'the agent of this row is registered with another name, id or time';
      this.#problems.add('ledger.name_mismatch', message, { seq: first.seq });
    } else if (this.#erasedAt.has(first_seen_at) && isUuid(agent_id)) {
      this.unconfirmed += 1;
    } else {
      this.#problems.add('ledger.name_mismatch', `${JSON.stringify(agent_name)} is registered, and no row names it`);
    }
  }

  /** The name came with its first row, which may have been erased since. */
  #isTimeOf({ issued_at }: SeenName, firstSeenAt: number): boolean {
    return firstSeenAt === issued_at || this.#erasedAt.has(firstSeenAt);
  }
}
