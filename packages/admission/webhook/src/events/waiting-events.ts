import type { ClusterObject } from '@colophon/cluster';

/**
 * Events that wait, in a queue for each namespace and reason: the queues have their turns, and where too many wait the
 * longest queue loses its newest. Whoever has a thousand Pods refused keeps out nobody else, and no exception.
 */
export class WaitingEvents {
  readonly #most: number;
  /** Whose turn it is stands first; none is empty. */
  readonly #queues = new Map<string, ClusterObject[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Has one wait; false where one too many waited, this one or another, and was left out. */
  add(event: ClusterObject): boolean {
    const key = JSON.stringify([event.metadata.namespace, event['reason']]);
    const queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    queue.push(event);
    this.#size += 1;
    if (this.#size <= this.#most) return true;
    let [longestKey, longest] = [key, queue];
    for (const [otherKey, other] of this.#queues) {
      if (other.length > longest.length) [longestKey, longest] = [otherKey, other];
    }
    longest.pop();
    this.#size -= 1;
    if (longest.length === 0) this.#queues.delete(longestKey);
    return false;
  }

  /** The next one, which waits no longer. */
  take(): ClusterObject | undefined {
    const [turn] = this.#queues;
    if (turn === undefined) return undefined;
    const [key, queue] = turn;
    const event = queue.shift();
    this.#size -= 1;
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    return event;
  }

  /** Empties it. @returns how many waited */
  clear(): number {
    const waited = this.#size;
    this.#queues.clear();
    this.#size = 0;
    return waited;
  }
}
