import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScheduleClock } from '../src/schedule/schedule-clock.ts';

/** Turns of the event loop after which everything that waits for no time has come to rest. */
const TURNS = 30;

/** Time that passes only when a test says so, and wakes who sleeps in it. */
export class ScheduleTime implements ScheduleClock {
  /** What the clock shows; a test may set it, and who sleeps goes on sleeping. */
  shown = Date.parse('2026-11-21T12:00:00Z');
  /** Grows only. */
  #elapsed = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  async now(): Promise<number> {
    return this.shown;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { until: this.#elapsed + ms, wake: () => {} };
      sleeper.wake = () => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', sleeper.wake);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  }

  /** Lets so much time pass, and everything happen at its time. */
  async pass(seconds: number): Promise<void> {
    const end = this.#elapsed + seconds * 1000;
    for (;;) {
      await this.settle();
      const next = [...this.#sleepers].sort((a, b) => a.until - b.until)[0];
      if (next === undefined || next.until > end) break;
      this.#moveTo(next.until);
      next.wake();
    }
    this.#moveTo(end);
    await this.settle();
  }

  #moveTo(elapsed: number): void {
    this.shown += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}
