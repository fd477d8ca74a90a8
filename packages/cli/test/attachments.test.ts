import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pushImageOf } from '../src/demo/scene.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const JUNK = 1005;
const ALICE = 'reviewer:alice@example.com';
const subjectsOf = (rows: Array<{ subject: string }>) => rows.map(({ subject }) => subject);

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
  expect(copied).toMatchObject({ attachments: JUNK + 4, unverified: JUNK, left: [], copied_to: clean });
  // The program signs in both formats.
  const agentThenReviewer = ['agent:code-writer', 'agent:code-writer', ALICE, ALICE];
  expect(subjectsOf(copied.kept).sort()).toEqual(agentThenReviewer);
  expect(await here.document('admit', clean, ...policy())).toMatchObject({ admitted: true });
}, 300_000);

test('what others signed can be left behind, and is told', async () => {
  const pinned = ['--certificate-identity', ALICE, '--certificate-oidc-issuer', here.url];
  const listed = await here.document('attachments', clean, ...pinned);
  expect(listed).toMatchObject({ attachments: 4, unverified: 0, unread: 0 });
  expect(listed).not.toHaveProperty('copied_to');
  expect(subjectsOf(listed.kept)).toEqual([ALICE, ALICE]);
  expect(subjectsOf(listed.left)).toEqual(['agent:code-writer', 'agent:code-writer']);
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
  const reviews = listed.kept.filter(({ subject }: { subject: string }) => subject === ALICE);
  expect(reviews).toMatchObject([{ decision: 'approved' }, { decision: 'approved' }]);
  expect(listed.kept.map(({ format }: { format: string }) => format).sort()).toEqual([
    ...['bundle', 'bundle', 'older-attestation', 'older-signature'],
  ]);
  const { stdout } = await here.run('attachments', clean);
  const lines = stdout.trimEnd().split('\n');
  const head = lines.findIndex((line) => /^WORD +SIGNED BY +TYPE +DECISION +FORMAT +LOGGED +DIGEST$/.test(line));
  expect(head).toBeGreaterThan(0);
  const rows = lines.slice(head + 1).map((line) => line.split(/ {2,}/));
  expect(rows.filter((row) => row[1] === ALICE).map((row) => [row[0], ...row.slice(3, 5)])).toEqual(
    expect.arrayContaining([
      ['kept', 'approved', 'bundle'],
      ['kept', 'approved', 'older-attestation'],
    ]),
  );
  expect(rows.map((row) => row.at(-1))).toEqual(
    listed.kept.map(({ digest }: { digest: string }) => digest.slice(0, 'sha256:'.length + 12)),
  );
});

test('signatures in the older format are copied to their tags', async () => {
  const files = { 'app/NAME': Buffer.from('older') };
  const older = await pushImageOf(here.registry, 'webshop-older', files, COMMIT);
  const target = await pushImageOf(here.registry, 'webshop-older-clean', files, COMMIT);
  await here.document('sign', ...CONTEXT, '--signature-format', 'older', older);
  const copied = await here.document('attachments', older, '--copy-to', target.split('@')[0]!);
  expect(copied.kept).toMatchObject([{ subject: 'agent:code-writer' }]);
  expect((await here.run('verify', ...here.pinned, target)).exitCode).toBe(0);
});
