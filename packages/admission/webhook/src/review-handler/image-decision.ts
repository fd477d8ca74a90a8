import { coveringPolicies, type Policy } from '@colophon/admission';
import {
  type Asker,
  type CachedGate,
  decideWithoutEvidence,
  GateBusyError,
  type GateRules,
  isAuditedAlone,
} from '@colophon/gate';
import { isPinned, pinnedImage } from '@colophon/kubernetes';
import type { DecidedImage } from '@colophon/records';
import { type RegistryClient, RegistryError } from '@colophon/sigstore';
import type { DecisionReason } from '../reason/webhook-reason.ts';
import { OBJECT_PLACE } from './refusal-message.ts';

/** An image, and where in its object it stands. */
export type PlacedImage = Pick<DecidedImage, 'place' | 'image'>;

/** What one image is decided with. */
export type ImageDecisionContext = {
  readonly gate: Pick<CachedGate, 'decide'>;
  readonly rules: GateRules;
  readonly registry: RegistryClient;
  readonly asker: Asker;
  /** Whether a tag may be resolved to say what it means now; otherwise it is refused, unless only audits cover it. */
  readonly mayResolve: boolean;
  /** The digest that the tag of an image has now. */
  readonly resolve: (image: string) => Promise<string>;
  /** Told of an error that no reason names. */
  readonly onError: (error: unknown) => void;
};

/**
 * Decides about one image of an object. Never throws: whatever goes wrong refuses, with its code, where any policy that
 * covers the image enforces.
 */
export async function decideImage(placed: PlacedImage, context: ImageDecisionContext): Promise<DecidedImage> {
  const { place, image } = placed;
  const { gate, rules, registry, asker, resolve, onError } = context;
  const covering = coveringPolicies(image, rules.policies);
  const isNamed = isPinned(image) || covering.length === 0;
  try {
    if (!isNamed && !context.mayResolve && !isAuditedAlone(covering)) return faulted(placed, rules, NOT_PINNED);
    const reference = isNamed ? image : pinnedImage(image, await resolve(image));
    const { verdict, cached } = await gate.decide(reference, rules, registry, asker);
    const { excused: _, ...said } = verdict;
    return { place, image, policies: namesOf(covering), ...said, cached };
  } catch (error) {
    return faulted(placed, rules, reasonOf(error, onError));
  }
}

const NOT_PINNED: DecisionReason = {
  code: 'webhook.image_not_pinned',
  message: 'The image has a tag and no digest: what runs may be another image than the one that was judged.',
  expected: 'an image by its digest, as the mutating webhook leaves it',
};

/** What is said of an error on the way to a decision: the code of a registry that failed, that too much is under way, or that something failed. */
export function reasonOf(error: unknown, onError: (error: unknown) => void): DecisionReason {
  if (error instanceof RegistryError) return { code: error.code as `registry.${string}`, message: `${error.message}.` };
  if (error instanceof GateBusyError) return OVERLOADED;
  onError(error);
  return { code: 'webhook.internal', message: 'The decision could not be made.' };
}

const OVERLOADED: DecisionReason = {
  code: 'webhook.overloaded',
  message: 'More images are being decided than the webhook takes on at once; try again.',
};

/** The decision about an image where something went wrong: it stays out, unless all policies that cover it audit. */
export function faulted({ place, image }: PlacedImage, { policies }: GateRules, reason: DecisionReason): DecidedImage {
  const named = { place, image, policies: namesOf(coveringPolicies(image, policies)) };
  return { ...named, ...decideWithoutEvidence(image, policies, reason), ...NOBODY };
}

/** The decision that an object stays out for what it is, whatever its images are. */
export function refusedObject(reason: DecisionReason): DecidedImage {
  return { place: OBJECT_PLACE, image: '', policies: [], admitted: false, reasons: [reason], warnings: [], ...NOBODY };
}

/** Where no signature was looked at. */
const NOBODY = { agents: [], reviewers: [], cached: false } as const;

function namesOf(policies: readonly Policy[]): string[] {
  return policies.map(({ name }) => name);
}
