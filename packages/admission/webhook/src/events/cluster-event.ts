import { createHash } from 'node:crypto';
import type { ClusterObject, ClusterResource } from '@colophon/cluster';

/** What an event says happened, in the word by which people look for it. */
export type EventReason = 'AdmissionRefused' | 'AdmissionException' | 'RejectedImageRuns';

/** What an event is about. */
export type EventSubject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
};

/** Something that people who look at an object should read there. */
export type Occurrence = {
  readonly regarding: EventSubject;
  readonly reason: EventReason;
  /** By their digests; else as they stand in the object. */
  readonly images: readonly string[];
  /** Text from outside may stand in it. */
  readonly note: string;
  readonly at: Date;
};

/** Who says so. */
const CONTROLLER = 'colophon.example/admission';
const ACTIONS: Readonly<Record<EventReason, string>> = {
  AdmissionRefused: 'Refuse',
  AdmissionException: 'Admit',
  RejectedImageRuns: 'Report',
};

/** Limits of the API, in bytes. @see Kubernetes, validation of core events */
const MOST_NOTE_BYTES = 1024;
const MOST_INSTANCE_BYTES = 128;
/** Of an event's name, before its hash. */
const MOST_NAME_LENGTH = 200;
const HOUR_MS = 3600_000;

/** Where events of a namespace are. */
export function eventsIn(namespace: string): ClusterResource {
  return { group: 'events.k8s.io', version: 'v1', plural: 'events', namespace };
}

/**
 * The event of an occurrence. Its name follows from the object, the reason, the images and the hour: what several replicas see,
 * or what a controller tries again and again, is one event.
 * @param instance name of this replica
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
 */
export function clusterEvent({ regarding, reason, images, note, at }: Occurrence, instance: string): ClusterObject {
  const hour = Math.floor(at.getTime() / HOUR_MS);
  const { kind, namespace, name, uid = '' } = regarding;
  const mark = createHash('sha256').update(JSON.stringify([kind, namespace, name, uid, reason, images, hour]));
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${nameBefore(name)}.${mark.digest('hex').slice(0, 20)}`, namespace },
    // Of microseconds, as the API has it.
    eventTime: at.toISOString().replace('Z', '000Z'),
    reportingController: CONTROLLER,
    reportingInstance: printable(instance).slice(0, MOST_INSTANCE_BYTES) || 'unknown',
    action: ACTIONS[reason],
    reason,
    type: 'Warning',
    regarding,
    note: printable(note).slice(0, MOST_NOTE_BYTES),
  };
}

/** The beginning of an event's name: that of its object, where it is a DNS name; a name that is still to be made ends in `-`. */
function nameBefore(name: string): string {
  const cut = name.slice(0, MOST_NAME_LENGTH).replace(/[.-]+$/, '');
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(cut) ? cut : 'object';
}

/** One line of ASCII, of which each character is one byte. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').trim();
}
