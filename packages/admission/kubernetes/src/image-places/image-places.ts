import { exactPointer, type Issue, isJsonObject, type JsonObject, type JsonValue, jsonPointer } from '@colophon/json';
import { MOST_DECIDED_IMAGES } from '@colophon/records';
import { type CoveredKind, coveredKind, POD } from '../covered-kind/covered-kind.ts';
import { type ImageIssueCode, imageIssue } from './image-issue.ts';

/** The lists of a Pod specification that hold images. */
export const IMAGE_PARTS = ['containers', 'initContainers', 'ephemeralContainers', 'volumes'] as const;
export type ImagePart = (typeof IMAGE_PARTS)[number];

/** One place in an object where an image stands, or should. */
export type ImagePlace = {
  readonly part: ImagePart;
  /** Of the container or volume; absent where it has none. */
  readonly name?: string;
  /** JSON Pointer (RFC 6901) to the text of the image. */
  readonly pointer: string;
  /** For a person, e.g. `spec.template.spec.containers[web]`. */
  readonly place: string;
  /** As it is written; absent where none is. */
  readonly image?: string;
};

/**
 * The images of an object. `unknown`: not of a covered kind. `malformed`: images may stand where they cannot be read, or
 * a Pod has a container without one. A template may leave an image open: `read`, with an issue and a place without image.
 */
export type ImageReading = { readonly outcome: 'unknown' } | CoveredImages;

/** The images of an object of a covered kind. */
export type CoveredImages = {
  readonly outcome: 'read' | 'malformed';
  readonly kind: CoveredKind;
  readonly places: readonly ImagePlace[];
  readonly issues: readonly Issue[];
};

/**
 * Images of one object that are judged: as many as the record of a decision has. Each is held against every policy, and tens of thousands take seconds in which
 * nothing else is answered. No Pod that runs has a tenth of these.
 */
export const MOST_IMAGES = MOST_DECIDED_IMAGES;

/** A hostile object must not buy an answer larger than itself. */
const MOST_ISSUES = 20;

type Segments = readonly (string | number)[];
type Found = { readonly places: ImagePlace[]; readonly issues: Issue[]; isMalformed: boolean };

/**
 * Finds every image of an object of a covered kind: those of containers, init containers, ephemeral containers and image
 * volumes, in this order. Whether an image's text is a reference is for the caller to ask.
 * @returns up to 20 issues, with codes `kubernetes.*`
 */
export function imagePlaces(object: unknown): ImageReading {
  if (!isJsonObject(object)) return { outcome: 'unknown' };
  const kind = coveredKind(object.apiVersion, object.kind);
  return kind === undefined ? { outcome: 'unknown' } : imagesOfKind(object, kind);
}

/** The same of an object whose kind is known. */
export function imagesOfKind(object: JsonObject, kind: CoveredKind): CoveredImages {
  const found: Found = { places: [], issues: [], isMalformed: false };
  const spec = podSpecOf(object, kind, (...issue) => malformed(found, ...issue));
  if (spec !== undefined) {
    for (const part of IMAGE_PARTS) readPart(spec, part, kind, found);
  }
  const { places, issues, isMalformed } = found;
  return { outcome: isMalformed ? 'malformed' : 'read', kind, places, issues };
}

/** The specification of an object's Pods; undefined, and noted, where there is none. */
export function podSpecOf(
  object: JsonObject,
  { podSpec }: CoveredKind,
  note: (segments: Segments, code: ImageIssueCode, expected: string) => void = () => {},
): JsonObject | undefined {
  let at = object;
  for (const [depth, name] of podSpec.entries()) {
    const below = at[name];
    if (!isJsonObject(below)) {
      note(
        podSpec.slice(0, depth + 1),
        isAbsent(below) ? 'kubernetes.field_missing' : 'kubernetes.field_type',
        'an object',
      );
      return undefined;
    }
    at = below;
  }
  return at;
}

function readPart(spec: JsonObject, part: ImagePart, kind: CoveredKind, found: Found): void {
  const list = spec[part];
  const segments = [...kind.podSpec, part];
  if (isAbsent(list)) {
    if (part === 'containers') malformed(found, segments, 'kubernetes.field_missing', 'a list of containers');
    return;
  }
  if (!Array.isArray(list)) {
    malformed(found, segments, 'kubernetes.field_type', 'a list');
    return;
  }
  if (part === 'containers' && list.length === 0)
    malformed(found, segments, 'kubernetes.containers_empty', 'at least one container');
  for (const [index, item] of (list as readonly JsonValue[]).entries()) {
    const at = [...segments, index];
    if (!isJsonObject(item)) malformed(found, at, 'kubernetes.field_type', 'an object');
    else if (part !== 'volumes') readImage(item, [...at, 'image'], item.image, part, kind, found);
    else if (isJsonObject(item.image))
      readImage(item, [...at, 'image', 'reference'], item.image.reference, part, kind, found);
    else if (!isAbsent(item.image)) malformed(found, [...at, 'image'], 'kubernetes.field_type', 'an object');
  }
}

function readImage(
  { name }: JsonObject,
  segments: Segments,
  image: JsonValue | undefined,
  part: ImagePart,
  kind: CoveredKind,
  found: Found,
): void {
  const isNamed = typeof name === 'string' && name !== '';
  const isImage = typeof image === 'string' && image !== '';
  if (!isImage) {
    const isOpen = isAbsent(image) || image === '';
    const code = isOpen ? 'kubernetes.image_missing' : 'kubernetes.field_type';
    // A template may leave its image to what manages it; the API server asks every Pod for one.
    const note = isOpen && kind !== POD ? noted : malformed;
    note(found, segments, code, 'the reference of an image');
  }
  const index = segments[kind.podSpec.length + 1];
  found.places.push({
    part,
    ...(isNamed && { name }),
    pointer: exactPointer(segments),
    place: `${kind.podSpec.join('.')}.${part}[${isNamed ? jsonPointer([name]).slice(1) : index}]`,
    ...(isImage && { image }),
  });
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function malformed(found: Found, segments: Segments, code: ImageIssueCode, expected: string): void {
  found.isMalformed = true;
  noted(found, segments, code, expected);
}

function noted({ issues }: Found, segments: Segments, code: ImageIssueCode, expected: string): void {
  if (issues.length < MOST_ISSUES) issues.push(imageIssue(segments, code, expected));
}
