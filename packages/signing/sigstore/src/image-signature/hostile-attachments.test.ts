import { valuesIn } from '@colophon/json';
import type { Statement } from '@colophon/records';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BUNDLE_LIMITS } from '../bundle/bundle-json.ts';
import { createIdentityPolicy } from '../identity-policy/identity-policy.ts';
import { digestOf, RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { STATEMENT_LIMITS } from '../verify/statement.ts';
import { attachBundle, attachOlderLayer } from './attach.ts';
import { DSSE_ENVELOPE_TYPE, OLDER_ANNOTATIONS, olderTag, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { AttachmentRoom } from './attachment-room.ts';
import { collectImageSignatures } from './collect.ts';
import { manifestDigests } from './manifest-digests.ts';
import { attestImage, type ImageSignatureFormat, signImage } from './sign-image.ts';
import { assessCollected, assessImage, verifyImage } from './verify-image.ts';

const MIB = 1024 * 1024;
const TYPE = 'https://spdx.dev/Document';
const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });
const now = () => new Date('2026-11-21T10:00:00.123Z');

let sigstore: LocalSigstore;
let registry: LocalRegistry;
let client: RegistryClient;
let image: ResolvedImage;

beforeEach(async () => {
  sigstore = new LocalSigstore();
  registry = await LocalRegistry.open();
  client = registry.client();
  image = await registry.pushImage();
});
afterEach(() => registry.close());

const sign = () => signImage({ client, image, signer: sigstore.imageSigner(), format: 'bundle', now });
const attach = (bundle: Uint8Array | string) =>
  attachBundle(client, image, { bundle: Buffer.from(bundle), predicateType: TYPE, now: now() });
const attest = (predicate: unknown, format: ImageSignatureFormat = 'bundle') =>
  attestImage({
    client,
    image,
    signer: sigstore.imageSigner(),
    attestation: { predicateType: TYPE, predicate },
    format,
    now,
  });
const options = () => ({ trust: sigstore.trust, policy });
const assess = () => assessImage({ client, image, ...options() });
const codesOf = (list: readonly { code: string }[]) => list.map(({ code }) => code);
const emptyArrays = (count: number) => `[${'[],'.repeat(count)}0]`;
/** The most that the heap held while it was worked, in bytes beyond what it held before. */
async function heapOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().heapUsed;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().heapUsed);
  }, 1);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage().heapUsed) - before;
}

it('a bundle of more values than any bundle has is not read, and builds no tree', async () => {
  await sign();
  await attach(`{"i":1,"a":${emptyArrays(3 * MIB)}}`);
  const collected = await collectImageSignatures(client, image);
  const heap = await heapOf(async () => {
    const { verified, rejected, incomplete } = await assessCollected(collected, options());
    expect([verified.length, rejected, codesOf(incomplete)]).toEqual([1, [], ['bundle.too_large']]);
  });
  expect(heap).toBeLessThan(60 * MIB);
});

it('what was not read is no absence of a signature', async () => {
  await attach(`{"a":${emptyArrays(BUNDLE_LIMITS.maxValues)}}`);
  const error = await verifyImage({ client, image, ...options() }).catch((caught) => caught);
  expect([error.code, error.message]).toEqual([
    'image.no_valid_signatures',
    'the image has no signature that counts: bundle.too_large: the bundle is larger than is read',
  ]);
});

it.each([
  [
    'an envelope',
    (junk: string) => ({
      content: `{"payload":"e30=","junk":${junk}}`,
      mediaType: DSSE_ENVELOPE_TYPE,
      annotations: {},
    }),
  ],
  [
    'what the log is said to have answered',
    (junk: string) => ({
      content: '{"critical":1}',
      mediaType: SIMPLE_SIGNING_TYPE,
      annotations: { [OLDER_ANNOTATIONS.signature]: 'AAAA', [OLDER_ANNOTATIONS.rekorBundle]: `{"junk":${junk}}` },
    }),
  ],
])('nor is %s of the older format read that has more values', async (_what, layerOf) => {
  const layer = layerOf(emptyArrays(BUNDLE_LIMITS.maxValues));
  const { verificationMaterial } = JSON.parse(Buffer.from((await sign()).signatures[0]!.bundle).toString());
  const lines = verificationMaterial.certificate.rawBytes.match(/.{1,64}/g).join('\n');
  await attachOlderLayer(client, image, layer.mediaType === SIMPLE_SIGNING_TYPE ? 'sig' : 'att', {
    mediaType: layer.mediaType,
    content: Buffer.from(layer.content),
    annotations: {
      [OLDER_ANNOTATIONS.certificate]: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
      ...layer.annotations,
    },
  });
  const { verified, rejected, incomplete } = await assess();
  expect([verified.length, rejected, codesOf(incomplete)]).toEqual([1, [], ['image.attachment_unreadable']]);
});

it('a manifest of more values than those of attachments is not read', async () => {
  await sign();
  const config = { mediaType: 'application/json', digest: await client.putBlob(image, Buffer.from('{}')), size: 2 };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = {
    schemaVersion: 2,
    mediaType,
    artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    config,
    layers: [config],
    subject: { mediaType: image.mediaType, digest: image.digest, size: image.size },
    junk: JSON.parse(emptyArrays(BUNDLE_LIMITS.maxValues)),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await client.putManifest(image, digestOf(bytes), { bytes, mediaType });
  const { verified, incomplete } = await assess();
  expect([verified.length, codesOf(incomplete)]).toEqual([1, ['image.attachment_unreadable']]);
});

it('copies in other spellings are verified once, and none of them stands for a genuine one', async () => {
  const genuine = Buffer.from((await sign()).signatures[0]!.bundle).toString();
  const broken = JSON.parse(genuine);
  broken.verificationMaterial.tlogEntries[0].inclusionProof.hashes = [];
  broken.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = 'AAAA';
  // Those that are found first.
  const found = [
    ...Array.from({ length: 30 }, (_, i) => JSON.stringify(broken) + ' '.repeat(i)),
    ...Array.from({ length: 30 }, (_, i) => genuine + ' '.repeat(i)),
    JSON.stringify(JSON.parse(genuine), null, 2),
  ].map((text) => ({ format: 'bundle' as const, digest: digestOf(Buffer.from(text)), bundle: Buffer.from(text) }));
  let parsed = 0;
  const trust = new Proxy(sigstore.trust, {
    get(target, name, receiver) {
      if (name === 'namespace') parsed += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const collected = { image, found, rejected: [], incomplete: [] };
  const { verified, rejected } = await assessCollected(collected, { trust, policy });
  expect([verified.length, codesOf(rejected), parsed]).toEqual([1, ['log_entry.inclusion_proof_invalid'], 2]);
});

it('others get their turn between any two bundles', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, i) => attach(`{"i":${i}}`)));
  const collected = await collectImageSignatures(client, image);
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  expect((await assessCollected(collected, options())).rejected).toHaveLength(10);
  clearImmediate(counting);
  expect(turns).toBeGreaterThanOrEqual(10);
});

it('an SBOM of 20 MB and a million values is read', async () => {
  const packages = Array.from({ length: 145_000 }, (_, i) => ({
    SPDXID: `SPDXRef-npm-${i}`,
    name: `package-${i}`,
    versionInfo: `1.${i}`,
    filesAnalyzed: false,
    licenseConcluded: 'MIT',
    copyrightText: 'NOASSERTION',
  }));
  expect([JSON.stringify(packages).length > 20e6, valuesIn(packages) > 1e6]).toEqual([true, true]);
  await attest({ packages });
  const { verified, incomplete } = await assess();
  expect(incomplete).toEqual([]);
  expect((verified[0]!.statement as Statement<{ packages: unknown[] }>).predicate.packages).toHaveLength(145_000);
});

it('what statements of an image hold beyond what is read of all of them is no evidence', async () => {
  const zeros = Array(STATEMENT_LIMITS.maxValues - 100).fill(0);
  for (let i = 0; i < 3; i++) await attest({ i, zeros });
  const { verified, rejected, incomplete } = await assess();
  expect([verified.length, rejected, codesOf(incomplete)]).toEqual([2, [], ['statement.too_large']]);
});

it('an attestation in both formats counts once', async () => {
  const zeros = Array(STATEMENT_LIMITS.maxValues - 100).fill(0);
  for (let i = 0; i < 2; i++) await attest({ i, zeros }, 'auto');
  const { verified, rejected, incomplete } = await assess();
  expect([verified.length, rejected, incomplete]).toEqual([2, [], []]);
});

it('a statement whose signature does not hold is read only as far as a short one goes', async () => {
  const signed = JSON.parse(Buffer.from((await attest({})).signatures[0]!.bundle).toString());
  const typed = (length: number) => {
    const payload = JSON.stringify({ predicateType: TYPE, predicate: 'x'.repeat(length) });
    return JSON.stringify({
      ...signed,
      dsseEnvelope: { ...signed.dsseEnvelope, payload: Buffer.from(payload).toString('base64') },
    });
  };
  await attach(typed(10));
  await attach(typed(MIB));
  const { rejected } = await assess();
  expect(rejected.map(({ code, predicate_type }) => `${code} ${predicate_type}`).sort()).toEqual([
    `signature.invalid ${TYPE}`,
    'signature.invalid unknown',
  ]);
});

it('indexes in an index are read up to 8 MiB of them', async () => {
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const put = async (value: object) => {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...value }));
    await client.putManifest(image, digestOf(bytes), { bytes, mediaType });
    return { mediaType, digest: digestOf(bytes), size: bytes.length };
  };
  const inner = [];
  for (let i = 0; i < 3; i++) inner.push(await put({ manifests: [], annotations: { i: `${i}`.repeat(3 * MIB) } }));
  const small = await put({ manifests: inner.slice(0, 2) });
  const large = await put({ manifests: inner });
  expect(await manifestDigests(client, { ...image, ...small })).toHaveLength(2);
  await expect(manifestDigests(client, { ...image, ...large })).rejects.toMatchObject({ code: 'registry.too_large' });
});

it('for what there is no room in time nothing is fetched, and it is incomplete', async () => {
  await sign();
  await attach(`{"large":"${'x'.repeat(3 * MIB)}"}`);
  const room = new AttachmentRoom({ bytes: 4 * MIB, waitMs: 20 });
  const [one, other] = [room.share(), room.share()];
  expect(codesOf((await collectImageSignatures(client, image, { share: one })).incomplete)).toEqual([]);
  registry.requests.length = 0;
  const waited = await collectImageSignatures(client, image, { share: other });
  expect([waited.found, waited.rejected, codesOf(waited.incomplete)]).toEqual([
    [],
    [],
    ['image.no_room', 'image.no_room'],
  ]);
  expect(registry.requests.filter((request) => request.includes('/blobs/'))).toEqual([]);
  const waiting = collectImageSignatures(client, image, { share: room.share() });
  one.end();
  expect((await waiting).found).toHaveLength(2);
});

it('a list that is longer than an ordinary one is read where there is room for it', async () => {
  const { signatures } = await sign();
  const [bundle] = signatures;
  await attachOlderLayer(client, image, 'sig', {
    mediaType: SIMPLE_SIGNING_TYPE,
    content: Buffer.from('{}'),
    annotations: { long: 'x'.repeat(MIB) },
  });
  const collect = (bytes: number) =>
    collectImageSignatures(client, image, { share: new AttachmentRoom({ bytes, waitMs: 1 }).share() });
  const { found, rejected } = await collect(64 * MIB);
  expect([found.map(({ digest }) => digest), codesOf(rejected)]).toEqual([
    [digestOf(bundle!.bundle)],
    ['image.attachment_malformed'],
  ]);
  const none = await collect(2 * MIB);
  expect([none.found, codesOf(none.incomplete)]).toEqual([[], ['image.no_room']]);
  expect(registry.requests).toContain(`GET /v2/demo/app/manifests/${olderTag(image.digest, 'sig')}`);
});

it('many pages of referrers are read where there is room for them', async () => {
  await sign();
  const page = (await client.getReferrers(image, image.digest, { maxPages: 1 }))!.pages[0]!;
  const long = Buffer.concat([page, Buffer.alloc(200 * 1024, ' ')]);
  const paged = new RegistryClient({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      if (!url.pathname.includes('/referrers/')) return registry.fetch(input as string, init);
      const last = Number(url.searchParams.get('last') ?? 0);
      const headers = { 'content-type': 'application/vnd.oci.image.index.v1+json' };
      const link = `<${url.pathname}?last=${last + 1}>; rel="next"`;
      return new Response(long, { headers: last < 4 ? { ...headers, link } : headers });
    },
  });
  const collect = (bytes: number) =>
    collectImageSignatures(paged, image, { share: new AttachmentRoom({ bytes, waitMs: 1 }).share() });
  expect(await collect(64 * MIB)).toMatchObject({ found: { length: 1 }, incomplete: [] });
  expect(codesOf((await collect(2 * MIB)).incomplete)).toEqual(['image.no_room']);
});

it('holds statements in the room by their values, and lets go at once what finds none', async () => {
  await attest({ a: Array.from({ length: 100_000 }, () => ({})) });
  const assessIn = async (bytes: number) => {
    const share = new AttachmentRoom({ bytes, waitMs: 1 }).share();
    const collected = await collectImageSignatures(client, image, { share });
    return assessCollected(collected, { ...options(), share });
  };
  expect((await assessIn(16 * MIB)).verified).toHaveLength(1);
  const { verified, incomplete } = await assessIn(4 * MIB);
  expect([verified, codesOf(incomplete)]).toEqual([[], ['image.no_room']]);
});

it('nothing more is verified once somebody says that the time is over', async () => {
  for (const name of ['a', 'b', 'c']) await attest({ name });
  const collected = await collectImageSignatures(client, image);
  const assertInTime = vi.fn();
  const assessed = await assessCollected(collected, { ...options(), assertInTime });
  expect([assessed.verified.length, assertInTime.mock.calls.length]).toEqual([3, 3]);
  const over = new Error('over');
  const failing = vi
    .fn()
    .mockReturnValueOnce(undefined)
    .mockImplementation(() => {
      throw over;
    });
  await expect(assessCollected(collected, { ...options(), assertInTime: failing })).rejects.toBe(over);
  expect(failing).toHaveBeenCalledTimes(2);
});
