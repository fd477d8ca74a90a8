import type { EventEmitter } from 'node:events';

const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndingSignal = keyof typeof EXIT_OF_SIGNAL;

/**
 * One Ctrl-C can arrive more than once: from the terminal, and again from npm or from the program that started this one,
 * late on a busy machine. A second press within this time does not count either; the next one does.
 */
export const SAME_PRESS_MS = 400;

/** The part of `process` that signals need. */
export type SignalSource = Pick<EventEmitter, 'on'> & {
  exitCode?: NodeJS.Process['exitCode'];
  exit(code: number): void;
};

/** Ctrl-C, SIGTERM and SIGHUP of a process, for commands that have something to put in order before they end. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #source: SignalSource;
  readonly #now: () => number;
  #isHeld = false;
  #firstAt = 0;

  /** `now`: milliseconds that only grow. */
  constructor(source: SignalSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  /** Aborts on the first signal that comes while they are held. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * From now on a signal aborts `signal` and sets the exit code, where it would have ended the process; a second one
   * ends the process hard.
   */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    for (const name of Object.keys(EXIT_OF_SIGNAL) as EndingSignal[]) this.#source.on(name, () => this.#on(name));
  }

  #on(name: EndingSignal): void {
    const code = EXIT_OF_SIGNAL[name];
    if (!this.signal.aborted) {
      this.#firstAt = this.#now();
      this.#source.exitCode = code;
      this.#controller.abort();
    } else if (this.#now() - this.#firstAt > SAME_PRESS_MS) {
      this.#source.exit(code);
    }
  }
}
