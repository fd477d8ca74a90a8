import { parsePolicy } from '@colophon/admission';
import { attestImage, formatRepository, type ResolvedImage, signImage } from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { Check } from 'typebox/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageAdmission } from './admission-result.ts';
import { admitImage } from './admit-image.ts';
import { withBasis } from './with-basis.ts';

// As a webhook or a bot would answer: with the packages alone.
const ANN = 'reviewer:ann@example.com';
const REVIEW = {
  human_reviewer: 'ann@example.com',
  review_timestamp: '2026-11-21T09:00:00Z',
  commit_sha: CLAIMS.commit_sha,
};
const sigstore = new LocalSigstore();
let registry: LocalRegistry;
let image: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  const common = { client: registry.client(), image, now: () => sigstore.now };
  await signImage({ ...common, signer: sigstore.imageSigner(CLAIMS) });
  await attestImage({
    ...common,
    signer: sigstore.imageSigner({ iss: ISSUER, sub: ANN, aud: 'sigstore' }),
    attestation: { predicateType: 'https://colophon.example/predicates/agent-review/v1', predicate: REVIEW },
  });
});
afterAll(() => registry.close());

function decide(reviewer: string) {
  const rules = [
    'version: 1',
    'images: ["**"]',
    `agent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }`,
    `review: { issuer: "${ISSUER}", subject: "${reviewer}" }`,
    'negatives: none',
  ];
  const parsed = parsePolicy(rules.join('\n'), { name: 'policy' });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return admitImage({
    reference: `${formatRepository(image)}@${image.digest}`,
    policies: [parsed.value],
    trust: sigstore.trust,
    registry: registry.client(),
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date(),
  });
}

test('a decision with its basis is what the schema of the result says, and without it is not', async () => {
  const decision = await decide(ANN);
  expect(decision.reasons).toEqual([]);
  expect(Check(imageAdmission, withBasis(decision))).toBe(true);
  expect(Check(imageAdmission, decision)).toBe(false);
});

test('a refusal with its basis is what the schema of the result says', async () => {
  const refusal = withBasis(await decide('reviewer:dana@example.com'));
  expect(refusal.reasons).not.toEqual([]);
  expect(Check(imageAdmission, refusal)).toBe(true);
});

test('a person’s own review rests on that review, and a claim on who the certificate says vouches for it', async () => {
  const [verdict] = withBasis(await decide(ANN)).verdicts;
  expect(verdict?.reviews.map(({ basis }) => basis['human_reviewer'])).toEqual([{ source: 'review', signer: ANN }]);
  const claims = verdict?.agent_signatures[0]?.basis;
  expect(claims?.['claims.repo']).toEqual({ source: 'declared', signer: CLAIMS.sub });
});
