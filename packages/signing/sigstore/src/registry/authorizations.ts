/** Authorizations that are kept, the latest used of them: one for each repository that is read at a time. */
export const MOST_AUTHORIZATIONS = 500;

type Kept = { readonly authorization: string; readonly untilMs: number };

/**
 * What opens registries, by registry and scope. Whoever names repositories to a process that lives long must not fill its
 * memory, so they are few, and none outlives its token.
 */
export class Authorizations {
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #nowMs: () => number;

  /** @param nowMs milliseconds on a clock that is never set back. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The value of an Authorization header; undefined where there is none that is in force. */
  get(registry: string, scope: string): string | undefined {
    const key = keyOf(registry, scope);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (this.#nowMs() >= kept.untilMs) return undefined;
    this.#kept.set(key, kept);
    return kept.authorization;
  }

  /** @param lifetimeMs without it, until others need its place. */
  set(registry: string, scope: string, authorization: string, lifetimeMs: number = Number.POSITIVE_INFINITY): void {
    const key = keyOf(registry, scope);
    const nowMs = this.#nowMs();
    this.#kept.delete(key);
    this.#kept.set(key, { authorization, untilMs: nowMs + lifetimeMs });
    for (const [other, { untilMs }] of this.#kept) if (nowMs >= untilMs) this.#kept.delete(other);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_AUTHORIZATIONS) this.#kept.delete(oldest as string);
  }

  get size(): number {
    return this.#kept.size;
  }
}

/** Neither part has a space in it. */
function keyOf(registry: string, scope: string): string {
  return `${registry} ${scope}`;
}
