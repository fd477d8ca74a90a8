import { createHash } from 'node:crypto';
import { coveringPolicies } from '@colophon/admission';
import type { ClusterClient } from '@colophon/cluster';
import { type CachedGate, findRejection, type KeptLists, sourceOf, wordsHash } from '@colophon/gate';
import { imageOfDigest } from '@colophon/kubernetes';
import { parseImageReference } from '@colophon/notation';
import type { RegistryClient } from '@colophon/sigstore';
import { findRejectedPods, type LookedAtPods, type RejectionAnswer, type WebhookRules } from '@colophon/webhook';

/** How often lists are looked at, and after which time Pods are looked at although no list says anything new. */
const LOOK_EVERY_MS = 15_000;
const SCAN_EVERY_MS = 3_600_000;
/** The same where an image could not be decided about: its registry may never have it again. */
const RETRY_AFTER_MS = 300_000;

export type RunningPodWatchOptions = {
  readonly cluster: Pick<ClusterClient, 'pages'>;
  readonly gate: Pick<CachedGate, 'decide'>;
  readonly lists: Pick<KeptLists, 'view'>;
  readonly rules: () => WebhookRules;
  readonly registry: RegistryClient;
  readonly now: () => Date;
  readonly onRejected: Parameters<typeof findRejectedPods>[0]['onRejected'];
  /** Told of the numbers of images that run, after each look at all of them. */
  readonly onScanned: (looked: LookedAtPods) => void;
  /** Told why a look failed, or why it is not known whether an image is rejected: an error, or a code. */
  readonly onError: (error: unknown, image?: string) => void;
  readonly everyMs?: number;
};

/**
 * Looks at the Pods that run when a list of rejections says something new, and once an hour. What is rejected is told;
 * nothing is stopped.
 */
export class RunningPodWatch {
  readonly #options: RunningPodWatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #ended = new AbortController();
  #said: string | undefined;
  /** By the monotonic clock. */
  #scanAgainAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: RunningPodWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), options.everyMs ?? LOOK_EVERY_MS).unref();
    this.look();
  }

  /** Looks now, unless it is looking. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        if (!this.#ended.signal.aborted) this.#options.onError(error);
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const rules = this.#options.rules();
    const said = await this.#rejectionsIn(rules);
    const isDue = said !== this.#said || performance.now() >= this.#scanAgainAtMs;
    if (!isDue || this.#ended.signal.aborted) return;
    const { cluster, onRejected, onScanned } = this.#options;
    const looked = await findRejectedPods({
      cluster,
      excludedNamespaces: rules.excludedNamespaces,
      onRejected,
      signal: this.#ended.signal,
      // A name that nobody can read may be that of any image.
      isCovered: (image) =>
        parseImageReference(image) === undefined || coveringPolicies(image, rules.policies).length > 0,
      isRejected: (image, digest) => this.#rejectionOf(image, digest, rules),
    });
    onScanned(looked);
    this.#said = said;
    this.#scanAgainAtMs = performance.now() + (looked.undecided === 0 ? SCAN_EVERY_MS : RETRY_AFTER_MS);
  }

  async #rejectionOf(image: string, digest: string, rules: WebhookRules): Promise<RejectionAnswer> {
    const { gate, lists, registry, now, onError } = this.#options;
    if (parseImageReference(image) === undefined) {
      onError('admission.image_reference_invalid', image);
      return 'undecided';
    }
    const reference = imageOfDigest(image, digest);
    const found = await findRejection({
      reference,
      policies: rules.policies,
      defaultNegatives: rules.defaultNegatives,
      lists,
      trust: rules.trust,
      now: now(),
      decide: async () => (await gate.decide(reference, rules, registry)).verdict,
    });
    if (found.kind === 'rejected') return found.reasons;
    if (found.kind === 'not-rejected') return undefined;
    // The others are looked at all the same, and this one again.
    onError(found.why, reference);
    return 'undecided';
  }

  /** A hash of what all lists of the policies say, however often they were signed again. */
  async #rejectionsIn({ policies, defaultNegatives, trust, fingerprint }: WebhookRules): Promise<string> {
    const named = policies.map((policy) => sourceOf(policy, defaultNegatives));
    const sources = new Map(named.map((source) => [JSON.stringify(source), source]));
    const views = await Promise.all([...sources.values()].map((source) => this.#options.lists.view(source, trust)));
    const hash = createHash('sha256').update(fingerprint);
    for (const view of views) hash.update(`\n${view.kind === 'list' ? wordsHash(view.list) : view.kind}`);
    return hash.digest('hex');
  }
}
