import { type Policy, parsePolicy } from '@colophon/admission';
import {
  AttachmentRoom,
  digestOf,
  formatRepository,
  RegistryClient,
  type ResolvedImage,
  signImage,
} from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdmitImageOptions, admitImage } from './admit-image.ts';

// As a webhook or a bot would decide: with the packages alone.
const sigstore = new LocalSigstore();
let registry: LocalRegistry;
let image: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  await signImage({ client: registry.client(), image, signer: sigstore.imageSigner(), now: () => sigstore.now });
});
afterAll(() => registry.close());

function policy(images: string): Policy {
  const parsed = parsePolicy(
    [
      'version: 1',
      `images: ["${images}"]`,
      `agent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }`,
      `review: { issuer: "${ISSUER}", subjectRegExp: "^reviewer:.+$" }`,
      'negatives: none',
    ].join('\n'),
    { name: 'policy' },
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const decide = (images: string, more: Partial<AdmitImageOptions> = {}) =>
  admitImage({
    reference: `${formatRepository(image)}@${image.digest}`,
    policies: [policy(images)],
    trust: sigstore.trust,
    registry: registry.client(),
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date(),
    ...more,
  });

test('a signature without a review is not enough, and the decision names the digest that it holds for', async () => {
  const { admitted, digest, reasons } = await decide('**');
  expect([admitted, digest]).toEqual([false, image.digest]);
  expect(reasons.map(({ code }) => code)).toEqual(['admission.review_missing']);
});

test('an image whose time is over is not verified any further, and not decided', async () => {
  const ended = new AbortController();
  let verified = 0;
  const trust = {
    ...sigstore.trust,
    get roots() {
      verified += 1;
      return sigstore.trust.roots;
    },
  };
  // Everything was fetched by then.
  const negatives = async () => {
    ended.abort();
    return { kind: 'registry-only' } as const;
  };
  const view = registry.client().until(ended.signal);
  await expect(decide('**', { registry: view, negatives, trust })).rejects.toMatchObject({ code: 'registry.timeout' });
  expect(verified).toBe(0);
});

test('an image that no policy covers is refused before any registry is asked', async () => {
  const { admitted, digest } = await decide('registry.example/other/*');
  expect([admitted, digest]).toEqual([false, undefined]);
});

test('what there is no room for is missing evidence, and room is given back whatever was decided', async () => {
  const room = new AttachmentRoom({ bytes: 1, waitMs: 1 });
  const client = registry.client();
  const junk = Buffer.from(`{"junk":"${'x'.repeat(2 * 1024 * 1024)}"}`);
  const blob = { digest: await client.putBlob(image, junk), size: junk.length };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
  const manifest = {
    schemaVersion: 2,
    mediaType,
    artifactType: bundleType,
    config: { ...blob, mediaType: 'application/json' },
    layers: [{ ...blob, mediaType: bundleType }],
    subject: { mediaType: image.mediaType, digest: image.digest, size: image.size },
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await client.putManifest(image, digestOf(bytes), { bytes, mediaType });
  const { admitted, reasons } = await decide('**', { room });
  expect([admitted, reasons[0]?.code]).toEqual([false, 'admission.evidence_incomplete']);
  expect(reasons[0]?.found).toContain('image.no_room');

  const small = new AttachmentRoom({ bytes: 4 * 1024 * 1024, waitMs: 10_000 });
  for (let i = 0; i < 3; i++) {
    expect((await decide('**', { room: small })).reasons.map(({ code }) => code)).toEqual(['admission.review_missing']);
  }
  const failing = new RegistryClient({
    fetch: async (input, init) =>
      String(input).includes('/blobs/') ? new Response('', { status: 500 }) : registry.fetch(String(input), init),
  });
  for (let i = 0; i < 3; i++) {
    await expect(decide('**', { room: small, registry: failing })).rejects.toMatchObject({
      code: 'registry.unavailable',
    });
  }
});
