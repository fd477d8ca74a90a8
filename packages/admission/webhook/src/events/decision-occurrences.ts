import { controllerOf, metadataOf } from '@colophon/kubernetes';
import type { AdmissionDecisionRecord, DecidedImage } from '@colophon/records';
import { reasonText } from '../review-handler/refusal-message.ts';
import type { EventSubject, Occurrence } from './cluster-event.ts';

type Exception = NonNullable<DecidedImage['exception']>;

/** Images that an event tells of one by one: there is room for few. */
const MOST_TOLD = 5;

/**
 * What people should read of a decision beside the answer, which only the caller of the API reads: a Pod that a controller
 * could not create, and a Pod that came in by an exception; one occurrence each, however many its images are. Of workloads
 * nothing: who writes those reads the answer.
 * @param object as it came in the review
 */
export function decisionOccurrences(record: AdmissionDecisionRecord, object: unknown): Occurrence[] {
  const { kind, namespace } = record.object;
  if (kind !== 'Pod' || namespace === '') return [];
  const at = new Date(record.time);
  const pod = podOf(record, object);
  if (record.admitted || !record.enforced) {
    return exceptionsOf(record).map(({ exception, images }) => {
      return { ...about(pod, images), reason: 'AdmissionException', note: exceptionNote(images, exception), at };
    });
  }
  const refused = record.images.filter(({ admitted }) => !admitted);
  const regarding = isUnborn(record) ? (ownerIn(object, namespace) ?? pod) : pod;
  return [{ ...about(regarding, refused), reason: 'AdmissionRefused', note: refusalNote(refused), at }];
}

/** Each exception of which an image made use, with all images of it. */
function exceptionsOf({ images }: AdmissionDecisionRecord) {
  const used = new Map<string, { readonly exception: Exception; readonly images: DecidedImage[] }>();
  for (const image of images) {
    const { exception } = image;
    if (exception === undefined) continue;
    const key = JSON.stringify([exception.owner, exception.until, exception.reason]);
    const known = used.get(key) ?? { exception, images: [] };
    known.images.push(image);
    used.set(key, known);
  }
  return [...used.values()];
}

function about(regarding: EventSubject, images: readonly DecidedImage[]): Pick<Occurrence, 'regarding' | 'images'> {
  return { regarding, images: images.map(({ digest, image }) => digest ?? image) };
}

/** A Pod that is refused when it is made never exists. */
function isUnborn({ operation }: AdmissionDecisionRecord): boolean {
  return operation === 'CREATE';
}

function refusalNote(images: readonly DecidedImage[]): string {
  const told = images.slice(0, MOST_TOLD).map(({ place, image, reasons }) => {
    const why = reasons.map((reason) => reasonText(reason)).join(' ');
    return image === '' ? why : `${place} ${image}: ${why}`;
  });
  return `${images.length === 1 ? '' : `${images.length} images stay out: `}${told.join('; ')}`;
}

function exceptionNote(images: readonly DecidedImage[], { owner, reason, until }: Exception): string {
  const told = images.slice(0, MOST_TOLD).map(({ place, image }) => `${place} ${image}`);
  const isOne = images.length === 1;
  const subject = isOne ? told.join('') : `${images.length} images`;
  return `${subject} came in by an exception of ${owner} until ${until}: ${reason}${isOne ? '' : `; ${told.join('; ')}`}`;
}

function podOf({ object: { namespace, name } }: AdmissionDecisionRecord, object: unknown): EventSubject {
  const { uid } = metadataOf(object);
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, ...(isUid(uid) ? { uid } : {}) };
}

/** The controller that makes a Pod, in the words of whoever wrote the Pod; undefined where they are no names. */
function ownerIn(object: unknown, namespace: string): EventSubject | undefined {
  const { apiVersion, kind, name, uid } = controllerOf(object) ?? {};
  const isNamed =
    isText(apiVersion, /^[a-z0-9./-]{1,253}$/) &&
    isText(kind, /^[A-Za-z0-9]{1,63}$/) &&
    isText(name, /^[a-z0-9][a-z0-9.-]{0,252}$/) &&
    isUid(uid);
  return isNamed ? { apiVersion, kind, namespace, name, uid } : undefined;
}

function isUid(value: unknown): value is string {
  return isText(value, /^[A-Za-z0-9-]{1,128}$/);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
