import { createHash } from 'node:crypto';

/** What a bundle is attached with: a manifest of these types, found by the tag of the image's digest. */
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

type Image = { readonly registry: string; readonly repository: string; readonly digest: string };
type Descriptor = { readonly digest: string; readonly size: number; readonly mediaType: string };

/** Attaches a bundle to an image as cosign does where the registry lists no referrers; for signers without a way of their own. */
export async function attachBundle(reference: string, bundle: Uint8Array, predicateType: string): Promise<void> {
  const image = imageOf(reference);
  const config = await putBlob(image, Buffer.from('{}'));
  const layer = await putBlob(image, bundle);
  const subject = await manifestOf(image, image.digest);
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType: BUNDLE_TYPE,
      config: { ...config, mediaType: 'application/vnd.oci.empty.v1+json' },
      layers: [{ ...layer, mediaType: BUNDLE_TYPE }],
      subject: { ...descriptorOf(subject), mediaType: MANIFEST_TYPE },
      annotations: {
        'dev.sigstore.bundle.content': 'dsse-envelope',
        'dev.sigstore.bundle.predicateType': predicateType,
      },
    }),
  );
  const descriptor = { ...descriptorOf(manifest), mediaType: MANIFEST_TYPE, artifactType: BUNDLE_TYPE };
  await put(image, `manifests/${descriptor.digest}`, manifest, MANIFEST_TYPE);
  const index = { schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [descriptor] };
  await put(image, `manifests/${tagOf(image)}`, Buffer.from(JSON.stringify(index)), INDEX_TYPE);
}

/** The one bundle that is attached to an image; for verifiers without a way of their own. */
export async function attachedBundle(reference: string): Promise<Buffer> {
  const image = imageOf(reference);
  const { manifests } = JSON.parse(`${await manifestOf(image, tagOf(image))}`) as { manifests: Descriptor[] };
  const [only, ...others] = manifests;
  if (only === undefined || others.length > 0) throw new Error(`${reference} has ${manifests.length} attachments`);
  const { layers } = JSON.parse(`${await manifestOf(image, only.digest)}`) as { layers: Descriptor[] };
  return get(image, `blobs/${layers[0]?.digest}`);
}

function imageOf(reference: string): Image {
  const [, registry, repository, digest] = /^([^/]+)\/([^@]+)@(sha256:[0-9a-f]{64})$/.exec(reference) ?? [];
  if (registry === undefined || repository === undefined || digest === undefined) throw new TypeError(reference);
  return { registry, repository, digest };
}

const tagOf = ({ digest }: Image) => digest.replace(':', '-');
const manifestOf = (image: Image, name: string) => get(image, `manifests/${name}`);
const descriptorOf = (bytes: Uint8Array) => ({
  digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  size: bytes.length,
});

async function get(image: Image, path: string): Promise<Buffer> {
  const answer = await fetch(`http://${image.registry}/v2/${image.repository}/${path}`, {
    headers: { accept: `${MANIFEST_TYPE}, ${INDEX_TYPE}, */*` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

async function put(image: Image, path: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
  const url = `http://${image.registry}/v2/${image.repository}/${path}`;
  const answer = await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

async function putBlob(image: Image, bytes: Uint8Array) {
  const started = await fetch(`http://${image.registry}/v2/${image.repository}/blobs/uploads/`, { method: 'POST' });
  const descriptor = descriptorOf(bytes);
  const url = new URL(started.headers.get('location') ?? '', started.url);
  url.searchParams.set('digest', descriptor.digest);
  const type = { 'content-type': 'application/octet-stream' };
  const answer = await fetch(url, { method: 'PUT', body: Buffer.from(bytes), headers: type });
  if (!answer.ok) throw new Error(`blob: ${answer.status} ${await answer.text()}`);
  return descriptor;
}
