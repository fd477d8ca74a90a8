import { type ClusterClient, ClusterError, type ClusterObject } from '@colophon/cluster';
import { clusterEvent, eventsIn, type Occurrence } from './cluster-event.ts';
import { WaitingEvents } from './waiting-events.ts';

export type EventPosterOptions = {
  /** With a short timeout: one event after the other is posted. */
  readonly cluster: Pick<ClusterClient, 'create'>;
  /** Name of this replica. */
  readonly instance: string;
  /** Told of each event that is posted, or that was there; dropped because too many waited; refused by the API server. */
  readonly onEvent?: (outcome: 'posted' | 'dropped' | 'failed') => void;
  /** Events that wait, of all namespaces and reasons; 1,000. */
  readonly mostWaiting?: number;
};

const MOST_WAITING = 1_000;
/** Names of events that were posted; more than a busy hour has. */
const MOST_KNOWN = 10_000;

/**
 * Posts events to the cluster, beside everything else: it takes no time of an answer and never throws. What it cannot keep or
 * post is counted.
 */
export class EventPoster {
  readonly #options: EventPosterOptions;
  readonly #waiting: WaitingEvents;
  readonly #known = new Set<string>();
  #posting: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: EventPosterOptions) {
    this.#options = options;
    this.#waiting = new WaitingEvents(options.mostWaiting ?? MOST_WAITING);
  }

  /** Has events posted a moment later. */
  post(occurrences: readonly Occurrence[]): void {
    for (const occurrence of occurrences) {
      // A copy: a part of a text keeps the whole of it in memory.
      const event = structuredClone(clusterEvent(occurrence, this.#options.instance));
      if (this.#isClosed || !this.#waiting.add(event)) this.#count('dropped');
    }
    if (this.#waiting.size === 0) return;
    this.#posting ??= this.#postAll().finally(() => {
      this.#posting = undefined;
    });
  }

  /** Ends once the event that is under way is posted; the others are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let left = this.#waiting.clear(); left > 0; left -= 1) this.#count('dropped');
    await this.#posting;
  }

  /** Ends once nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#posting !== undefined) await this.#posting;
  }

  async #postAll(): Promise<void> {
    // Whoever posts has its answer first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) await this.#postOne(next);
  }

  async #postOne(event: ClusterObject): Promise<void> {
    const { namespace = '', name } = event.metadata;
    const mark = `${namespace}/${name}`;
    if (this.#known.has(mark)) return;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    try {
      await this.#options.cluster.create(eventsIn(namespace), event).catch((error: unknown) => {
        // Another replica was first.
        if (!(error instanceof ClusterError && error.code === 'cluster.exists')) throw error;
      });
      this.#known.add(mark);
      this.#count('posted');
    } catch {
      this.#count('failed');
    }
  }

  #count(outcome: 'posted' | 'dropped' | 'failed'): void {
    this.#options.onEvent?.(outcome);
  }
}
