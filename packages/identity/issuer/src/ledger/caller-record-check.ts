import type { CallerStore } from '@colophon/store';
import type { LedgerEvent } from './issuance-record-result.ts';
import type { ProblemSink } from './ledger-problem.ts';

type Key = {
  readonly caller: unknown;
  readonly created_at: number;
  readonly expires_at: unknown;
  revoked_at: number | null;
};

/** Holds API keys and revoked callers against the events that record them. Keeps one entry for each. */
export class CallerRecordCheck {
  readonly #problems: ProblemSink;
  readonly #keys = new Map<string, Key>();
  readonly #revoked = new Map<string, number>();
  #changes = 0;

  constructor(problems: ProblemSink) {
    this.#problems = problems;
  }

  event({ event, iat, caller, key_id = '', expires_at }: LedgerEvent): void {
    if (event === 'token.erased' || event === 'ledger.restored') return;
    this.#changes += 1;
    const key = this.#keys.get(key_id);
    if (event === 'caller.revoked') this.#revoked.set(String(caller), iat);
    else if (event === 'api-key.created')
      this.#keys.set(key_id, { caller, created_at: iat, expires_at, revoked_at: null });
    else if (key !== undefined) key.revoked_at = iat;
  }

  /** Called after the last row; answers with how many keys and revoked callers there are. */
  records(callers: CallerStore): { readonly keys: number; readonly revoked: number } {
    const [keys, revoked] = [callers.keys(), callers.revokedCallers()];
    const changed = new Set(callers.changedKeys());
    for (const row of keys) {
      const said = this.#keys.get(row.key_id);
      this.#keys.delete(row.key_id);
      const isSame =
        said?.caller === row.caller &&
        said.created_at === row.created_at &&
        said.expires_at === row.expires_at &&
        said.revoked_at === row.revoked_at;
      if (!isSame) this.#report(`key ${JSON.stringify(row.key_id)} is not as its events say`);
      else if (changed.has(row.key_id)) this.#report(`key ${row.key_id} is not as it was written`);
    }
    for (const { caller, revoked_at } of revoked) {
      if (this.#revoked.get(caller) !== revoked_at)
        this.#report('a caller is revoked, and no event says so at that time');
      this.#revoked.delete(caller);
    }
    for (const id of this.#keys.keys()) this.#report(`key ${id} is gone`);
    for (const caller of this.#revoked.keys()) this.#report(`${caller} is no longer revoked`);
    if (callers.generation() !== this.#changes)
      this.#report(`${this.#changes} changes are recorded, and the callers' tables count ${callers.generation()}`);
    return { keys: keys.length, revoked: revoked.length };
  }

  #report(message: string): void {
    this.#problems.add('ledger.caller_mismatch', message);
  }
}
