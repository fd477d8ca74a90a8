import { once } from 'node:events';
import { type NegativesList, type Policy, parsePolicy } from '@colophon/admission';
import { AttachmentRoom, RegistryClient, RegistryError, type ResolvedImage, signImage } from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KeptLists } from '../kept-lists/kept-lists.ts';
import { type Asker, CachedGate, GateBusyError, type GateRules } from './cached-gate.ts';

const sigstore = new LocalSigstore();
const pins = { seen: async () => undefined, keep: async () => {} };
let registry: LocalRegistry;
let image: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  image = await registry.pushImage();
  await signImage({ client: registry.client(), image, signer: sigstore.imageSigner(), now: () => sigstore.now });
});
afterAll(() => registry.close());

/** Images that the agent builds for others, signed by it as by people: no review is asked for. */
function policyFor(images: string, subject = 'x'): Policy {
  const text = `version: 1\nname: "${images}"\nimages: ["${images}"]\nnegatives: none\nhuman: { issuer: "${ISSUER}", subject: "${subject}" }\n`;
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

type SetUp = {
  readonly lists?: Pick<KeptLists, 'view'>;
  readonly down?: boolean;
  readonly mostAtOnce?: number;
  readonly decisionMs?: number;
  readonly room?: AttachmentRoom;
  readonly before?: () => Promise<void>;
};

function setUp(
  policies: readonly Policy[],
  { down = false, before = async () => {}, lists: kept, ...limits }: SetUp = {},
) {
  let asked = 0;
  const counting: typeof fetch = async (...request) => {
    asked += 1;
    const signal = request[1]?.signal ?? new AbortController().signal;
    const ended = once(signal, 'abort').then(() => signal.throwIfAborted());
    await Promise.race([before(), ended]);
    return down ? Promise.reject(new TypeError('fetch failed')) : registry.fetch(...request);
  };
  const client = new RegistryClient({ fetch: counting });
  let now = new Date('2026-11-28T10:00:00Z');
  const rules: GateRules = { policies, trust: sigstore.trust, fingerprint: 'one' };
  const lists = (kept as KeptLists | undefined) ?? new KeptLists({ pins, now: () => now });
  const gate = new CachedGate({ lists, pins, now: () => now, ...limits });
  return {
    decide: (reference: string, more: Partial<GateRules> = {}, asker?: Asker) =>
      gate.decide(reference, { ...rules, ...more }, client, asker),
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
  const rules = { fingerprint: 'slow' };
  const slow = decide(nameOf(), rules);
  const joined = decide(nameOf(), rules);
  await expect(decide(nameOf(), { fingerprint: 'other' })).rejects.toThrow(GateBusyError);
  expect((await decide(nameOf())).cached).toBe(true);
  resolve();
  expect((await slow).verdict).toBe((await joined).verdict);
  expect((await decide(nameOf(), { fingerprint: 'other' })).cached).toBe(false);
});

test('a registry that does not answer has a decision’s time, and then its place is free', async () => {
  let isSlow = true;
  const before = () => (isSlow ? new Promise<void>(() => {}) : Promise.resolve());
  const { decide } = setUp([policyFor('**')], { mostAtOnce: 1, decisionMs: 1000, before });
  await expect(decide(nameOf())).rejects.toMatchObject({ code: 'registry.timeout' });
  isSlow = false;
  expect((await decide(nameOf())).cached).toBe(false);
});

test('all decisions hold what is attached to their images in one room', async () => {
  const room = new AttachmentRoom();
  const share = vi.spyOn(room, 'share');
  const { decide } = setUp([policyFor('**')], { room });
  await decide(nameOf());
  await decide(nameOf());
  await decide(nameOf(), { fingerprint: 'two' });
  expect(share).toHaveBeenCalledTimes(2);
});

test('one asker takes a share of the places, and leaves the others', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { decide } = setUp([policyFor('**')], { mostAtOnce: 10, before: () => promise });
  const asked = (name: string, fingerprint: string) => decide(nameOf(), { fingerprint }, { name, credential: '' });
  const many = [asked('shop', '1'), asked('shop', '2')];
  await expect(asked('shop', '3')).rejects.toThrow(GateBusyError);
  const others = ['a', 'b', 'c', 'd'].flatMap((name) => [asked(name, `${name}1`), asked(name, `${name}2`)]);
  await expect(asked('e', '4')).rejects.toThrow(GateBusyError);
  resolve();
  await Promise.all([...many, ...others]);
  expect((await asked('shop', '3')).cached).toBe(false);
});

test('the tag beside a digest, which is whatever somebody writes, makes no other decision', async () => {
  const { decide, asked } = setUp([policyFor('**')]);
  await decide(nameOf(':one'));
  const once = asked();
  expect([(await decide(nameOf(':two'))).cached, (await decide(nameOf())).cached, asked()]).toEqual([true, true, once]);
});

test('unless a condition sees it', async () => {
  const parsed = parsePolicy(
    `version: 1\nimages: ["**"]\nnegatives: none\nagent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }\n` +
      `review: { conditions: ["image.reference.endsWith('x')"] }`,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { decide } = setUp([parsed.value]);
  await decide(nameOf(':one'));
  expect([(await decide(nameOf(':two'))).cached, (await decide(nameOf(':one'))).cached]).toEqual([false, true]);
  const spelled = nameOf(':one').replace(/^(localhost|127\.0\.0\.1)/, (host) =>
    host === 'localhost' ? '127.0.0.1' : 'localhost',
  );
  expect((await decide(spelled)).cached).toBe(false);
});

test('who shows the registry another credential has another decision, remembered and under way', async () => {
  let isDenied = false;
  const before = async () => {
    if (isDenied) throw new RegistryError('registry.denied', 'no');
  };
  const { decide } = setUp([policyFor('**')], { before });
  const as = (credential: string) => decide(nameOf(), {}, { name: credential, credential });
  expect((await as('bad')).cached).toBe(false);
  expect([(await as('good')).cached, (await as('bad')).cached]).toEqual([false, true]);
  isDenied = true;
  const refused = decide(nameOf(), { fingerprint: 'two' }, { name: 'bad', credential: 'bad' });
  isDenied = false;
  const seen = decide(nameOf(), { fingerprint: 'two' }, { name: 'good', credential: 'good' });
  await Promise.allSettled([refused, seen]);
  expect((await seen).verdict.digest).toBe(image.digest);
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

test('a list that was signed again and says the same makes no other decision, and one that says more does', async () => {
  const said = { from: 'x', time: '2026-11-28T09:59:00Z', withdrawals: [] };
  let list: NegativesList = { ...said, sequence: 1, rejections: [] };
  const { decide } = setUp([policyFor('**')], { lists: { view: async () => ({ kind: 'list', list }) } });
  await decide(nameOf());
  list = { ...said, sequence: 2, rejections: [] };
  expect((await decide(nameOf())).cached).toBe(true);
  const rejection = { images: [image.digest], commits: [], content: 'c', certificate_identity: {} } as never;
  list = { ...said, sequence: 3, rejections: [rejection] };
  expect((await decide(nameOf())).cached).toBe(false);
  list = { ...said, sequence: 4, rejections: [], withdrawals: [rejection] };
  expect((await decide(nameOf())).cached).toBe(false);
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
