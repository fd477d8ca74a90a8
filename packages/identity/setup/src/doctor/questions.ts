import { askPeer, NoAnswer, type PeerAnswer, shownAddress } from '@colophon/peer';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/** Services whose clocks are compared, in the order in which they are named. */
export const SERVICES = ['issuer', 'certificate authority', 'log', 'timestamp authority'] as const;
export type Service = (typeof SERVICES)[number];

/** What a service's clock said, against ours. */
export type SeenClock = { readonly service: Service; readonly offSeconds: number };

/** An answer, or why there is none. */
export type Answered = PeerAnswer | { readonly isOk: false; readonly status: undefined; readonly reason: string };

/** Asks services and keeps what their clocks say. */
export class Questions {
  readonly clocks: SeenClock[] = [];
  readonly #fetch: typeof globalThis.fetch | undefined;
  readonly #now: () => number;

  constructor({ fetch, now }: { readonly fetch?: typeof globalThis.fetch | undefined; readonly now: () => number }) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** The answer at an address, whatever its status; JSON is sent where there is a body. */
  async ask(service: Service, url: string, body?: string): Promise<Answered> {
    const question =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode(body) };
    const from = this.#now();
    try {
      const answer = await askPeer(url, question, { fetch: this.#fetch, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES });
      this.#noteClock(service, answer.headers.get('date'), (from + this.#now()) / 2);
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { isOk: false, status: undefined, reason: `${shownAddress(url)} does not answer: ${error.message}` };
    }
  }

  /** Notes what a service said of the time, in milliseconds since the epoch. */
  noteTime(service: Service, time: number): void {
    this.clocks.push({ service, offSeconds: (time - this.#now()) / 1000 });
  }

  #noteClock(service: Service, date: string | null, at: number): void {
    const time = date === null ? Number.NaN : Date.parse(date);
    // The header has whole seconds, and is cut.
    if (Number.isFinite(time)) this.clocks.push({ service, offSeconds: (time + 500 - at) / 1000 });
  }
}

/** Why nothing answered; undefined where something did. */
export function silenceOf(answer: Answered): string | undefined {
  return answer.status === undefined ? answer.reason : undefined;
}

/** What an answer that is none, or another than hoped for, says of itself. */
export function saidBy(url: string, answer: Answered): string {
  return answer.status === undefined ? answer.reason : `${shownAddress(url)} answers ${answer.status}`;
}
