import { type Policy, parsePolicy } from '@colophon/admission';
import { keylessImageSigner, RegistryClient, RegistryError, type ResolvedImage, signImage } from '@colophon/sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalRegistry } from '../../../sigstore/test/local-registry/local-registry.ts';
import {
  CLAIMS,
  FULCIO_URL,
  ISSUER,
  LocalSigstore,
  REKOR_URL,
} from '../../../sigstore/test/local-sigstore/local-sigstore.ts';
import { KeptLists } from '../kept-lists/kept-lists.ts';
import { CachedGate, GateBusyError, type GateRules } from './cached-gate.ts';

const sigstore = new LocalSigstore();
const pins = { seen: async () => undefined, keep: async () => {} };
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

/** Images that the agent builds for others, signed by it as by people: no review is asked for. */
function policyFor(images: string, subject = 'x'): Policy {
  const text = `version: 1\nname: "${images}"\nimages: ["${images}"]\nnegatives: none\nhuman: { issuer: "${ISSUER}", subject: "${subject}" }\n`;
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

type SetUp = { readonly down?: boolean; readonly mostAtOnce?: number; readonly before?: () => Promise<void> };

function setUp(policies: readonly Policy[], { down = false, mostAtOnce, before = async () => {} }: SetUp = {}) {
  let asked = 0;
  const counting: typeof fetch = async (...request) => {
    asked += 1;
    await before();
    return down ? Promise.reject(new TypeError('fetch failed')) : registry.fetch(...request);
  };
  const client = new RegistryClient({ fetch: counting });
  let now = new Date('2026-11-28T10:00:00Z');
  const rules: GateRules = { policies, trust: sigstore.trust, fingerprint: 'one' };
  const lists = new KeptLists({ pins, trust: () => sigstore.trust, now: () => now });
  const gate = new CachedGate({ lists, pins, now: () => now, ...(mostAtOnce === undefined ? {} : { mostAtOnce }) });
  return {
    decide: (reference: string, more: Partial<GateRules> = {}) => gate.decide(reference, { ...rules, ...more }, client),
    asked: () => asked,
    wait: (ms: number) => (now = new Date(now.getTime() + ms)),
  };
}
const nameOf = (suffix = '') => `${image.registry}/${image.repository}${suffix}@${image.digest}`;
const codesOf = ({ verdict }: Awaited<ReturnType<CachedGate['decide']>>) => verdict.reasons.map(({ code }) => code);

test('asks no registry a second time, while the decision is remembered', async () => {
  const { decide, asked, wait } = setUp([policyFor('**')]);
  const first = await decide(nameOf());
  const after = asked();
  expect([first.cached, after > 0]).toEqual([false, true]);
  expect((await decide(nameOf())).cached).toBe(true);
  expect(asked()).toBe(after);
  wait(30_000);
  expect((await decide(nameOf())).cached).toBe(false);
});

test('asks once for many who ask at once', async () => {
  const { decide, asked } = setUp([policyFor('**')]);
  await decide(nameOf());
  const once = asked();
  const other = setUp([policyFor('**')]);
  await Promise.all(Array.from({ length: 20 }, () => other.decide(nameOf())));
  expect(other.asked()).toBe(once);
});

test('takes on so many decisions at once, and no more; what is remembered, and what is being decided, are none of them', async () => {
  let isSlow = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { decide } = setUp([policyFor('**')], { mostAtOnce: 1, before: () => (isSlow ? promise : Promise.resolve()) });
  await decide(nameOf());
  isSlow = true;
  const slow = decide(nameOf(':slow'));
  const joined = decide(nameOf(':slow'));
  await expect(decide(nameOf(':other'))).rejects.toThrow(GateBusyError);
  expect((await decide(nameOf())).cached).toBe(true);
  resolve();
  expect((await slow).verdict).toBe((await joined).verdict);
  expect((await decide(nameOf(':other'))).cached).toBe(false);
});

test('the same digest under a lax and a strict name: strict refuses, with the lax one remembered', async () => {
  const repository = `${image.registry}/${image.repository}`;
  const digest = image.digest;
  const lax = parsePolicy(
    `version: 1\nimages: ["${repository}:lax"]\nlegacy: { digests: ["${digest}"], owner: o, reason: r }\nnegatives: none`,
  );
  const laxAgents = parsePolicy(
    `version: 1\nimages: ["${repository}:lax"]\nnegatives: none\nagent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }\nprofile: spec`,
  );
  if (!lax.ok || !laxAgents.ok) throw new Error('no policy');
  const { decide } = setUp([laxAgents.value, policyFor(`${repository}:strict`)]);
  for (const _ of [1, 2]) {
    expect(codesOf(await decide(nameOf(':lax')))).toEqual(['admission.review_missing']);
    expect(codesOf(await decide(nameOf(':strict')))).toEqual([
      'admission.human_not_approved',
      'admission.made_by_agent',
    ]);
    expect(codesOf(await decide(nameOf()))).toEqual(['admission.image_not_covered']);
  }
});

test('other rules are another decision', async () => {
  const { decide } = setUp([policyFor('**')]);
  await decide(nameOf());
  expect((await decide(nameOf(), { fingerprint: 'two' })).cached).toBe(false);
  expect((await decide(nameOf())).cached).toBe(true);
});

test('one image in two spellings of its registry is one', async () => {
  const { decide } = setUp([policyFor('**')]);
  await decide(nameOf());
  const other = nameOf().replace(/^(localhost|127\.0\.0\.1)/, (host) =>
    host === 'localhost' ? '127.0.0.1' : 'localhost',
  );
  expect((await decide(other)).cached).toBe(true);
});

test('a registry that fails is no decision, and nothing is remembered of it', async () => {
  const { decide } = setUp([policyFor('**')], { down: true });
  for (const _ of [1, 2]) await expect(decide(nameOf())).rejects.toThrow(RegistryError);
});

test('needs a digest', async () => {
  const { decide } = setUp([policyFor('**')]);
  await expect(decide(`${image.registry}/${image.repository}:v1`)).rejects.toThrow(TypeError);
});
