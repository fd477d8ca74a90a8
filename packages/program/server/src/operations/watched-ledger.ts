import type { FoundToken, LedgerStorage, LedgerTail, NewToken } from '@colophon/store';
import { StoreError } from '@colophon/store';
import type { Meter } from './meter.ts';

/** How often a ledger that could not be written is tried again. */
export const RETRY_MS = 1_000;

type Options = {
  readonly meter: Meter;
  /** Writes something that changes nothing; rejects where nothing can be written. */
  readonly probe: () => Promise<void>;
  readonly retryMs?: number;
};

/**
 * A ledger whose last failure is remembered. While the last write failed it is tried again from time to time: nobody
 * sends a request to a server that is not ready, so no request would show that the disk has room again.
 */
export class WatchedLedger implements LedgerStorage {
  readonly #ledger: LedgerStorage;
  readonly #options: Options;
  #isReadFailing = false;
  #isWriteFailing = false;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(ledger: LedgerStorage, options: Options) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /** Whether the last read or the last write failed. */
  get isFailing(): boolean {
    return this.#isReadFailing || this.#isWriteFailing;
  }

  findName(name: string) {
    return this.#read(this.#ledger.findName(name));
  }

  append(tokens: readonly NewToken[]): Promise<void> {
    const from = performance.now();
    return this.#write(this.#ledger.append(tokens).then(() => this.#options.meter.appended(performance.now() - from)));
  }

  find(jti: string): Promise<FoundToken | undefined> {
    return this.#read(this.#ledger.find(jti));
  }

  erase(erasure: Parameters<LedgerStorage['erase']>[0]): Promise<void> {
    return this.#write(this.#ledger.erase(erasure));
  }

  tail(): Promise<LedgerTail> {
    return this.#read(this.#ledger.tail());
  }

  consistency(first: number, second: number) {
    return this.#read(this.#ledger.consistency(first, second));
  }

  pending(limit: number) {
    return this.#read(this.#ledger.pending(limit));
  }

  advance(step: Parameters<LedgerStorage['advance']>[0]): Promise<void> {
    return this.#write(this.#ledger.advance(step));
  }

  /** Tries no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  #read<T>(answer: Promise<T>): Promise<T> {
    return answer.then(
      (value) => {
        this.#isReadFailing = false;
        return value;
      },
      (error: unknown) => {
        this.#isReadFailing = true;
        this.#options.meter.ledgerFailed('read');
        throw error;
      },
    );
  }

  #write<T>(answer: Promise<T>): Promise<T> {
    return answer.then(
      (value) => {
        this.#isWriteFailing = false;
        return value;
      },
      (error: unknown) => {
        if (isOfItsRequest(error)) throw error;
        this.#options.meter.ledgerFailed('write');
        this.#isWriteFailing = true;
        this.#tryLater();
        throw error;
      },
    );
  }

  #tryLater(): void {
    if (this.#retry !== undefined || this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (!this.#isWriteFailing) return;
      this.#options.probe().then(
        () => {
          this.#isWriteFailing = false;
        },
        () => this.#tryLater(),
      );
    }, this.#options.retryMs ?? RETRY_MS).unref();
  }
}

/** What was to be written was refused, and not writing. */
function isOfItsRequest(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'store.conflict' || error.code === 'store.token_used');
}
