import type { Clock } from '../ports/ports.ts';

/** A clock that goes back by more than this stops issuing: what it says is no longer the time. */
export const MAX_BACKWARD_MS = 2_000;

/** The time at which tokens are issued, watched against going back, across restarts too. */
export class IssuingClock {
  readonly #clock: Clock;
  #latestMs: number;

  /** `latestIssuedAtSeconds`: `iat` of the newest token in the ledger, where there is one. */
  constructor(clock: Clock, latestIssuedAtSeconds: number | undefined) {
    this.#clock = clock;
    this.#latestMs = latestIssuedAtSeconds === undefined ? Number.NEGATIVE_INFINITY : latestIssuedAtSeconds * 1000;
  }

  /** Milliseconds since the epoch, as the machine has it. */
  nowMs(): number {
    return this.#clock.now();
  }

  /**
   * The `iat` (seconds) of a token made now, or undefined while the clock stands more than two seconds before a time
   * that it has already shown.
   */
  issuedAt(): number | undefined {
    const nowMs = this.#clock.now();
    if (this.#isBack(nowMs)) return undefined;
    if (nowMs > this.#latestMs) this.#latestMs = nowMs;
    return Math.floor(nowMs / 1000);
  }

  /** Whether no token can be issued now. */
  hasGoneBack(): boolean {
    return this.#isBack(this.#clock.now());
  }

  #isBack(nowMs: number): boolean {
    return !(nowMs >= this.#latestMs - MAX_BACKWARD_MS);
  }
}
