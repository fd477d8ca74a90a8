import type { Logger } from '../ports/ports.ts';
import type { TokenRefusal } from '../token-refusal/token-refusal.ts';

/** A refused request as it is remembered: no body, no value that the caller sent, no secret. */
export type RefusalRecord = {
  /** RFC 3339. */
  readonly refused_at: string;
  readonly address: string;
  readonly status: number;
  readonly code: string;
  /** One of the contract's own field names. */
  readonly field?: string;
  /** Name of the caller, where its credential was good: the operator's own word. */
  readonly caller?: string;
};

export const DEFAULT_REMEMBERED_REFUSALS = 1_000;

const KNOWN_FIELD = /^[a-z_]{1,32}$/;

/** The last refusals in memory, and one log line for each; outside the ledger's tree. */
export class RefusalLog {
  readonly #limit: number;
  readonly #logger: Logger;
  readonly #fields: ReadonlySet<string>;
  #records: RefusalRecord[] = [];
  #oldest = 0;

  /** `fields` are the names that may be written; any other is the caller's own text and is left out. */
  constructor(logger: Logger, fields: Iterable<string>, limit: number = DEFAULT_REMEMBERED_REFUSALS) {
    this.#logger = logger;
    this.#fields = new Set(fields);
    this.#limit = limit;
  }

  add(refusal: TokenRefusal, address: string, nowMs: number): void {
    const { status, code, field, caller } = refusal;
    const record: RefusalRecord = {
      refused_at: new Date(nowMs).toISOString(),
      address: oneLine(address),
      status,
      code,
      ...(field !== undefined && KNOWN_FIELD.test(field) && this.#fields.has(field) ? { field } : {}),
      ...(caller === undefined ? {} : { caller }),
    };
    if (this.#records.length < this.#limit) this.#records.push(record);
    else {
      this.#records[this.#oldest] = record;
      this.#oldest = (this.#oldest + 1) % this.#limit;
    }
    this.#logger.warn(record, 'token refused');
  }

  /** Oldest first. */
  records(): RefusalRecord[] {
    return [...this.#records.slice(this.#oldest), ...this.#records.slice(0, this.#oldest)];
  }
}

/** Text from outside as one line of plain ASCII, at most 100 characters of it: nothing can forge a second line. */
export function oneLine(text: string): string {
  return text
    .slice(0, 100)
    .replaceAll(/[^\x20-\x7e]|\\/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
