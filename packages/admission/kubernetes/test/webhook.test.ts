import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdmissionAnswer,
  allowedAnswer,
  type ImagePin,
  imagePatch,
  imagePlaces,
  type JudgedPart,
  judgedPart,
  MAX_REVIEW_BYTES,
  type ManifestObject,
  manifestImages,
  nameOf,
  ownerOf,
  parseAdmissionReview,
  refusedAnswer,
  UNCOVERED_IMAGE_FIELDS,
  unreadableAnswer,
} from '@colophon/kubernetes';
import { expect, it, test } from 'vitest';
import { applyPatch } from './json-patch.ts';

const VECTORS = join(import.meta.dirname, '../vectors/api-server');
const DIGEST = `sha256:${'d'.repeat(64)}`;

/** A webhook that admits every image and pins it. */
function answerTo(bytes: Uint8Array): AdmissionAnswer | ReturnType<typeof unreadableAnswer> {
  const read = parseAdmissionReview(bytes);
  if (!read.ok) return unreadableAnswer(read.issues);
  const { uid } = read.value;
  const part: JudgedPart = judgedPart(read.value);
  if (part.outcome === 'pass') return allowedAnswer(uid);
  if (part.outcome !== 'judge') return refusedAnswer(uid, [part.outcome]);
  const places = part.places.filter(({ image }) => image !== undefined);
  const pins: ImagePin[] = places.map((place) => ({ place, digest: DIGEST }));
  return allowedAnswer(uid, { patch: imagePatch(pins) });
}

it.each([
  ['pod-create', 3],
  ['pod-create-generated-name', 3],
  ['pod-update-image', 1],
  ['pod-ephemeral-container', 1],
  ['deployment-create', 1],
  ['cronjob-create', 0],
  ['pod-update-label', 0],
  ['pod-delete', 0],
  ['pod-eviction', 'not-covered'],
  ['deployment-scale', 'not-covered'],
  ['deployment-create-empty-image-volume', 1],
])('answers %s under its uid, with as many pins as images are new', (name, expected) => {
  const bytes = readFileSync(join(VECTORS, `${name}.json`));
  const { request } = JSON.parse(bytes.toString());
  const { response } = answerTo(bytes) as AdmissionAnswer;
  expect(response.uid).toBe(request.uid);
  expect(response.status?.message).toBe(typeof expected === 'string' ? expected : undefined);
  expect(response.allowed).toBe(typeof expected === 'number');
  // The API server refuses one without the other.
  expect(response.patchType).toBe(response.patch === undefined ? undefined : 'JSONPatch');

  const patch = JSON.parse(Buffer.from(response.patch ?? 'W10=', 'base64').toString());
  expect(patch).toHaveLength(typeof expected === 'number' ? 2 * expected : 0);
  if (patch.length === 0) return;
  const before = imagePlaces(request.object);
  const after = imagePlaces(applyPatch(request.object, patch));
  if (before.outcome !== 'read' || after.outcome !== 'read') throw new Error('the object is read');
  const changed = new Set(patch.map(({ path }: { path: string }) => path));
  expect(after.places).toEqual(
    before.places.map((place) =>
      changed.has(place.pointer) ? { ...place, image: `${place.image}@${DIGEST}` } : place,
    ),
  );
});

it('answers what it cannot read with a Status', () => {
  expect(answerTo(new Uint8Array(0))).toMatchObject({ kind: 'Status', code: 400 });
  expect(answerTo(new Uint8Array(MAX_REVIEW_BYTES + 1))).toMatchObject({
    message: expect.stringContaining('json.too_large'),
  });
});

test('what a Deployment makes says so', () => {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop-5d', uid: 'u', controller: true }];
  const object = { metadata: { generateName: 'shop-5d-', ownerReferences } };
  expect([nameOf(object), ownerOf(object)]).toEqual(['shop-5d-', 'ReplicaSet/shop-5d']);
});

test('a manifest has the same images as the request with its object', () => {
  const names = ['pod-create', 'deployment-create', 'cronjob-create'];
  const objects = names.map((name) => JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8')).request.object);
  const found: readonly ManifestObject[] = manifestImages([{ apiVersion: 'v1', kind: 'List', items: objects }]);
  expect(found.map(({ images }) => images)).toEqual(objects.map(imagePlaces));
});

test('the README has every field that is not covered', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const rows = UNCOVERED_IMAGE_FIELDS.map(({ api, field, why }) => `| ${api} | ${field} | ${why} |\n`);
  expect(readme).toContain(`|---|---|---|\n${rows.join('')}\n`);
});
