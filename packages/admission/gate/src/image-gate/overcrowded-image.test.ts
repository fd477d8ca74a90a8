import { parsePolicy } from '@colophon/admission';
import { digestOf, formatRepository, type ResolvedImage } from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitImage } from './admit-image.ts';

const sigstore = new LocalSigstore();
const NOW = new Date('2026-11-21T12:00:00Z');
const MEDIA_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
let registry: LocalRegistry;
let image: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  const client = registry.client();
  const blob = { digest: await client.putBlob(image, Buffer.from('{}')), size: 2 };
  const { mediaType, digest, size } = image;
  // Each holds as many layers as one may: 1,008 that may be signatures, of somebody without any key.
  for (let index = 0; index < 126; index++) {
    const manifest = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE,
      artifactType: BUNDLE_TYPE,
      config: { ...blob, mediaType: 'application/json' },
      layers: Array(8).fill({ ...blob, mediaType: BUNDLE_TYPE }),
      annotations: { index: `${index}` },
      subject: { mediaType, digest, size },
    };
    const bytes = Buffer.from(JSON.stringify(manifest));
    await client.putManifest(image, digestOf(bytes), { bytes, mediaType: MEDIA_TYPE });
  }
});
afterAll(() => registry.close());

async function decide(...rules: string[]) {
  const policies = rules.map((rule) => {
    const parsed = parsePolicy(
      `version: 1\nimages: ["**"]\nnegatives: none\nagent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }\n${rule}`,
    );
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.value;
  });
  const { admitted, digest, reasons, warnings } = await admitImage({
    reference: `${formatRepository(image)}@${image.digest}`,
    policies,
    trust: sigstore.trust,
    registry: registry.client(),
    pins: { seen: async () => undefined, keep: async () => {} },
    now: NOW,
  });
  expect(digest).toBe(image.digest);
  return [admitted, reasons.map(({ code }) => code), warnings.map(({ code }) => code)];
}
const exception = () =>
  `exceptions: [{ digest: "${image.digest}", owner: o, reason: r, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
const TOO_MANY = 'admission.too_many_signatures';

test('what anybody may attach by the thousand refuses, and refuses nothing that only an audit covers', async () => {
  expect(await decide('')).toEqual([false, [TOO_MANY], []]);
  expect(await decide('mode: audit')).toEqual([true, [], [TOO_MANY]]);
  expect(await decide('mode: audit', '')).toEqual([false, [TOO_MANY], [TOO_MANY]]);
});

test('an exception stands in for it', async () => {
  expect(await decide(exception())).toEqual([true, [], ['admission.exception']]);
  expect(await decide(exception(), 'mode: audit')).toEqual([true, [], [TOO_MANY, 'admission.exception']]);
  expect(await decide(exception(), '')).toEqual([false, [TOO_MANY], ['admission.exception']]);
});
