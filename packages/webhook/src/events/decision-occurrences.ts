import { isJsonObject, type JsonObject } from '@colophon/json';
import type { AdmissionDecisionRecord, DecidedImage } from '@colophon/records';
import { reasonText } from '../review-handler/refusal-message.ts';
import type { EventSubject, Occurrence } from './cluster-event.ts';

/**
 * What people should read of a decision beside the answer, which only the caller of the API reads: a Pod that a controller
 * could not create, and an image that came in by an exception. Of workloads nothing: who writes those reads the answer.
 * @param object as it came in the review
 */
export function decisionOccurrences(record: AdmissionDecisionRecord, object: unknown): Occurrence[] {
  const { kind, namespace } = record.object;
  if (kind !== 'Pod' || namespace === '') return [];
  const pod = podOf(record, object);
  if (record.admitted || !record.enforced) return exceptions(record, pod);
  const regarding = isUnborn(record) ? (controllerOf(object, namespace) ?? pod) : pod;
  const refused = record.images.filter(({ admitted }) => !admitted);
  return refused.map((image) => ({
    regarding,
    reason: 'AdmissionRefused',
    image: markOf(image),
    note: refusalNote(image),
    at: new Date(record.time),
  }));
}

function exceptions({ images, time }: AdmissionDecisionRecord, regarding: EventSubject): Occurrence[] {
  return images.flatMap((image): Occurrence[] => {
    const { exception } = image;
    if (exception === undefined) return [];
    const note = exceptionNote(image, exception);
    return [{ regarding, reason: 'AdmissionException', image: markOf(image), note, at: new Date(time) }];
  });
}

/** A Pod that is refused when it is made never exists. */
function isUnborn({ operation }: AdmissionDecisionRecord): boolean {
  return operation === 'CREATE';
}

function markOf({ digest, image }: DecidedImage): string {
  return digest ?? image;
}

function refusalNote({ place, image, reasons }: DecidedImage): string {
  const why = reasons.map((reason) => reasonText(reason)).join(' ');
  return image === '' ? why : `${place} ${image}: ${why}`;
}

function exceptionNote(
  { place, image }: DecidedImage,
  { owner, reason, until }: NonNullable<DecidedImage['exception']>,
): string {
  return `${place} ${image} came in by an exception of ${owner} until ${until}: ${reason}`;
}

function podOf({ object: { namespace, name } }: AdmissionDecisionRecord, object: unknown): EventSubject {
  const { uid } = metadataOf(object);
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, ...(isUid(uid) ? { uid } : {}) };
}

/** The controller that makes a Pod, in the words of whoever wrote the Pod; undefined where they are no names. */
function controllerOf(object: unknown, namespace: string): EventSubject | undefined {
  const { ownerReferences: owners } = metadataOf(object);
  if (!Array.isArray(owners)) return undefined;
  const owner: unknown = owners.find((one) => isJsonObject(one) && one['controller'] === true);
  if (!isJsonObject(owner)) return undefined;
  const { apiVersion, kind, name, uid } = owner;
  const isNamed =
    isText(apiVersion, /^[a-z0-9./-]{1,253}$/) &&
    isText(kind, /^[A-Za-z0-9]{1,63}$/) &&
    isText(name, /^[a-z0-9][a-z0-9.-]{0,252}$/) &&
    isUid(uid);
  return isNamed ? { apiVersion, kind, namespace, name, uid } : undefined;
}

function metadataOf(object: unknown): JsonObject {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}

function isUid(value: unknown): value is string {
  return isText(value, /^[A-Za-z0-9-]{1,128}$/);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
