import { coveringPolicies } from '@colophon/admission';
import type { CachedGate, GateRules, ImageVerdict } from '@colophon/gate';
import { isPinned, pinnedImage } from '@colophon/kubernetes';
import type { DecidedImage } from '@colophon/records';
import { imageToFetch, type RegistryClient, RegistryError } from '@colophon/sigstore';
import type { DecisionReason } from '../reason/webhook-reason.ts';

/** An image, and where in its object it stands. */
export type PlacedImage = Pick<DecidedImage, 'place' | 'image'>;

/** What one image is decided with. */
export type ImageDecisionContext = {
  readonly gate: Pick<CachedGate, 'decide'>;
  readonly rules: GateRules;
  readonly registry: RegistryClient;
  /** Whether a tag may be resolved to say what it means now; otherwise it is refused. */
  readonly mayResolve: boolean;
  /** Told of an error that no reason names. */
  readonly onError: (error: unknown) => void;
};

/** Decides about one image of an object. Never throws: whatever goes wrong refuses, with its code. */
export async function decideImage({ place, image }: PlacedImage, context: ImageDecisionContext): Promise<DecidedImage> {
  const { gate, rules, registry, mayResolve } = context;
  const named = { place, image, policies: coveringPolicies(image, rules.policies).map(({ name }) => name) };
  try {
    if (!isPinned(image) && named.policies.length > 0 && !mayResolve) return refusal(named, NOT_PINNED);
    const reference = isPinned(image) || named.policies.length === 0 ? image : await resolved(image, registry);
    const { verdict, cached } = await gate.decide(reference, rules, registry);
    return decided(named, verdict, cached);
  } catch (error) {
    return refusal(named, reasonOf(error, context.onError));
  }
}

const NOT_PINNED: DecisionReason = {
  code: 'webhook.image_not_pinned',
  message: 'The image has a tag and no digest: what runs may be another image than the one that was judged.',
  expected: 'an image by its digest, as the mutating webhook leaves it',
};

/** An image by the digest that its tag has now. @throws RegistryError */
export async function resolved(image: string, registry: RegistryClient): Promise<string> {
  const { digest } = await registry.resolve(imageToFetch(image));
  return pinnedImage(image, digest);
}

/** What is said of an error on the way to a decision: the code of a registry that failed, or that something did. */
export function reasonOf(error: unknown, onError: (error: unknown) => void): DecisionReason {
  if (error instanceof RegistryError) return { code: error.code as `registry.${string}`, message: `${error.message}.` };
  onError(error);
  return { code: 'webhook.internal', message: 'The decision could not be made.' };
}

type Named = Pick<DecidedImage, 'place' | 'image' | 'policies'>;

/** The decision that an image stays out for one reason. */
export function refusal(named: Named, reason: DecisionReason): DecidedImage {
  const nobody = { agents: [], reviewers: [], warnings: [], cached: false };
  return { ...named, ...nobody, admitted: false, reasons: [reason] };
}

function decided(named: Named, verdict: ImageVerdict, cached: boolean): DecidedImage {
  const { admitted, reasons, warnings, verdicts, digest, valid_until } = verdict;
  const subjects = (signatures: (typeof verdicts)[number]['reviews']) =>
    signatures.map(({ certificate_identity: { subject } }) => subject);
  const [exception] = verdicts.flatMap((one) => one.exception ?? []);
  return {
    ...named,
    ...(digest === undefined ? {} : { digest }),
    admitted,
    reasons,
    warnings,
    agents: distinct(verdicts.flatMap((one) => subjects([...one.agent_signatures, ...(one.human_signatures ?? [])]))),
    reviewers: distinct(verdicts.flatMap(({ reviews }) => subjects(reviews))),
    ...(exception === undefined
      ? {}
      : { exception: { owner: exception.owner, reason: exception.reason, until: exception.until } }),
    ...(valid_until === undefined ? {} : { valid_until }),
    cached,
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
