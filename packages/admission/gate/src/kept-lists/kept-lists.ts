import type { NegativesSource, NegativesView } from '@colophon/admission';
import type { NegativesPages } from '@colophon/records';
import type { TrustMaterial } from '@colophon/sigstore';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { type FetchListOptions, fetchNegatives } from '../standing-negatives/fetch-negatives.ts';
import { readStandingNegatives } from '../standing-negatives/read-standing-negatives.ts';

/** How old what is known of a list may be before it is asked for again, beside those who use it. */
export const REFRESH_AFTER_MS = 10_000;

export type KeptListsOptions = Omit<FetchListOptions, 'pages'> & {
  readonly pins: SequencePins;
  readonly now: () => Date;
  readonly refreshAfterMs?: number;
  /** Told when a list can be read that could not be before, or the first time, and why it cannot where it could. */
  readonly onChange?: (from: string, problem: string | undefined) => void;
  /** Told of each time that a list was asked for in vain. */
  readonly onFailure?: () => void;
};

/** A reading that is under way. */
type Asking = { readonly view: Promise<NegativesView>; readonly trust: TrustMaterial };

type Kept = { readonly view: NegativesView; readonly readAtMs: number; readonly trust: TrustMaterial };

/**
 * Lists of standing rejections, kept at hand for many decisions. A list is asked for again in the background while it is
 * still young, so that nobody waits; one that is too old is waited for. What fails keeps nobody's rejection out: the last
 * list counts until its age ends, and then the list is incomplete. It is so at once where a page of a newer list is missing.
 */
export class KeptLists {
  readonly #options: KeptListsOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Asking>();
  /** Of the last list that could be read: of the next one those are asked for that it had not. */
  readonly #pages = new Map<string, NegativesPages>();
  /** Whether each list could be read the last time. */
  readonly #wasRead = new Map<string, boolean>();

  constructor(options: KeptListsOptions) {
    this.#options = options;
  }

  /**
   * What the list of a source says now; without a source only what is attached is known. Never throws.
   * @param trust the roots of whoever asks: the same object until they change. What was verified under another one, or is
   * being read under one, is verified again
   */
  async view(source: NegativesSource | undefined, trust: TrustMaterial): Promise<NegativesView> {
    if (source === undefined) return { kind: 'registry-only' };
    const key = JSON.stringify(source);
    const kept = this.#usable(key, source, trust);
    if (kept === undefined) return this.#ask(key, source, trust);
    const { refreshAfterMs = REFRESH_AFTER_MS, now } = this.#options;
    // Nobody waits for the answer: what fails is found out when the list at hand is too old.
    if (now().getTime() - kept.readAtMs >= refreshAfterMs) void this.#ask(key, source, trust);
    return kept.view;
  }

  /** A list that was verified under these roots and is young: not one of before the clock was set back. */
  #usable(key: string, { maxAgeSeconds }: NegativesSource, trust: TrustMaterial): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept?.view.kind !== 'list' || kept.trust !== trust) return undefined;
    const { time, made_at = time } = kept.view.list;
    const oldest = Math.min(Date.parse(time), Date.parse(made_at));
    const nowMs = this.#options.now().getTime();
    return kept.readAtMs <= nowMs && nowMs - oldest <= maxAgeSeconds * 1000 ? kept : undefined;
  }

  #ask(key: string, source: NegativesSource, trust: TrustMaterial): Promise<NegativesView> {
    const underWay = this.#asking.get(key);
    if (underWay?.trust === trust) return underWay.view;
    const view = this.#read(key, source, trust).finally(() => {
      if (this.#asking.get(key) === asking) this.#asking.delete(key);
    });
    const asking = { view, trust };
    this.#asking.set(key, asking);
    return view;
  }

  async #read(key: string, source: NegativesSource, trust: TrustMaterial): Promise<NegativesView> {
    const { pins, now, fetch, timeoutMs } = this.#options;
    const fetched = await fetchNegatives(source.from, { fetch, timeoutMs, pages: this.#pages.get(key) });
    let isNewest = false;
    const onNewest = () => {
      isNewest = true;
    };
    const view = await readStandingNegatives(fetched, { source, trust, pins, now: now(), onNewest });
    if (view.kind === 'list' && 'pages' in fetched) this.#pages.set(key, fetched.pages);
    this.#tell(key, view, source);
    // A list that is still young counts for more than none, unless it is known that there is a newer one.
    const last = view.kind === 'list' || isNewest ? undefined : this.#usable(key, source, trust);
    const kept = { view: last?.view ?? view, readAtMs: now().getTime(), trust };
    this.#kept.set(key, kept);
    return kept.view;
  }

  #tell(key: string, view: NegativesView, { from }: NegativesSource): void {
    const { onChange, onFailure } = this.#options;
    const isRead = view.kind === 'list';
    if (!isRead) onFailure?.();
    if (this.#wasRead.get(key) === isRead) return;
    this.#wasRead.set(key, isRead);
    onChange?.(from, view.kind === 'incomplete' ? view.message : undefined);
  }
}
