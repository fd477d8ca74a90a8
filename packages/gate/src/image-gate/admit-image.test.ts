import { type Policy, parsePolicy } from '@colophon/admission';
import { formatRepository, keylessImageSigner, type ResolvedImage, signImage } from '@colophon/sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalRegistry } from '../../../sigstore/test/local-registry/local-registry.ts';
import {
  CLAIMS,
  FULCIO_URL,
  ISSUER,
  LocalSigstore,
  REKOR_URL,
} from '../../../sigstore/test/local-sigstore/local-sigstore.ts';
import { admitImage } from './admit-image.ts';

// As a webhook or a bot would decide: with the packages alone.
const sigstore = new LocalSigstore();
let registry: LocalRegistry;
let image: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  const identityToken = async () => sigstore.token();
  const options = { fulcioUrl: FULCIO_URL, rekorUrl: REKOR_URL, fetch: sigstore.fetch, identityToken };
  await signImage({ client: registry.client(), image, signer: keylessImageSigner(options), now: () => sigstore.now });
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

const decide = (images: string) =>
  admitImage({
    reference: `${formatRepository(image)}@${image.digest}`,
    policies: [policy(images)],
    trust: sigstore.trust,
    registry: registry.client(),
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date(),
  });

test('a signature without a review is not enough, and the decision names the digest that it holds for', async () => {
  const { admitted, digest, reasons } = await decide('**');
  expect([admitted, digest]).toEqual([false, image.digest]);
  expect(reasons.map(({ code }) => code)).toEqual(['admission.review_missing']);
});

test('an image that no policy covers is refused before any registry is asked', async () => {
  const { admitted, digest } = await decide('registry.example/other/*');
  expect([admitted, digest]).toEqual([false, undefined]);
});
