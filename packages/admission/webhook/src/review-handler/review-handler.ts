import { coveringPolicies } from '@colophon/admission';
import { type CachedGate, GateBusyError, type GateRules, isAuditedAlone, Places } from '@colophon/gate';
import { replacedText } from '@colophon/json';
import {
  type AdmissionAnswer,
  type AdmissionRequest,
  allowedAnswer,
  beginningUid,
  type ImagePlace,
  imagePatch,
  isPinned,
  type JudgedPart,
  judgedPart,
  type KubernetesReason,
  MAX_REVIEW_BYTES,
  MAX_REVIEW_VALUES,
  malformedReason,
  nameOf,
  ownerOf,
  parseAdmissionReview,
  refusedAnswer,
  tooManyImagesReason,
  uncoveredReason,
  unreadableAnswer,
} from '@colophon/kubernetes';
import {
  type AdmissionDecisionRecord,
  DECISION_OPERATIONS,
  type DecidedImage,
  LONGEST_DECISION_TEXT,
} from '@colophon/records';
import { imageToFetch, type RegistryClient } from '@colophon/sigstore';
import type { DecisionReason } from '../reason/webhook-reason.ts';
import { decideImage, faulted, type PlacedImage, reasonOf, refusedObject } from './image-decision.ts';
import { refusalLines, warningTexts } from './refusal-message.ts';

/** What reviews are answered by, as it was at one moment. */
export type WebhookRules = GateRules & {
  /** `audit`: nothing is refused and nothing is changed; what would be is a warning. */
  readonly mode: 'enforce' | 'audit';
  /** Names of namespaces whose objects are not looked at. */
  readonly excludedNamespaces: ReadonlySet<string>;
};

export type ReviewHandlerOptions = {
  readonly gate: Pick<CachedGate, 'decide'>;
  /** The rules in force; a review keeps those that it began with. */
  readonly rules: () => WebhookRules;
  /** With the credential that counts for the object, and what that credential is called. */
  readonly registryFor: (request: AdmissionRequest) => { readonly client: RegistryClient; readonly credential: string };
  readonly now: () => Date;
  /** Told of every decision that is more than a dry run. */
  readonly onDecision: (record: AdmissionDecisionRecord, request: AdmissionRequest) => void;
  /** Told of every review that could not be read, and why: no record of a decision says what it was about. */
  readonly onUnread: (uid: string, code: string) => void;
  /** Told of an error that no reason names. */
  readonly onError: (error: unknown) => void;
  /** Tags that are resolved at once, of all objects; 200, of which one namespace has 40. */
  readonly mostTags?: number;
};

/** Which of the two webhooks is called. */
export type Webhook = 'mutate' | 'validate';

/** Why a review was not read to its end: it has more bytes than any has, or too many large ones are under way. */
export type Unread = 'too-large' | 'no-room';

/** An HTTP answer. */
export type HandledReview = { readonly status: 200 | 400; readonly body: string };

const MOST_TAGS = 200;
const TAGS_SHARE = 0.2;

/**
 * Answers the reviews of an API server. Whatever goes wrong refuses, in time, and says why, where anything is enforced; only
 * what is no review at all has no answer but a status. To an API server a status is no answer: where its failure policy is
 * `Ignore`, the object comes in.
 * @see contract §5.3
 */
export class ReviewHandler {
  readonly #options: ReviewHandlerOptions;
  readonly #tags: Places;

  constructor(options: ReviewHandlerOptions) {
    const { mostTags = MOST_TAGS } = options;
    this.#options = options;
    this.#tags = new Places(mostTags, Math.ceil(mostTags * TAGS_SHARE));
  }

  /**
   * @param bytes the body of the request
   * @param timeoutMs until when the answer has to be there
   */
  async answer(webhook: Webhook, bytes: Uint8Array, timeoutMs: number): Promise<HandledReview> {
    const parsed = parseAdmissionReview(bytes);
    if (parsed.ok) {
      const request = parsed.value;
      return this.#answered(request.uid, (rules) => this.#answer(webhook, request, rules, timeoutMs));
    }
    const { uid, issues } = parsed;
    if (uid === undefined) return { status: 400, body: JSON.stringify(unreadableAnswer(issues)) };
    return this.#refused(uid, malformedReason('kubernetes.review_malformed', issues));
  }

  /**
   * The answer to a review that was not read to its end: a refusal, and in an audit a warning.
   * @param beginning at least the first REVIEW_BEGINNING_BYTES of the body
   * @returns undefined where the API server's uid is not in it
   */
  async answerUnread(beginning: Uint8Array, why: Unread): Promise<HandledReview | undefined> {
    const uid = beginningUid(beginning);
    return uid === undefined ? undefined : this.#refused(uid, UNREAD[why]);
  }

  #refused(uid: string, reason: DecisionReason): Promise<HandledReview> {
    this.#options.onUnread(uid, reason.code);
    return this.#answered(uid, ({ mode }) => answerFor(uid, mode, [refusedObject(reason)]));
  }

  async #answered(
    uid: string,
    answer: (rules: WebhookRules) => AdmissionAnswer | Promise<AdmissionAnswer>,
  ): Promise<HandledReview> {
    let mode: WebhookRules['mode'] = 'enforce';
    try {
      const rules = this.#options.rules();
      mode = rules.mode;
      return answered(await answer(rules));
    } catch (error) {
      return answered(answerFor(uid, mode, [refusedObject(reasonOf(error, this.#options.onError))]));
    }
  }

  async #answer(
    webhook: Webhook,
    request: AdmissionRequest,
    rules: WebhookRules,
    timeoutMs: number,
  ): Promise<AdmissionAnswer> {
    const { uid, namespace = '' } = request;
    if (rules.excludedNamespaces.has(namespace)) return allowedAnswer(uid);
    const part = judgedPart(request);
    if (part.outcome === 'pass') return allowedAnswer(uid);
    if (part.outcome !== 'judge') {
      return this.#conclude(webhook, request, rules, [refusedObject(unjudgedReason(part, request))]);
    }
    // What a template leaves open, its Pods have to name.
    const images = part.places.filter(hasImage);
    if (images.length === 0) return allowedAnswer(uid);
    const isPod = part.kind.kind === 'Pod';
    if (webhook === 'validate') {
      const mayResolve = !isPod || rules.mode === 'audit';
      return this.#conclude(webhook, request, rules, await this.#judge(images, request, rules, mayResolve, timeoutMs));
    }
    // Digests in a template fight whoever keeps it in git; what its Pods run is pinned when they are made.
    if (!isPod || rules.mode === 'audit') return allowedAnswer(uid);
    return this.#pin(images, request, rules, timeoutMs);
  }

  /** Decides each different image once; two places with one image have one decision. */
  async #judge(
    places: readonly PlacedImage[],
    request: AdmissionRequest,
    rules: WebhookRules,
    mayResolve: boolean,
    timeoutMs: number,
  ): Promise<DecidedImage[]> {
    const { gate, onError, registryFor } = this.#options;
    const { client: registry, credential } = registryFor(request);
    const asker = { name: request.namespace ?? '', credential };
    const resolve = (image: string) => this.#resolve(image, registry, asker.name);
    const context = { gate, rules, registry, asker, mayResolve, resolve, onError };
    const byImage = Map.groupBy(places, ({ image }) => image);
    const decided = await Promise.all(
      [...byImage.values()].map(([first]) =>
        this.#inTime(first as PlacedImage, rules, timeoutMs, () => decideImage(first as PlacedImage, context)),
      ),
    );
    return decided.flatMap((one) => (byImage.get(one.image) ?? []).map(({ place }) => ({ ...one, place })));
  }

  /** The patch that names every image by the digest that its tag has now. */
  async #pin(
    places: readonly NamedPlace[],
    request: AdmissionRequest,
    rules: WebhookRules,
    timeoutMs: number,
  ): Promise<AdmissionAnswer> {
    const { client: registry } = this.#options.registryFor(request);
    const digests = new Map<string, string>();
    // No registry is asked for what no policy covers: it is refused when it is judged. An audit changes no Pod.
    const tagged = places.filter(({ image }) => {
      const covering = coveringPolicies(image, rules.policies);
      return !isPinned(image) && covering.length > 0 && !isAuditedAlone(covering);
    });
    const different = [...new Map(tagged.map((place) => [place.image, place])).values()];
    const failed = await Promise.all(
      different.map((place) =>
        this.#inTime(place, rules, timeoutMs, async (): Promise<DecidedImage | undefined> => {
          try {
            digests.set(place.image, await this.#resolve(place.image, registry, request.namespace ?? ''));
            return undefined;
          } catch (error) {
            return faulted(place, rules, reasonOf(error, this.#options.onError));
          }
        }),
      ),
    );
    const refused = failed.filter((one) => one !== undefined);
    if (refused.length > 0) return this.#conclude('mutate', request, rules, refused);
    const pins = places.flatMap((place) => {
      const digest = digests.get(place.image);
      return digest === undefined ? [] : [{ place, digest }];
    });
    return allowedAnswer(request.uid, { patch: imagePatch(pins) });
  }

  /** The digest that a tag has now. @throws RegistryError, or GateBusyError where too many are being resolved, of all or of one namespace */
  async #resolve(image: string, registry: RegistryClient, namespace: string): Promise<string> {
    const giveBack = this.#tags.take(namespace);
    if (giveBack === undefined) throw new GateBusyError();
    try {
      return (await registry.resolve(imageToFetch(image))).digest;
    } finally {
      giveBack();
    }
  }

  /** A decision goes on when its time is over: the next one finds it. */
  async #inTime<T extends DecidedImage | undefined>(
    place: PlacedImage,
    rules: WebhookRules,
    timeoutMs: number,
    decide: () => Promise<T>,
  ): Promise<T | DecidedImage> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<DecidedImage>((resolve) => {
      timer = setTimeout(() => resolve(faulted(place, rules, TIMEOUT)), timeoutMs);
    });
    try {
      return await Promise.race([decide(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The answer to what was decided, which is recorded unless it is a dry run. */
  #conclude(
    webhook: Webhook,
    request: AdmissionRequest,
    { mode }: WebhookRules,
    images: readonly DecidedImage[],
  ): AdmissionAnswer {
    if (!request.dryRun && isRecorded(request.operation)) {
      this.#options.onDecision(this.#record(webhook, request, mode, images), request);
    }
    return answerFor(request.uid, mode, images);
  }

  #record(
    webhook: Webhook,
    { uid, operation, userInfo: { username }, namespace = '', kind, name, object }: AdmissionRequest,
    mode: WebhookRules['mode'],
    images: readonly DecidedImage[],
  ): AdmissionDecisionRecord {
    const owner = ownerOf(object);
    return {
      id: uid,
      time: this.#options.now().toISOString(),
      webhook,
      operation: operation as AdmissionDecisionRecord['operation'],
      object: {
        kind: kind.kind,
        namespace,
        name: cut(name ?? nameOf(object) ?? ''),
        ...(owner === undefined ? {} : { owner: cut(owner) }),
      },
      ...(username === undefined ? {} : { user: username }),
      mode,
      admitted: images.every((image) => image.admitted),
      enforced: mode === 'enforce',
      images: images.map((one) => ({ ...one, image: cut(one.image) })),
    };
  }
}

/** Why an object is refused before any of its images is looked at. */
function unjudgedReason(
  part: Exclude<JudgedPart, { outcome: 'judge' | 'pass' }>,
  request: AdmissionRequest,
): KubernetesReason {
  if (part.outcome === 'malformed') return malformedReason('kubernetes.object_malformed', part.issues);
  return part.outcome === 'too-many' ? tooManyImagesReason(part.count) : uncoveredReason(request, part.reason);
}

function isRecorded(operation: string): boolean {
  return (DECISION_OPERATIONS as readonly string[]).includes(operation);
}

/** A text of somebody else as a record may hold it: who reads a log of decisions refuses NUL and halves of characters. */
function cut(text: string): string {
  return replacedText(text.slice(0, LONGEST_DECISION_TEXT));
}

const TIMEOUT: DecisionReason = { code: 'webhook.timeout', message: 'The decision was not made in time; try again.' };

const UNREAD: Readonly<Record<Unread, DecisionReason>> = {
  'too-large': {
    code: 'webhook.review_too_large',
    message: 'The object is larger than what is read of one.',
    expected: `an AdmissionReview of at most ${MAX_REVIEW_BYTES} bytes, with at most ${MAX_REVIEW_VALUES} values`,
  },
  'no-room': {
    code: 'webhook.overloaded',
    message: 'More large objects are being decided than the webhook takes on at once; try again.',
  },
};

function answered(answer: AdmissionAnswer): HandledReview {
  return { status: 200, body: JSON.stringify(answer) };
}

/** What the API server is told: of an audit, what would be refused. */
function answerFor(uid: string, mode: WebhookRules['mode'], images: readonly DecidedImage[]): AdmissionAnswer {
  const isAllowed = mode === 'audit' || images.every(({ admitted }) => admitted);
  const notes = { warnings: warningTexts(images, isAllowed) };
  return isAllowed ? allowedAnswer(uid, notes) : refusedAnswer(uid, refusalLines(images), notes);
}

type NamedPlace = ImagePlace & { readonly image: string };

function hasImage(place: ImagePlace): place is NamedPlace {
  return place.image !== undefined;
}
