import { parsePointer } from '@colophon/json';
import {
  type AdmissionRequest,
  type ImagePlace,
  imagePatch,
  imagePlaces,
  judgedPart,
  parseAdmissionReview,
  pinnedImage,
  readAdmissionReview,
} from '@colophon/kubernetes';
import { sha256Digest } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch } from './json-patch.ts';
import { image, kind, objectOf, podSpec, reviewOf } from './objects.ts';

function requestOf(review: object): AdmissionRequest {
  const read = readAdmissionReview(review);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

function placesOf(object: unknown): readonly ImagePlace[] {
  const reading = imagePlaces(object);
  return reading.outcome === 'unknown' ? [] : reading.places;
}

const valueAt = (object: unknown, pointer: string): unknown =>
  parsePointer(pointer)?.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], object);

/** Every text that stands below the name `image` of a container, or is the reference of an image volume. */
function textsIn(spec: Record<string, unknown>): string[] {
  const listed = ['containers', 'initContainers', 'ephemeralContainers', 'volumes'].map((part) => spec[part]);
  const items = listed.flat() as Array<{ image?: unknown } | null | undefined>;
  const images = items.map((item) => (typeof item === 'object' ? item?.image : undefined));
  const references = images.map((one) =>
    typeof one === 'object' ? (one as { reference?: unknown } | null)?.reference : one,
  );
  return references.filter((one) => typeof one === 'string' && one !== '') as string[];
}

describe('places', () => {
  test('are those of every image, in their order, and point to it', () => {
    fc.assert(
      fc.property(kind, podSpec, (kind, spec) => {
        const object = objectOf(kind, spec);
        const reading = imagePlaces(object);
        expect(reading).toMatchObject({ outcome: 'read', issues: [] });
        expect(placesOf(object).map(({ image }) => image)).toEqual(textsIn(spec));
        for (const { pointer, image } of placesOf(object)) expect(valueAt(object, pointer)).toBe(image);
      }),
    );
  });

  test('leave nothing out of an object of another shape without an issue', () => {
    const odd = fc.oneof(fc.constant(null), fc.integer(), fc.constant('x'), fc.constant([]), fc.constant({}));
    const oddImage = fc.oneof(image, odd, fc.record({ reference: fc.oneof(image, odd) }));
    const item = fc.oneof(odd, fc.record({ name: fc.oneof(fc.constant('web'), odd), image: oddImage }));
    const list = fc.oneof(odd, fc.array(item, { maxLength: 3 }));
    const spec = fc.record(
      { containers: list, initContainers: list, ephemeralContainers: list, volumes: list },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(kind, spec, (kind, spec) => {
        const object = objectOf(kind, spec);
        const reading = imagePlaces(object);
        if (reading.outcome === 'unknown') throw new Error('the kind is covered');
        const found = new Set(reading.places.map(({ image }) => image));
        const missed = textsIn(spec).filter((text) => !found.has(text));
        if (missed.length > 0 || found.size === 0) expect(reading.outcome).toBe('malformed');
        expect(reading.places.some(({ image }) => image === undefined) && reading.issues.length === 0).toBe(false);
        expect(reading.outcome === 'malformed' && reading.issues.length === 0).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a change', () => {
  test('passes where no image changes', () => {
    fc.assert(
      fc.property(kind, podSpec, (kind, spec) => {
        const object = objectOf(kind, spec);
        const request = requestOf(reviewOf(kind, { operation: 'UPDATE', object, oldObject: structuredClone(object) }));
        expect(judgedPart(request)).toEqual({ outcome: 'pass', reason: 'no_image_new' });
      }),
    );
  });

  test('of an image anywhere is judged there, and there alone, also while the object is being deleted', () => {
    fc.assert(
      fc.property(kind, podSpec, fc.nat(), fc.boolean(), (kind, spec, index, isDeleted) => {
        const oldObject = objectOf(kind, spec);
        const places = placesOf(oldObject);
        const { pointer, image = '' } = places[index % places.length]!;
        const object = applyPatch(oldObject, [{ op: 'replace', path: pointer, value: `${image}-new` }]);
        if (isDeleted) Object.assign(oldObject, { metadata: { deletionTimestamp: '2026-11-28T05:00:00Z' } });
        const part = judgedPart(requestOf(reviewOf(kind, { operation: 'UPDATE', object, oldObject })));
        expect(part).toMatchObject({
          outcome: 'judge',
          reason: 'image_new',
          places: [{ pointer, image: `${image}-new` }],
        });
      }),
    );
  });

  test('passes only images that stood at their places before', () => {
    fc.assert(
      fc.property(kind, podSpec, podSpec, (kind, before, after) => {
        const [oldObject, object] = [objectOf(kind, before), objectOf(kind, after)];
        const part = judgedPart(requestOf(reviewOf(kind, { operation: 'UPDATE', object, oldObject })));
        const named = (places: readonly ImagePlace[]) =>
          places.map(({ part, name, image }) => `${part} ${name} ${image}`);
        const old = new Set(named(placesOf(oldObject)));
        const judged = part.outcome === 'judge' ? named(part.places) : [];
        expect(judged).toEqual(named(placesOf(object)).filter((one) => !old.has(one)));
      }),
    );
  });
});

test('a patch gives exactly the pinned images, twice the same', () => {
  fc.assert(
    fc.property(kind, podSpec, sha256Digest(), (kind, spec, digest) => {
      const object = objectOf(kind, spec);
      const pin = (one: object) => imagePatch(placesOf(one).map((place) => ({ place, digest })));
      const pinned = applyPatch(object, pin(object));
      expect(placesOf(pinned)).toEqual(
        placesOf(object).map((place) => ({ ...place, image: pinnedImage(place.image!, digest) })),
      );
      expect(pin(pinned)).toEqual([]);
      const restored = placesOf(object).map(
        ({ pointer, image }) => ({ op: 'replace', path: pointer, value: image! }) as const,
      );
      expect(applyPatch(pinned, restored)).toEqual(object);
    }),
  );
});

describe('a review of any shape', () => {
  const OUTCOMES = ['judge', 'pass', 'not-covered', 'malformed'];

  test('is read without a throw, and decided without one', () => {
    const review = fc.oneof(
      fc.jsonValue(),
      fc.record({
        apiVersion: fc.constantFrom('admission.k8s.io/v1', 'v1', 7),
        kind: fc.constantFrom('AdmissionReview', null),
        request: fc.jsonValue(),
      }),
      fc
        .tuple(kind, fc.jsonValue(), fc.jsonValue(), fc.constantFrom('CREATE', 'UPDATE', 'DELETE', 'CONNECT'))
        .map(([kind, object, oldObject, operation]) =>
          reviewOf(kind, { operation, object: objectOf(kind, object), oldObject: objectOf(kind, oldObject) }),
        ),
    );
    fc.assert(
      fc.property(review, (review) => {
        const read = readAdmissionReview(review);
        if (read.ok) expect(OUTCOMES).toContain(judgedPart(read.value).outcome);
        else expect(read.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  test('is read from any bytes without a throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(parseAdmissionReview(bytes).ok).toBe(false);
      }),
    );
  });
});
