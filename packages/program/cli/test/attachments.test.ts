import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryClient } from '@colophon/sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pushImageOf } from '../src/demo/scene.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const JUNK = 1005;
const ALICE = 'reviewer:alice@example.com';
type Row = { certificate_identity: { subject: string } };
const subjectsOf = (rows: Row[]) => rows.map((row) => row.certificate_identity.subject);

const undo: Array<() => void | Promise<void>> = [];
let here: Installation;
let image: string;
let clean: string;
beforeAll(async () => {
  here = await install((work) => undo.unshift(work));
  const files = { 'app/NAME': Buffer.from('webshop') };
  image = await pushImageOf(here.registry, 'webshop', files, COMMIT);
  await here.document('sign', ...CONTEXT, image);
  const approve = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT, '--repo', 'acme/webshop'];
  await here.document('review', 'approve', image, ...approve, '--duration', '48');
  here.file('policy.yaml', policyText(here.url, here.registry));
  await flood();
  clean = await pushImageOf(here.registry, 'webshop-clean', files, COMMIT);
}, 180_000);
afterAll(async () => {
  for (const work of undo) await work();
});

const send = async (method: string, path: string, body: string, type: string) => {
  const answer = await fetch(`${here.url}${path}`, { method, headers: { 'content-type': type }, body });
  expect(answer.status).toBe(201);
};

/** Attaches so many bundles of nothing to the image, as anybody can who writes to the registry. */
async function flood(): Promise<void> {
  const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const blob = '{}';
  await send('POST', `/v2/webshop/blobs/uploads/?digest=${digestOf(blob)}`, blob, 'application/octet-stream');
  const descriptor = { mediaType: BUNDLE, digest: digestOf(blob), size: blob.length };
  const subject = { mediaType: MANIFEST, digest: image.split('@')[1], size: 1 };
  const attach = async (n: number) => {
    const config = { ...descriptor, mediaType: 'application/vnd.oci.empty.v1+json' };
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config,
      layers: [descriptor],
      subject,
      artifactType: BUNDLE,
    };
    const text = JSON.stringify({ ...manifest, annotations: { n: String(n) } });
    await send('PUT', `/v2/webshop/manifests/${digestOf(text)}`, text, MANIFEST);
  };
  for (let i = 0; i < JUNK; i += 15) await Promise.all(Array.from({ length: 15 }, (_, n) => attach(i + n)));
}

const policy = () => ['--policy', `${here.folder}/policy.yaml`];

test('an image with 1,005 attachments of nobody is refused, and admitted where what verifies was copied to', async () => {
  const before = await here.run('admit', image, ...policy(), '--output', 'json');
  expect(before.exitCode).not.toBe(0);
  expect(before.stdout).toMatch(/"(image|admission)\.too_many_signatures"/);

  const copied = await here.document('attachments', image, '--copy-to', clean.split('@')[0]!);
  expect(copied).toMatchObject({
    attachment_count: JUNK + 4,
    unverified_count: JUNK,
    other_signatures: [],
    copied_to: clean,
  });
  // The program signs in both formats.
  const agentThenReviewer = ['agent:code-writer', 'agent:code-writer', ALICE, ALICE];
  expect(subjectsOf(copied.accepted_signatures).sort()).toEqual(agentThenReviewer);
  expect(await here.document('admit', clean, ...policy())).toMatchObject({ admitted: true });
}, 300_000);

test('what others signed can be left behind, and is told', async () => {
  const pinned = ['--certificate-identity', ALICE, '--certificate-oidc-issuer', here.url];
  const listed = await here.document('attachments', clean, ...pinned);
  expect(listed).toMatchObject({ attachment_count: 4, unverified_count: 0, unread_count: 0 });
  expect(listed).not.toHaveProperty('copied_to');
  expect(subjectsOf(listed.accepted_signatures)).toEqual([ALICE, ALICE]);
  expect(subjectsOf(listed.other_signatures)).toEqual(['agent:code-writer', 'agent:code-writer']);
});

test('a repository that does not hold the image is given nothing', async () => {
  const refused = await here.refusal('attachments', clean, '--copy-to', `${here.registry}/elsewhere`);
  expect(refused).toMatchObject({
    code: 'registry.not_found',
    exitCode: 11,
    checked: `${here.registry}/elsewhere@${clean.split('@')[1]}`,
    next: `crane copy ${clean} ${here.registry}/elsewhere`,
  });
});

test('a target that is a tag, a digest or the repository of the image itself is refused', async () => {
  const target = `${here.registry}/webshop`;
  for (const wrong of [`${target}:v1`, `${target}@${clean.split('@')[1]}`, clean.split('@')[0]!]) {
    const refused = await here.refusal('attachments', clean, '--copy-to', wrong);
    expect(refused).toMatchObject({ code: 'cli.usage', exitCode: 1, found: wrong });
  }
});

test('for people each attachment has its type, its decision, its format and its own digest', async () => {
  const listed = await here.document('attachments', clean);
  const reviews = listed.accepted_signatures.filter((row: Row) => row.certificate_identity.subject === ALICE);
  expect(reviews).toMatchObject([{ decision: 'approved' }, { decision: 'approved' }]);
  expect(listed.accepted_signatures.map(({ format }: { format: string }) => format).sort()).toEqual([
    ...['bundle', 'bundle', 'older-attestation', 'older-signature'],
  ]);
  const { stdout } = await here.run('attachments', clean, '--wide');
  const lines = stdout.trimEnd().split('\n');
  const head = lines.findIndex((line) =>
    /^STATUS +SIGNED BY +ROOT +TYPE +DECISION +FORMAT +LOGGED +DIGEST$/.test(line),
  );
  expect(head).toBeGreaterThan(0);
  const rows = lines.slice(head + 1).map((line) => line.split(/ {2,}/));
  expect(rows.filter((row) => row[1] === ALICE).map((row) => [row[0], ...row.slice(4, 6)])).toEqual(
    expect.arrayContaining([
      ['accepted', 'approved', 'bundle'],
      ['accepted', 'approved', 'older-attestation'],
    ]),
  );
  expect(rows.map((row) => row.at(-1))).toEqual(
    listed.accepted_signatures.map(({ digest }: { digest: string }) => digest.slice(0, 'sha256:'.length + 12)),
  );
});

test('signatures in the older format are copied to their tags', async () => {
  const files = { 'app/NAME': Buffer.from('older') };
  const older = await pushImageOf(here.registry, 'webshop-older', files, COMMIT);
  const target = await pushImageOf(here.registry, 'webshop-older-clean', files, COMMIT);
  await here.document('sign', ...CONTEXT, '--signature-format', 'older', older);
  const copied = await here.document('attachments', older, '--copy-to', target.split('@')[0]!);
  expect(copied.accepted_signatures).toMatchObject([{ certificate_identity: { subject: 'agent:code-writer' } }]);
  expect((await here.run('verify', ...here.pinned, target)).exitCode).toBe(0);
});

/** A rejection of an image that is the same in every repository, as a bundle and as a layer of the older format. */
let no: { readonly bundle: Layer; readonly envelope: Layer };
beforeAll(async () => {
  const rejected = await rejectable('webshop-no');
  const file = join(here.folder, 'no.json');
  const by = ['--reviewer', 'bob@example.com', '--commit-sha', COMMIT];
  await here.document('review', 'reject', rejected, ...by, '--bundle', file);
  const bundle = { mediaType: BUNDLE, content: readFileSync(file) };
  no = { bundle, envelope: await olderLayer(rejected, 'att') };
});

const rejectable = (name: string) => pushImageOf(here.registry, name, { 'app/NAME': Buffer.from('rejected') }, COMMIT);

/** Signed and approved; and the same image where nothing is attached. */
async function approved(name: string) {
  const reviewed = await rejectable(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, reviewed);
  await here.document('review', 'approve', reviewed, '--reviewer', 'alice@example.com', '--commit-sha', COMMIT);
  return { reviewed, empty: await rejectable(`webshop-${name}-clean`) };
}

const client = new RegistryClient();
const placeOf = (reference: string) => {
  const [name = '', digest = ''] = reference.split('@');
  return { registry: here.registry, repository: name.slice(here.registry.length + 1), digest };
};
const tagOf = (reference: string) => placeOf(reference).digest.replace(':', '-');

type Layer = { mediaType: string; content: Uint8Array; annotations?: Record<string, string> };

async function olderLayer(reference: string, kind: 'sig' | 'att'): Promise<Layer> {
  const place = placeOf(reference);
  const manifest = await client.getManifest(place, `${tagOf(reference)}.${kind}`);
  const [{ mediaType, digest, size, annotations }] = JSON.parse(Buffer.from(manifest!.bytes).toString()).layers;
  return { mediaType, content: await client.getBlob(place, digest, size), annotations };
}

/** Puts a manifest with these layers there; answers with its descriptor. */
async function put(
  reference: string,
  layers: readonly Layer[],
  { tag, ...more }: { tag?: string; [key: string]: unknown },
) {
  const place = placeOf(reference);
  const blobOf = async ({ content, ...layer }: Layer) => ({
    ...layer,
    size: content.length,
    digest: await client.putBlob(place, content),
  });
  const config = await blobOf({ mediaType: 'application/vnd.oci.empty.v1+json', content: Buffer.from('{}') });
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config,
    layers: await Promise.all(layers.map(blobOf)),
    ...more,
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  await client.putManifest(place, tag ?? digest, { bytes, mediaType: MANIFEST });
  return { mediaType: MANIFEST, digest, size: bytes.length };
}

async function refer(reference: string, layers: readonly Layer[], artifactType: string) {
  const { mediaType, digest, size } = await client.resolve(placeOf(reference));
  return put(reference, layers, { artifactType, subject: { mediaType, digest, size } });
}

/** Lists referrers under the fallback tag, as anybody can who may write. */
async function listAlso(reference: string, manifests: readonly object[]) {
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  await client.putManifest(placeOf(reference), tagOf(reference), { bytes, mediaType });
}

/** What an admission says that looks at the registry alone. */
async function admission(reference: string) {
  const file = here.file('registry-alone.yaml', `${policyText(here.url, here.registry)}negatives: none\n`);
  const ran = await here.run('admit', reference, '--policy', file, '--output', 'json');
  const { admitted, reasons } = JSON.parse(ran.stdout);
  return { admitted, codes: reasons.map(({ code }: { code: string }) => code) };
}

const REJECTED = { admitted: false, codes: ['admission.review_rejected'] };
const nameOf = (reference: string) => reference.split('@')[0]!;
const BOB = 'reviewer:bob@example.com';
const NOTE: Layer = { mediaType: 'text/plain', content: Buffer.from('a note') };
const MIXED = 'application/vnd.in-toto+json';

test('a rejection that anybody lists as an SBOM or as huge under the fallback tag is copied all the same', async () => {
  const { reviewed, empty } = await approved('relabelled');
  const listed = await refer(reviewed, [no.bundle], BUNDLE);
  await listAlso(reviewed, [
    { ...listed, artifactType: BUNDLE, size: 2 ** 40 },
    { ...listed, artifactType: 'application/spdx+json' },
  ]);
  await refer(reviewed, [NOTE], 'application/spdx+json');
  expect(await admission(reviewed)).toEqual(REJECTED);

  const copied = await here.document('attachments', reviewed, '--copy-to', nameOf(empty));
  expect(await admission(empty)).toEqual(REJECTED);
  expect(copied).toMatchObject({ attachment_count: 5, other_signatures: [], unverified_count: 0, unread_count: 0 });
  expect(subjectsOf(copied.accepted_signatures)).toContain(BOB);
});

test('a signature that cannot be read is told, also where it is listed once more without a type', async () => {
  const image = await rejectable('webshop-untyped');
  await listAlso(image, [await refer(image, [NOTE], BUNDLE)]);
  expect(await here.document('attachments', image)).toMatchObject({
    attachment_count: 1,
    unverified_count: 0,
    unread_count: 1,
  });
});

test('a rejection that is no bundle is copied as what it is', async () => {
  const { reviewed, empty } = await approved('bare');
  await refer(reviewed, [no.envelope], MIXED);
  expect(await admission(reviewed)).toEqual(REJECTED);

  await here.document('attachments', reviewed, '--copy-to', nameOf(empty));
  expect(await admission(empty)).toEqual(REJECTED);
});

test('a signature of the older format that stands in a referrer is copied as what it is', async () => {
  const signed = await rejectable('webshop-simple');
  await here.document('sign', ...CONTEXT, '--signature-format', 'older', signed);
  const referred = await rejectable('webshop-simple-referred');
  await refer(referred, [await olderLayer(signed, 'sig')], BUNDLE);
  const empty = await rejectable('webshop-simple-clean');
  await here.document('attachments', referred, '--copy-to', nameOf(empty));
  expect((await here.run('verify', ...here.pinned, empty)).exitCode).toBe(0);
});

test('every layer of a referrer that verifies is copied, whatever stands before it', async () => {
  const { reviewed, empty } = await approved('layers');
  await refer(reviewed, [NOTE, await olderLayer(reviewed, 'sig'), no.bundle], MIXED);

  const copied = await here.document('attachments', reviewed, '--copy-to', nameOf(empty));
  expect(await admission(empty)).toEqual(REJECTED);
  expect(copied).toMatchObject({ attachment_count: 5, other_signatures: [], unverified_count: 0, unread_count: 0 });
  const agents = Array(3).fill('agent:code-writer');
  expect(subjectsOf(copied.accepted_signatures).sort()).toEqual([...agents, ALICE, ALICE, BOB]);
});

test('of a referrer with signatures of several the pinned identity is copied alone', async () => {
  const { reviewed } = await approved('pinned');
  const referred = await rejectable('webshop-pinned-referred');
  await refer(referred, [await olderLayer(reviewed, 'sig'), no.envelope], MIXED);
  const pinned = ['--certificate-identity', BOB, '--certificate-oidc-issuer', here.url];
  const listed = await here.document('attachments', referred, ...pinned);
  expect([subjectsOf(listed.accepted_signatures), subjectsOf(listed.other_signatures)]).toEqual([
    [BOB],
    ['agent:code-writer'],
  ]);
});

test('what does not verify where it was copied to is told, and is not called copied', async () => {
  const { reviewed, empty } = await approved('lost');
  await refer(reviewed, [no.envelope], MIXED);
  // The tag holds the same envelope by the same entry of the log, without its certificate.
  const { 'dev.sigstore.cosign/certificate': _, ...annotations } = no.envelope.annotations!;
  await put(empty, [{ ...no.envelope, annotations }], { tag: `${tagOf(empty)}.att` });

  const refused = await here.refusal('attachments', reviewed, '--copy-to', nameOf(empty));
  expect(refused).toMatchObject({ code: 'cli.copy_incomplete', exitCode: 12, checked: empty });
  expect(refused.found).toContain(BOB);
});
