import { coveringPolicies, type NegativesSource, type Policy, refuseUncovered } from '@colophon/admission';
import { parseImageReference } from '@colophon/notation';
import { AttachmentRoom, type RegistryClient, type TrustMaterial } from '@colophon/sigstore';
import { admitImage } from '../image-gate/admit-image.ts';
import type { KeptLists } from '../kept-lists/kept-lists.ts';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { wordsHash } from '../standing-negatives/list-words.ts';
import { sourceOf } from '../standing-negatives/negatives-views.ts';
import { DecisionCache } from './decision-cache.ts';
import { Places } from './places.ts';
import { type RememberedDecision, rememberedDecision } from './remembered-decision.ts';

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
  /** Decisions that are made at once; 200, of which one asker has 40. */
  readonly mostAtOnce?: number;
  /** How long the registry has for one decision; 10,000 ms. */
  readonly decisionMs?: number;
  /** Room for what is attached to all images that are being decided about; one of its own, of 256 MiB. */
  readonly room?: AttachmentRoom;
};

/** On whose behalf a decision is asked for. */
export type Asker = {
  /** Whose share of the work it is, e.g. a namespace. */
  readonly name: string;
  /** What the registry is shown, e.g. names of secrets: who sees other evidence has other decisions. */
  readonly credential: string;
};

/** One who asks with a credential that all have. */
const ANYBODY: Asker = { name: '', credential: '' };

const MOST_AT_ONCE = 200;
const SHARE = 0.2;
const DECISION_MS = 10_000;
const ROOM = { bytes: 256 * 1024 * 1024, shareBytes: 128 * 1024 * 1024, waitMs: 1_500 };

/** More decisions are being made than a gate takes on at once. */
export class GateBusyError extends Error {}

/** A decision, and whether it was remembered. */
export type GateAnswer = { readonly verdict: RememberedDecision; readonly cached: boolean };

/**
 * Decides about images again and again. A decision is remembered under the repository and digest of the image, the policies
 * that its name chooses, the rules in force, what every list of rejections that they name says, and the credential by
 * which its evidence was seen: one that was made under a name for other policies, or before a rejection was listed, is none.
 * Several who ask for the same at once get one answer.
 */
export class CachedGate {
  readonly #options: CachedGateOptions;
  readonly #cache: DecisionCache;
  readonly #deciding = new Map<string, Promise<RememberedDecision>>();
  readonly #places: Places;
  readonly #room: AttachmentRoom;

  constructor(options: CachedGateOptions) {
    const { mostAtOnce = MOST_AT_ONCE } = options;
    this.#options = options;
    this.#room = options.room ?? new AttachmentRoom(ROOM);
    this.#places = new Places(mostAtOnce, Math.ceil(mostAtOnce * SHARE));
    this.#cache = options.cache ?? new DecisionCache();
  }

  /**
   * Decides about an image that is named by its digest.
   * @throws TypeError for a reference without a digest
   * @throws RegistryError where the registry fails: nothing is decided, and nothing is remembered
   * @throws GateBusyError where a decision would have to be made, and too many are
   */
  async decide(
    reference: string,
    rules: GateRules,
    registry: RegistryClient,
    asker: Asker = ANYBODY,
  ): Promise<GateAnswer> {
    const policies = coveringPolicies(reference, rules.policies);
    if (policies.length === 0) return { verdict: rememberedDecision(refuseUncovered(reference)), cached: false };
    const { lists, now } = this.#options;
    const views = new Map<string, Awaited<ReturnType<KeptLists['view']>>>();
    const marks: unknown[] = [];
    for (const policy of policies) {
      const source = sourceOf(policy, rules.defaultNegatives);
      const view = await lists.view(source, rules.trust);
      views.set(JSON.stringify(source), view);
      marks.push(view.kind === 'list' ? [source, wordsHash(view.list)] : [source, view.kind]);
    }
    const chosen = policies.map((policy) => rules.policies.indexOf(policy));
    const key = JSON.stringify([nameFor(reference, policies), chosen, rules.fingerprint, marks, asker.credential]);
    const kept = this.#cache.get(key, now().getTime());
    if (kept !== undefined) return { verdict: kept, cached: true };
    const deciding = this.#deciding.get(key);
    if (deciding !== undefined) return { verdict: await deciding, cached: false };
    const giveBack = this.#places.take(asker.name);
    if (giveBack === undefined) throw new GateBusyError();
    const made = this.#decide(key, reference, rules, { registry, asker: asker.name, views }).finally(() => {
      this.#deciding.delete(key);
      giveBack();
    });
    this.#deciding.set(key, made);
    return { verdict: await made, cached: false };
  }

  async #decide(
    key: string,
    reference: string,
    { policies, trust, defaultNegatives }: GateRules,
    { registry, asker, views }: DecisionWith,
  ): Promise<RememberedDecision> {
    const { pins, now, lists, decisionMs = DECISION_MS } = this.#options;
    const at = now();
    const verdict = await admitImage({
      reference,
      policies,
      trust,
      registry: registry.until(AbortSignal.timeout(decisionMs)),
      room: this.#room,
      asker,
      defaultNegatives,
      negatives: async (source) => views.get(JSON.stringify(source)) ?? lists.view(source, trust),
      pins,
      now: at,
    });
    // The time at which it was begun: what came meanwhile was not seen.
    this.#cache.set(key, verdict, at.getTime());
    return rememberedDecision(verdict);
  }
}

type DecisionWith = {
  readonly registry: RegistryClient;
  readonly asker: string;
  readonly views: ReadonlyMap<string, Awaited<ReturnType<KeptLists['view']>>>;
};

/**
 * One text for every spelling of a name, unless a condition may see how it is spelled. The tag beside a digest, which is
 * whatever somebody writes, is left out: the policies that it chooses stand in the key.
 */
function nameFor(reference: string, policies: readonly Policy[]): string {
  const { registry, repository, digest } = parseImageReference(reference) ?? {};
  if (digest === undefined) throw new TypeError('a decision is remembered for a digest');
  const isSeen = policies.some(({ review }) => review.conditions.some(({ text }) => /\bimage\b/.test(text)));
  return isSeen ? reference : `${registry}/${repository}@${digest}`;
}
