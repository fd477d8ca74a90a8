import type { Issue, JsonObject } from '@colophon/json';
import { isTimestamp } from '@colophon/notation';
import type { AdmissionRequest } from '../admission-review/admission-request.ts';
import { apiVersionOf, type CoveredKind, coveredKind, coveredResource, POD } from '../covered-kind/covered-kind.ts';
import { type CoveredImages, type ImagePlace, imagesOfKind, MOST_IMAGES } from '../image-places/image-places.ts';
import { metadataOf } from '../object/object-name.ts';
import { type ScopeIssueCode, scopeIssue } from './scope-issue.ts';

/** What of a request has to be judged, and why. */
export type JudgedPart =
  | {
      /** Each of these images has to be admitted; a place without image (of a template) names nothing that could be. */
      readonly outcome: 'judge';
      /** `old_object_unusable`: what was there before cannot be told, so everything counts as new. */
      readonly reason: 'created' | 'image_new' | 'old_object_unusable';
      readonly kind: CoveredKind;
      /** Never empty. */
      readonly places: readonly ImagePlace[];
      readonly issues: readonly Issue[];
    }
  | {
      /** No image comes in. */ readonly outcome: 'pass';
      readonly reason: 'deleted' | 'being_deleted' | 'no_image_new';
    }
  | {
      /** Nobody registers a webhook for it, so the caller refuses. */
      readonly outcome: 'not-covered';
      readonly reason: 'operation' | 'subresource' | 'kind';
    }
  | {
      /** More images to judge than `MOST_IMAGES`; the caller refuses. */ readonly outcome: 'too-many';
      readonly count: number;
    }
  | { /** The caller refuses. */ readonly outcome: 'malformed'; readonly issues: readonly Issue[] };

type Judged = Extract<JudgedPart, { outcome: 'judge' }>;

/** The subresource through which containers are added to a running Pod. */
const EPHEMERAL_CONTAINERS = 'ephemeralcontainers';

/**
 * Decides what of a request has to be judged. A change is judged where an image is new at its place, so that an object
 * that was there before can still be changed otherwise.
 */
export function judgedPart(request: AdmissionRequest): JudgedPart {
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') return { outcome: 'pass', reason: 'deleted' };
  if (operation !== 'CREATE' && operation !== 'UPDATE') return { outcome: 'not-covered', reason: 'operation' };

  const kind = coveredKind(apiVersionOf(request.kind), request.kind.kind);
  const served = coveredResource(apiVersionOf(request.resource), request.resource.resource);
  if (kind === undefined && served === undefined) return { outcome: 'not-covered', reason: 'kind' };
  if (!isJudgedSubresource(request, served)) return { outcome: 'not-covered', reason: 'subresource' };
  if (kind === undefined || kind !== served)
    return malformed('/kind', 'kubernetes.kind_mismatch', 'the kind of /resource');
  if (object === undefined) return malformed('/object', 'kubernetes.object_missing', 'an object');
  if (!isOfKind(object, kind)) return malformed('/object', 'kubernetes.kind_mismatch', 'the kind of the request');

  const old = operation === 'UPDATE' && oldObject !== undefined && isOfKind(oldObject, kind) ? oldObject : undefined;
  const images = imagesOfKind(object, kind);
  const before = old && imagesOfKind(old, kind);
  // Only the stored object says so: anybody can write the member into a new one.
  if (isBeingDeleted(old)) return judgedWhileDeleted(images, before);

  const { places, issues } = images;
  if (images.outcome === 'malformed') return { outcome: 'malformed', issues };
  if (operation === 'CREATE') return judged({ reason: 'created', kind, places, issues });
  if (before?.outcome !== 'read') return judged({ reason: 'old_object_unusable', kind, places, issues });
  const added = newPlaces(places, before.places);
  if (added.length === 0) return { outcome: 'pass', reason: 'no_image_new' };
  return judged({ reason: 'image_new', kind, places: added, issues });
}

/** Only what is new is counted, and asked for its texts: an object from before can be changed otherwise. */
function judged(part: Omit<Judged, 'outcome'>): JudgedPart {
  if (part.places.length > MOST_IMAGES) return { outcome: 'too-many', count: part.places.length };
  const withNul = part.places.filter(({ name = '', image = '' }) => `${name}${image}`.includes('\0'));
  if (withNul.length === 0) return { outcome: 'judge', ...part };
  const issues = withNul.map(({ pointer }) => scopeIssue(pointer, 'kubernetes.nul', 'texts without NUL'));
  return { outcome: 'malformed', issues };
}

/** The finalizers of an object have to be removable, however it looks; an image that it did not have is no part of that. */
function judgedWhileDeleted(images: CoveredImages, before: CoveredImages | undefined): JudgedPart {
  const had = new Set(before?.places.map(({ image }) => image));
  const places = images.places.filter(({ image }) => image !== undefined && !had.has(image));
  if (places.length === 0) return { outcome: 'pass', reason: 'being_deleted' };
  return judged({ reason: 'image_new', kind: images.kind, places, issues: [] });
}

function isJudgedSubresource({ subResource, operation }: AdmissionRequest, served: CoveredKind | undefined): boolean {
  if (subResource === undefined) return true;
  return subResource === EPHEMERAL_CONTAINERS && operation === 'UPDATE' && served === POD;
}

function isOfKind(object: JsonObject, { apiVersion, kind }: CoveredKind): boolean {
  return object.apiVersion === apiVersion && object.kind === kind;
}

function isBeingDeleted(object: JsonObject | undefined): boolean {
  const { deletionTimestamp: time } = metadataOf(object);
  return typeof time === 'string' && isTimestamp(time);
}

/** The places whose image did not stand at the same place before. A name that was there twice proves nothing. */
function newPlaces(places: readonly ImagePlace[], before: readonly ImagePlace[]): readonly ImagePlace[] {
  const known = Map.groupBy(before, nameAt);
  return places.filter((place) => {
    const [old, another] = place.name === undefined ? [] : (known.get(nameAt(place)) ?? []);
    return old === undefined || another !== undefined || old.image !== place.image;
  });
}

function nameAt({ part, name = '' }: ImagePlace): string {
  return `${part}/${name}`;
}

function malformed(path: string, code: ScopeIssueCode, expected: string): JudgedPart {
  return { outcome: 'malformed', issues: [scopeIssue(path, code, expected)] };
}
