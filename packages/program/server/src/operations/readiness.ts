/** One thing without which the server should get no requests. */
export type ReadinessCheck = {
  readonly name: string;
  /** Stable code of what is wrong now; undefined where nothing is. Cheap: every probe asks. */
  readonly problem: () => string | undefined;
};

/** What a check found. */
export type CheckedReadiness = { readonly name: string; readonly ok: boolean; readonly code?: string };

/** Whether this process should get requests: green while every check is, and until it is told to end. */
export class Readiness {
  readonly #checks: ReadinessCheck[] = [{ name: 'running', problem: () => (this.#isEnding ? ENDING : undefined) }];
  #isEnding = false;

  add(check: ReadinessCheck): void {
    this.#checks.push(check);
  }

  /** From now on it is red. */
  end(): void {
    this.#isEnding = true;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  get isReady(): boolean {
    return this.#checks.every(({ problem }) => problem() === undefined);
  }

  /** Every check, in the order in which they were added. */
  report(): readonly CheckedReadiness[] {
    return this.#checks.map(({ name, problem }) => {
      const code = problem();
      return code === undefined ? { name, ok: true } : { name, ok: false, code };
    });
  }
}

const ENDING = 'issuer.closed';
