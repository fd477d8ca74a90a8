import { coveringPolicies, type NegativesSource, type Policy, refuseUncovered } from '@colophon/admission';
import { parseImageReference } from '@colophon/notation';
import type { RegistryClient, TrustMaterial } from '@colophon/sigstore';
import { admitImage } from '../image-gate/admit-image.ts';
import type { ImageVerdict } from '../image-gate/judge-image.ts';
import type { KeptLists } from '../kept-lists/kept-lists.ts';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { sourceOf } from '../standing-negatives/negatives-views.ts';
import { DecisionCache } from './decision-cache.ts';

/** What decisions are made by, as it was at one moment. */
export type GateRules = {
  readonly policies: readonly Policy[];
  readonly trust: TrustMaterial;
  /** Changes with every policy, mode and root: the hash of all that they were read from. */
  readonly fingerprint: string;
  /** The list for policies that name none. */
  readonly defaultNegatives?: NegativesSource | undefined;
};

export type CachedGateOptions = {
  readonly lists: KeptLists;
  readonly pins: SequencePins;
  readonly now: () => Date;
  readonly cache?: DecisionCache;
  /** Decisions that are made at once; 200. */
  readonly mostAtOnce?: number;
};

const MOST_AT_ONCE = 200;

/** More decisions are being made than a gate takes on at once. */
export class GateBusyError extends Error {}

/** A decision, and whether it was remembered. */
export type GateAnswer = { readonly verdict: ImageVerdict; readonly cached: boolean };

/**
 * Decides about images again and again. A decision is remembered under the whole name of the image, its digest, the rules
 * in force and the sequence of every list of rejections that they name: one that was made under another name, or before a
 * rejection was listed, is none. Several who ask for the same at once get one answer.
 */
export class CachedGate {
  readonly #options: CachedGateOptions;
  readonly #cache: DecisionCache;
  readonly #deciding = new Map<string, Promise<ImageVerdict>>();

  constructor(options: CachedGateOptions) {
    this.#options = options;
    this.#cache = options.cache ?? new DecisionCache();
  }

  /**
   * Decides about an image that is named by its digest.
   * @throws TypeError for a reference without a digest
   * @throws RegistryError where the registry fails: nothing is decided, and nothing is remembered
   * @throws GateBusyError where a decision would have to be made, and too many are
   */
  async decide(reference: string, rules: GateRules, registry: RegistryClient): Promise<GateAnswer> {
    const policies = coveringPolicies(reference, rules.policies);
    if (policies.length === 0) return { verdict: refuseUncovered(reference), cached: false };
    const { lists, now } = this.#options;
    const views = new Map<string, Awaited<ReturnType<KeptLists['view']>>>();
    const marks: unknown[] = [];
    for (const policy of policies) {
      const source = sourceOf(policy, rules.defaultNegatives);
      const view = await lists.view(source);
      views.set(JSON.stringify(source), view);
      marks.push(view.kind === 'list' ? [source, view.list.sequence] : [source, view.kind]);
    }
    const key = JSON.stringify([canonical(reference), rules.fingerprint, marks]);
    const kept = this.#cache.get(key, now().getTime());
    if (kept !== undefined) return { verdict: kept, cached: true };
    const deciding = this.#deciding.get(key);
    if (deciding !== undefined) return { verdict: await deciding, cached: false };
    if (this.#deciding.size >= (this.#options.mostAtOnce ?? MOST_AT_ONCE)) throw new GateBusyError();
    const made = this.#decide(key, reference, rules, registry, views).finally(() => this.#deciding.delete(key));
    this.#deciding.set(key, made);
    return { verdict: await made, cached: false };
  }

  async #decide(
    key: string,
    reference: string,
    { policies, trust, defaultNegatives }: GateRules,
    registry: RegistryClient,
    views: ReadonlyMap<string, Awaited<ReturnType<KeptLists['view']>>>,
  ): Promise<ImageVerdict> {
    const { pins, now, lists } = this.#options;
    const at = now();
    const verdict = await admitImage({
      reference,
      policies,
      trust,
      registry,
      defaultNegatives,
      negatives: async (source) => views.get(JSON.stringify(source)) ?? lists.view(source),
      pins,
      now: at,
    });
    // The time at which it was begun: what came meanwhile was not seen.
    this.#cache.set(key, verdict, at.getTime());
    return verdict;
  }
}

/** One text for every spelling of a name. */
function canonical(reference: string): string {
  const { registry, repository, tag, digest } = parseImageReference(reference) ?? {};
  if (digest === undefined) throw new TypeError('a decision is remembered for a digest');
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}@${digest}`;
}
