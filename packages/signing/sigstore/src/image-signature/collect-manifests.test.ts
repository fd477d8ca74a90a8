import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf, RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { AttachmentRoom } from './attachment-room.ts';
import { AttachmentBudget, collectManifestSignatures } from './collect.ts';

const MIB = 1024 * 1024;
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const PARTS = ['one', 'two', 'three'];

let registry: LocalRegistry;
let client: RegistryClient;
let image: ResolvedImage;
let parts: string[];
beforeEach(async () => {
  registry = await LocalRegistry.open();
  client = registry.client();
  image = await registry.pushImage();
  parts = [];
  for (const name of PARTS) {
    const digest = await put({ layers: [], annotations: { name } });
    parts.push(digest);
    await attach(digest, `{"of":"${name}"}`);
  }
});
afterEach(() => registry.close());

async function put(content: object): Promise<string> {
  const blob = { digest: await client.putBlob(image, Buffer.from('{}')), size: 2 };
  const config = { ...blob, mediaType: 'application/json' };
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST_TYPE, config, ...content }));
  await client.putManifest(image, digestOf(bytes), { bytes, mediaType: MANIFEST_TYPE });
  return digestOf(bytes);
}

async function attach(digest: string, text: string): Promise<void> {
  const layer = { digest: await client.putBlob(image, Buffer.from(text)), size: text.length, mediaType: BUNDLE_TYPE };
  const subject = { mediaType: MANIFEST_TYPE, digest, size: 1 };
  await put({ artifactType: BUNDLE_TYPE, layers: [layer], subject });
}

type Padding = (digest: string) => { readonly bytes: number; readonly pages?: number };

/** The registry, with lists of referrers that are longer by white space, and of more pages. */
const padded = (padding: Padding) =>
  new RegistryClient({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      const answer = await registry.fetch(input as string, init);
      const digest = parts.find((one) => url.pathname.endsWith(`/referrers/${one}`));
      if (digest === undefined) return answer;
      const { bytes, pages = 1 } = padding(digest);
      const text = (await answer.text()) + ' '.repeat(bytes);
      const page = Number(url.searchParams.get('page') ?? 1);
      const headers = { 'content-type': 'application/vnd.oci.image.index.v1+json' };
      const link = `<${url.pathname}?page=${page + 1}>; rel="next"`;
      return new Response(text, { headers: page < pages ? { ...headers, link } : headers });
    },
  });

const collect = async (from: RegistryClient, options: Parameters<typeof collectManifestSignatures>[3] = {}) => {
  const { found, rejected, incomplete } = await collectManifestSignatures(from, image, parts, options);
  expect(rejected).toEqual([]);
  return {
    found: found.map(({ manifest, bundle }) => [manifest, JSON.parse(Buffer.from(bundle).toString()).of]),
    incomplete: incomplete.map(({ code }) => code),
  };
};
const all = () => parts.map((digest, index) => [digest, PARTS[index]]);

it('says of each signature to which manifest it is attached', async () => {
  expect(await collect(client)).toEqual({ found: all(), incomplete: [] });
});

it('takes from one budget what it reads of all manifests', async () => {
  const budget = new AttachmentBudget();
  const before = { ...budget };
  await collect(client, { budget });
  expect(before.signatures - budget.signatures).toBe(3);
  expect(before.attachmentBytes - budget.attachmentBytes).toBe('{"of":""}'.length * 3 + PARTS.join('').length);
  expect(before.listBytes - budget.listBytes).toBeGreaterThan(600);
  budget.signatures = 3;
  budget.attachmentBytes = '{"of":"one"}'.length;
  expect(await collect(client, { budget })).toEqual({
    found: all().slice(0, 1),
    incomplete: ['image.attachment_too_large', 'image.attachment_too_large'],
  });
  budget.signatures = 2;
  await expect(collect(client, { budget })).rejects.toMatchObject({ code: 'image.too_many_signatures' });
  budget.signatures = 3;
  budget.listBytes = 0;
  expect(await collect(client, { budget })).toEqual({
    found: [],
    incomplete: Array(3).fill('image.referrers_incomplete'),
  });
});

it('reads long lists one after another, in one place in the room', async () => {
  const long = padded((digest) => ({ bytes: digest === parts[2] ? 0 : 2 * MIB }));
  const [one, two, three] = all();
  const found = [three, one, two];
  expect(await collect(long)).toEqual({ found, incomplete: [] });
  const shareOf = (bytes: number) => new AttachmentRoom({ bytes, waitMs: 1 }).share();
  // Room for the lists of one image, and none for those of two.
  expect(await collect(long, { share: shareOf(30 * MIB) })).toEqual({ found, incomplete: [] });
  expect(await collect(long, { share: shareOf(2 * MIB) })).toEqual({
    found: [three],
    incomplete: ['image.no_room', 'image.no_room'],
  });
  expect(await collect(client, { share: shareOf(2 * MIB) })).toEqual({ found: all(), incomplete: [] });
});

it('lists that are longer than the budget, or than is read of any, are incomplete', async () => {
  const budget = new AttachmentBudget();
  budget.listBytes = 3 * MIB;
  const long = padded(() => ({ bytes: 2 * MIB }));
  expect(await collect(long, { budget })).toMatchObject({
    incomplete: ['image.referrers_incomplete', 'image.referrers_incomplete'],
  });
  const endless = padded((digest) => ({ bytes: 0, pages: digest === parts[0] ? 21 : 20 }));
  const { found, incomplete } = await collect(endless);
  expect([found.length, incomplete]).toEqual([3, ['image.referrers_incomplete']]);
});
