import { type Policy, parsePolicy } from '@colophon/admission';
import { manifestImages } from '@colophon/kubernetes';
import { formatRepository, type ResolvedImage, signImage } from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admitObjects } from './admit-objects.ts';

const sigstore = new LocalSigstore();
let registry: LocalRegistry;
let image: ResolvedImage;
let tagged: string;
let pinned: string;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  tagged = `${formatRepository(image)}:v1`;
  pinned = `${formatRepository(image)}@${image.digest}`;
  const client = registry.client();
  const manifest = await client.getManifest(image, image.digest);
  await client.putManifest(image, 'v1', manifest!);
  await signImage({ client, image, signer: sigstore.imageSigner(), now: () => sigstore.now });
});
beforeEach(() => {
  registry.requests.length = 0;
});
afterAll(() => registry.close());

function policy(more: string): Policy {
  const parsed = parsePolicy(
    `version: 1\nimages: ["${image.registry}/**"]\nagent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }\n${more}`,
    { name: 'policy' },
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const LIST = 'https://evidence.example/negatives';
const listed: string[] = [];
const decide = async (
  documents: readonly object[],
  more = 'negatives: none\nprofile: spec',
  policies: readonly Policy[] = [policy(more)],
) => {
  const resolved: string[] = [];
  const objects = await admitObjects({
    objects: manifestImages(documents),
    policies,
    trust: sigstore.trust,
    registry: registry.client(),
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date(),
    fetch: async (url) => {
      listed.push(String(url));
      return new Response('{}');
    },
    onResolved: (reference) => resolved.push(reference),
  });
  return { objects, resolved };
};
const pod = (...images: string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: images.map((one, index) => ({ name: `c${index}`, image: one })) },
});
const codesOf = ({ reasons }: { readonly reasons: ReadonlyArray<{ readonly code: string }> }) =>
  reasons.map(({ code }) => code);

describe('objects of manifests', () => {
  it('are decided in their order, each image with the decision about an image', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { generateName: 'web-' }, spec: {} };
    const { objects } = await decide([service, pod(pinned, 'other.example/x:1')]);
    expect(objects).toMatchObject([
      { api_version: 'v1', kind: 'Service', name: 'web-', admitted: true, reasons: [], images: [] },
      {
        kind: 'Pod',
        namespace: 'shop',
        name: 'web',
        admitted: false,
        reasons: [],
        images: [
          { place: 'spec.containers[c0]', image: pinned, digest: image.digest },
          { place: 'spec.containers[c1]', image: 'other.example/x:1', admitted: false },
        ],
      },
    ]);
    const [, { images } = { images: [] }] = objects;
    expect(images.map(codesOf)).toEqual([['admission.review_missing'], ['admission.image_not_covered']]);
  });

  it('have each different image decided once, and a tag resolved once', async () => {
    const { objects, resolved } = await decide([pod(tagged, tagged, pinned), pod(tagged)]);
    expect(resolved.toSorted()).toEqual([tagged, pinned].toSorted());
    const digests = objects.flatMap(({ images }) => images.map(({ digest }) => digest));
    expect(digests).toEqual(Array(4).fill(image.digest));
    expect(registry.requests.filter((one) => /^(?:GET|HEAD) .*\/manifests\/v1$/.test(one))).toHaveLength(1);
  });

  it('ask once for a list of rejections, whatever becomes of it', async () => {
    const more = `negatives: { from: "${LIST}", signer: { issuer: "${ISSUER}", subject: x } }`;
    const { objects } = await decide([pod(tagged, pinned)], more);
    expect(listed).toEqual([LIST]);
    for (const one of objects[0]?.images ?? []) expect(codesOf(one)).toContain('admission.rejections_incomplete');
  });

  it('are refused where nobody can say what they run', async () => {
    const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', spec: { template: pod(pinned) } };
    const broken = { ...pod(pinned), spec: { containers: 'x' } };
    const { objects } = await decide([rollout, broken, { a: 1 }]);
    expect(objects.map(({ admitted, reasons, images }) => [admitted, reasons[0]?.code, images])).toEqual([
      [false, 'kubernetes.kind_not_covered', []],
      [false, 'kubernetes.object_malformed', []],
      [false, 'kubernetes.object_malformed', []],
    ]);
    expect(objects.map(({ reasons }) => reasons[0]?.found)).toEqual([
      'argoproj.io/v1alpha1/Rollout /spec/template/spec/containers/0/image',
      '/spec/containers kubernetes.field_type',
      '(root) manifest.kind_missing',
    ]);
    expect(registry.requests).toEqual([]);
  });

  it('are refused with items that kubectl would create instead of them', async () => {
    const { objects } = await decide([{ ...pod(pinned), items: [pod('other.example/x:1')] }]);
    expect(objects).toMatchObject([{ kind: 'Pod', name: 'web', admitted: false, images: [] }]);
    expect(objects[0]?.reasons).toEqual([
      {
        code: 'kubernetes.object_malformed',
        message: 'The images of the object cannot be found.',
        expected: 'the object without items, or a v1 List of objects',
        found: '/items manifest.items_unexpected',
      },
    ]);
    expect(registry.requests).toEqual([]);
  });

  it('are refused with more images than a webhook judges, and none of them is asked for', async () => {
    const crowd = pod(...Array.from({ length: 257 }, (_, index) => `other.example/x${index}:1`));
    const { objects } = await decide([crowd, pod('other.example/x:1')]);
    expect(objects.map(({ admitted, reasons, images }) => [admitted, reasons[0]?.code, images.length])).toEqual([
      [false, 'kubernetes.too_many_images', 0],
      [false, undefined, 1],
    ]);
    expect(objects[0]?.reasons[0]).toMatchObject({ expected: 'at most 256', found: '257' });
  });

  it('leave what a template leaves open to its Pods', async () => {
    const template = { spec: { containers: [{ name: 'a' }, { name: 'b', image: 'other.example/x:1' }] } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template } };
    const open = { ...deployment, spec: { template: { spec: { containers: [{ name: 'a' }] } } } };
    const { objects } = await decide([deployment, open]);
    expect(objects.map(({ admitted, images }) => [admitted, images.map((one) => one.place)])).toEqual([
      [false, ['spec.template.spec.containers[b]']],
      [true, []],
    ]);
  });

  it('are refused where the registry has no such image, or its name is none, and the others are decided', async () => {
    const missing = `${image.registry}/none/none:1`;
    const { objects } = await decide([pod(missing), pod(' '), pod(pinned)]);
    expect(objects.map(({ images }) => images.flatMap(codesOf))).toEqual([
      ['registry.not_found'],
      ['registry.reference_invalid'],
      ['admission.review_missing'],
    ]);
  });

  it('are admitted with a warning where the registry fails and no policy that covers the image enforces', async () => {
    const missing = `${image.registry}/none/none:1`;
    const [enforcing, auditing] = [policy('negatives: none'), policy('negatives: none\nmode: audit')];
    for (const [policies, admitted] of [
      [[auditing], true],
      [[auditing, auditing], true],
      [[auditing, enforcing], false],
      [[enforcing], false],
    ] as const) {
      const { objects } = await decide([pod(missing)], '', policies);
      const [{ images } = { images: [] }] = objects;
      expect([objects[0]?.admitted, images.map((one) => one.admitted)]).toEqual([admitted, [admitted]]);
      const [reasons, warnings] = admitted ? [[], ['registry.not_found']] : [['registry.not_found'], []];
      expect(images.map((one) => [codesOf(one), one.warnings.map(({ code }) => code)])).toEqual([[reasons, warnings]]);
    }
    const { objects } = await decide([pod(' ')], '', [auditing]);
    expect(objects.map((one) => one.admitted)).toEqual([false]);
  });
});
