import type { CallerStore, Database } from '@colophon/store';

/** A key's last use is written at most so often, seconds. */
export const TOUCH_INTERVAL_SECONDS = 60;

type Use = { last: number; written: number };

/** Remembers when keys were used, and writes it now and then; no request waits for that. */
export class ApiKeyUses {
  readonly #db: Database;
  readonly #store: Pick<CallerStore, 'touch'>;
  /** By key: only keys that counted come here, so there are no more than were created. */
  readonly #uses = new Map<string, Use>();

  constructor(db: Database, store: Pick<CallerStore, 'touch'>) {
    this.#db = db;
    this.#store = store;
  }

  /** A request with this key was let in. @param now - seconds since the epoch */
  note(keyId: string, now: number): void {
    const use = this.#uses.get(keyId) ?? { last: now, written: Number.NEGATIVE_INFINITY };
    this.#uses.set(keyId, use);
    use.last = Math.max(use.last, now);
    if (use.last - use.written < TOUCH_INTERVAL_SECONDS) return;
    const { written } = use;
    use.written = use.last;
    // What cannot be written now is tried again at the next use, or when the issuer stops.
    this.#write(keyId, use.last).catch(() => {
      use.written = written;
    });
  }

  /** Writes every use that is not on disk yet; rejects where that fails. */
  async close(): Promise<void> {
    const late = [...this.#uses].filter(([, { last, written }]) => last > written);
    await Promise.all(late.map(([keyId, { last }]) => this.#write(keyId, last)));
    for (const [, use] of late) use.written = use.last;
  }

  #write(keyId: string, at: number): Promise<void> {
    return this.#db.write(() => this.#store.touch(keyId, at));
  }
}
