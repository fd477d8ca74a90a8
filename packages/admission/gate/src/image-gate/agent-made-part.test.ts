import { type Policy, parsePolicy } from '@colophon/admission';
import { digestOf, formatRepository, RegistryClient, type ResolvedImage, signImage } from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPack } from '../pack/create-pack.ts';
import { explainPack } from '../pack/explain-pack.ts';
import { openPack } from '../pack/open-pack.ts';
import { admitImage } from './admit-image.ts';
import { gatherImage } from './image-material.ts';

const sigstore = new LocalSigstore();
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const PERSON = 'build@acme.example';
let registry: LocalRegistry;
let made: ResolvedImage;
let clean: ResolvedImage;

beforeAll(async () => {
  registry = await LocalRegistry.open();
  made = await registry.pushImage();
  clean = await child('clean');
  await sign(made);
});
afterAll(() => registry.close());

async function put(content: object, mediaType: string): Promise<ResolvedImage> {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...content }));
  await registry.client().putManifest(made, digestOf(bytes), { bytes, mediaType });
  return { ...made, digest: digestOf(bytes), mediaType, size: bytes.length };
}

async function blobOf(text: string) {
  const bytes = Buffer.from(text);
  return { digest: await registry.client().putBlob(made, bytes), size: bytes.length };
}

async function child(name: string): Promise<ResolvedImage> {
  const config = { ...(await blobOf('{}')), mediaType: 'application/vnd.oci.image.config.v1+json' };
  return put({ config, layers: [], annotations: { name } }, MANIFEST_TYPE);
}

const indexOf = (...parts: Array<Pick<ResolvedImage, 'mediaType' | 'digest' | 'size'>>) =>
  put({ manifests: parts.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })) }, INDEX_TYPE);

function sign(image: ResolvedImage, as?: string, format: 'bundle' | 'older' = 'bundle') {
  const claims = as === undefined ? undefined : { iss: ISSUER, sub: as, aud: 'sigstore' };
  const signer = sigstore.imageSigner(claims as never);
  return signImage({ client: registry.client(), image, signer, now: () => sigstore.now, format });
}

/** Attaches junk that may be a signature, in so many layers of one referrer. */
async function attachJunk(image: ResolvedImage, layers: object[], annotations = {}) {
  const config = { ...(await blobOf('{}')), mediaType: 'application/json' };
  const { mediaType, digest, size } = image;
  await put(
    { artifactType: BUNDLE_TYPE, config, layers, annotations, subject: { mediaType, digest, size } },
    MANIFEST_TYPE,
  );
}

const legacy = ({ digest }: ResolvedImage) => `legacy: { digests: ["${digest}"], owner: o, reason: r }`;
const human = () => `human: { issuer: "${ISSUER}", subject: "${PERSON}" }`;
const agent = () => `agent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }\nprofile: spec`;

function load(rule: string): Policy {
  const parsed = parsePolicy(`version: 1\nimages: ["**"]\nnegatives: none\n${rule}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const nameOf = (image: ResolvedImage) => `${formatRepository(image)}@${image.digest}`;

async function decide(image: ResolvedImage, rules: readonly string[], client = registry.client()) {
  return admitImage({
    reference: nameOf(image),
    policies: rules.map(load),
    trust: sigstore.trust,
    registry: client,
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date(),
  });
}
const codes = async (...asked: Parameters<typeof decide>) =>
  (await decide(...asked)).reasons.map(({ code }) => code.replace('admission.', ''));

test('a listed index is refused for a manifest in it that an agent signed', async () => {
  const index = await indexOf(clean, made);
  expect(await codes(made, [legacy(made)])).toEqual(['made_by_agent']);
  expect(await codes(index, [legacy(index)])).toEqual(['made_by_agent']);
  expect((await decide(index, [legacy(index)])).reasons[0]?.found).toContain(CLAIMS.sub);
  const good = await indexOf(clean);
  expect(await codes(good, [legacy(good)])).toEqual([]);
});

test('so is one that a person signed, also where the manifest is in an index inside it', async () => {
  const inner = await indexOf(made);
  const outer = await indexOf(clean, inner);
  const good = await indexOf(clean, await indexOf(await child('other')));
  await sign(outer, PERSON);
  await sign(good, PERSON);
  expect(await codes(outer, [human()])).toEqual(['made_by_agent']);
  expect(await codes(good, [human()])).toEqual([]);
});

test('a signature in the older format on a manifest counts as one of that manifest', async () => {
  const part = await child('older');
  await sign(part, undefined, 'older');
  const index = await indexOf(part);
  expect(await codes(index, [legacy(index)])).toEqual(['made_by_agent']);
});

test('a copy of the signature on another manifest hides nothing', async () => {
  const client = registry.client();
  const listed = await client.getReferrers(made, made.digest, { maxPages: 1 });
  const [referrer] = JSON.parse(Buffer.from(listed!.pages[0]!).toString()).manifests;
  const { layers } = JSON.parse(Buffer.from((await client.getManifest(made, referrer.digest))!.bytes).toString());
  const first = await child('first');
  await attachJunk(first, layers);
  const index = await indexOf(first, made);
  expect(await codes(index, [legacy(index)])).toEqual(['made_by_agent']);
  const other = await indexOf(first);
  expect(await codes(other, [legacy(other)])).toEqual([]);
});

test('what could not be read of a manifest refuses', async () => {
  const part = await child('unread');
  await attachJunk(part, [{ ...(await blobOf('{}')), mediaType: BUNDLE_TYPE, size: 200 * 1024 * 1024 }]);
  const index = await indexOf(part);
  const { reasons } = await decide(index, [legacy(index)]);
  expect(reasons.map(({ code }) => code)).toEqual(['admission.evidence_incomplete']);
  expect(reasons[0]?.found).toContain('image.attachment_too_large');
  const unchecked = await indexOf({ mediaType: MANIFEST_TYPE, digest: `sha512:${'e'.repeat(128)}`, size: 3 });
  const sha512 = await decide(unchecked, [legacy(unchecked)]);
  expect(sha512.reasons.map(({ code }) => code)).toEqual(['admission.evidence_incomplete']);
  expect(sha512.reasons[0]?.found).toContain('image.attachment_unreadable');
  const failing = new RegistryClient({
    fetch: async (input, init) =>
      String(input).includes(`/referrers/${clean.digest}`)
        ? new Response('', { status: 500 })
        : registry.fetch(String(input), init),
  });
  const readable = await indexOf(clean, await child('second'));
  const failed = await decide(readable, [legacy(readable)], failing);
  expect(failed.reasons.map(({ code }) => code)).toEqual(['admission.evidence_incomplete']);
  expect(failed.reasons[0]?.found).toContain('registry.unavailable');
  await sign(readable);
  const audited = [agent(), `${legacy(readable)}\nmode: audit`];
  expect(await codes(readable, audited, failing)).toEqual(['review_missing']);
});

test('image and manifests share what is looked at, and a crowded manifest blocks no policy that does not ask for it', async () => {
  const part = await child('crowded');
  const index = await indexOf(part);
  const junk = { ...(await blobOf('{}')), mediaType: BUNDLE_TYPE };
  const crowd = async (image: ResolvedImage, referrers: number) => {
    for (let n = 0; n < referrers; n++) await attachJunk(image, Array(8).fill(junk), { n: `${n}` });
  };
  await sign(index);
  await crowd(part, 120);
  expect(await codes(index, [legacy(index)])).toEqual(['made_by_agent']);
  // 41 of its own, and 960 of its manifest.
  await crowd(index, 5);
  const { reasons } = await decide(index, [legacy(index)]);
  expect(reasons.map(({ code }) => code)).toEqual(['admission.evidence_incomplete', 'admission.made_by_agent']);
  expect(reasons[0]?.found).toContain('image.too_many_signatures: the image has 1001 signatures');
  const { reasons: own, warnings } = await decide(index, [agent(), `${legacy(index)}\nmode: audit`]);
  expect([own, warnings].map((some) => some.map(({ code }) => code))).toEqual([
    ['admission.review_missing'],
    ['admission.evidence_incomplete', 'admission.made_by_agent'],
  ]);
});

test('under policies for agents alone nothing is asked for of a manifest', async () => {
  const index = await indexOf(clean, made);
  await sign(index);
  const asked = async (...rules: string[]) => {
    registry.requests.length = 0;
    const found = await codes(index, rules);
    const ofParts = registry.requests.filter((one) =>
      [clean, made].some(({ digest }) => one.includes(digest) || one.includes(digest.replace(':', '-'))),
    );
    return [...found, ofParts.length > 0];
  };
  expect(await asked(agent())).toEqual(['review_missing', false]);
  expect(await asked(agent(), `${legacy(index)}\nmode: audit`)).toEqual(['review_missing', true]);
});

test('a pack says what was attached to the manifests, and one for which nobody looked lets no such image pass', async () => {
  const index = await indexOf(clean, made);
  const good = await indexOf(clean);
  const packed = async (image: ResolvedImage, withManifests: boolean, rule: string) => {
    const sought = { reference: nameOf(image), registry: registry.client(), sources: [], withManifests };
    const pack = openPack(
      createPack(await gatherImage(sought), { trustedRoots: [], policies: [] }, '2026-11-25T10:00:00Z'),
    );
    const { admission } = await explainPack(pack, { trust: sigstore.trust, policies: [load(rule)] });
    return admission?.reasons.map(({ code }) => code.replace('admission.', ''));
  };
  expect(await packed(index, true, legacy(index))).toEqual(['made_by_agent']);
  expect(await packed(good, true, legacy(good))).toEqual([]);
  expect(await packed(good, false, legacy(good))).toEqual(['evidence_incomplete']);
  expect(await packed(made, false, legacy(made))).toEqual(['made_by_agent']);
  expect(await packed(good, false, agent())).toEqual(['no_signature', 'review_missing']);
});
