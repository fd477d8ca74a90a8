// What one review is about: the image, file or commit that was named, and nothing that somebody else put beside it.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestToken } from '@colophon/oidc';
import type { Statement, Subject } from '@colophon/records';
import { RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { documentOf } from './command-line.ts';
import { foreignSigner } from './foreign-signer.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const TYPE = 'https://colophon.example/predicates/agent-review/v1';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
});
// Each line signs, and this machine may have other work.
vi.setConfig({ testTimeout: 120_000 });
const freshCommit = () => randomBytes(20).toString('hex');
const by = (name: string, commit: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', commit];
const digestIn = (reference: string) => reference.slice(reference.indexOf('@') + 1);
const subjectOf = (reference: string): Subject => ({
  name: reference.slice(0, reference.indexOf('@')),
  digest: { sha256: digestIn(reference).slice('sha256:'.length) },
});
/** The log's times are whole seconds, and a tie keeps a rejection. */
const aSecondLater = () => new Promise((resolve) => setTimeout(resolve, 1100));

const signByAgent = (image: string, commit: string) =>
  here.document('sign', ...CONTEXT.map((word) => (word === COMMIT ? commit : word)), image);

/** Signed by the agent, of this commit. */
async function signedImage(name: string, commit: string): Promise<string> {
  const image = await here.push(`webshop-${name}`);
  await signByAgent(image, commit);
  return image;
}

async function admit(image: string): Promise<string[]> {
  const ran = await here.run('admit', image, '--policy', policy, '-o', 'json');
  const { admitted, reasons = [] } = documentOf(ran) as { admitted: boolean; reasons: Array<{ code: string }> };
  expect(ran.exitCode).toBe(admitted ? 0 : 20);
  return reasons.map(({ code }) => code.replace('admission.', ''));
}

const isListed = async (digest: string) =>
  (await here.document('review', 'list')).rejections.some(({ images }: { images: string[] }) =>
    images.includes(digest),
  );

/** As buildx pushes it: an image for a platform, and what attests to it; `missing` is listed and nowhere. */
async function builtIndex(what: string, commit: string) {
  const name = `webshop-${what}`;
  const child = await here.push(name);
  const client = new RegistryClient();
  const place = { registry: here.registry, repository: name };
  const { mediaType, size } = await client.resolve({ ...place, digest: digestIn(child) });
  const indexOf = async (more: object[]) => {
    const platform = { architecture: 'amd64', os: 'linux' };
    const manifests = [{ mediaType, size, digest: digestIn(child), platform }, ...more];
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await client.putManifest(place, digest, { bytes, mediaType: INDEX });
    const reference = `${here.registry}/${name}@${digest}`;
    await signByAgent(reference, commit);
    return reference;
  };
  const missing = `sha256:${randomBytes(32).toString('hex')}`;
  const platform = { architecture: 'unknown', os: 'unknown' };
  await signByAgent(child, commit);
  return {
    child,
    missing,
    index: await indexOf([]),
    withMissing: await indexOf([{ mediaType, size: 500, digest: missing, platform }]),
  };
}

/** Attaches the bundle in a file to an image, whatever it is about. */
async function attach(image: string, bundle: Uint8Array): Promise<void> {
  const client = new RegistryClient();
  const repository = image.slice(here.registry.length + 1, image.indexOf('@'));
  const resolved = await client.resolve({ registry: here.registry, repository, digest: digestIn(image) });
  await attachBundle(client, resolved, { bundle, predicateType: TYPE, now: new Date() });
}

/** A review as another program, or an older one of ours, signs it: with the reviewer's own certificate. */
async function reviewOf(name: string, subject: Subject[], more: object): Promise<Uint8Array> {
  const secret = readFileSync(join(here.folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
  const human_reviewer = `${name}@example.com`;
  const { commit_sha } = more as { commit_sha: string };
  const request = { purpose: 'review', human_reviewer, commit_sha };
  const token = await requestToken(here.url, new TextEncoder().encode(JSON.stringify(request)), { secret });
  const predicate = { human_reviewer, review_timestamp: new Date().toISOString(), decision: 'approved', ...more };
  const commit = { name: 'commit', digest: { gitCommit: commit_sha } };
  const statement: Statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...subject, commit],
    predicateType: TYPE,
    predicate,
  };
  return (await foreignSigner(here.url, token).signStatement(statement)).bundle;
}

describe('a rejection of a file and a commit', () => {
  test('stops every image of the commit, until the same file and commit are approved', async () => {
    const commit = freshCommit();
    const file = here.file(`${commit}.js`, 'one');
    const other = here.file(`${commit}-other.js`, 'two');
    const rejected = await here.document('review', 'reject', file, ...by('bob', commit), '--bundle', `${file}.no`);
    expect(rejected.target).toMatchObject({ kind: 'file', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
    const image = await signedImage('file-rejected', commit);
    await here.document('review', 'approve', image, ...by('alice', commit));
    expect(await admit(image)).toEqual(['review_rejected']);
    await aSecondLater();
    await here.document('review', 'approve', other, ...by('bob', commit), '--bundle', `${file}.other`);
    await here.document('review', 'approve', file, ...by('bob', freshCommit()), '--bundle', `${file}.else`);
    await here.document('review', 'approve', ...by('bob', commit), '--bundle', `${file}.commit`);
    expect(await admit(image)).toEqual(['review_rejected']);
    await here.document('review', 'approve', file, ...by('bob', commit), '--bundle', `${file}.yes`);
    expect(await admit(image)).toEqual([]);
  });

  test.each([
    ['by its path', ['dist/app.js']],
    ['with another file', ['app.js', 'package.json']],
  ])('is heard where a program that writes no target names it %s', async (how, names) => {
    const commit = freshCommit();
    const subjects = names.map((name) => {
      return { name, digest: { sha256: createHash('sha256').update(`${commit}${name}`).digest('hex') } };
    });
    const bundle = await reviewOf('bob', subjects, { decision: 'rejected', commit_sha: commit });
    await here.document('evidence', 'import', here.file(`${names.length}.json`, bundle));
    const image = await signedImage(`file-rejected-${how.replaceAll(' ', '-')}`, commit);
    await here.document('review', 'approve', image, ...by('alice', commit));
    expect(await admit(image)).toEqual(['review_rejected']);
  });

  test('says so in the list, and one that was signed before there was a target is heard too', async () => {
    const commit = freshCommit();
    const file = here.file(`${commit}.js`, commit);
    const sha256 = createHash('sha256').update(commit).digest('hex');
    const bundle = await reviewOf('bob', [{ name: 'app.js', digest: { sha256 } }], {
      decision: 'rejected',
      commit_sha: commit,
    });
    await here.document('evidence', 'import', here.file('before.json', bundle));
    const image = await signedImage('file-rejected-before', commit);
    await here.document('review', 'approve', image, ...by('alice', commit));
    expect(await admit(image)).toEqual(['review_rejected']);
    const { rejections } = await here.document('review', 'list');
    const target = { kind: 'file', digest: `sha256:${sha256}` };
    expect(rejections).toContainEqual(expect.objectContaining({ commits: [commit], target }));
    expect((await here.run('review', 'list', '--wide')).stdout).toContain(`file ${target.digest.slice(0, 19)}`);
    await aSecondLater();
    await here.document('review', 'approve', file, ...by('bob', commit), '--bundle', `${file}.yes`);
    expect(await admit(image)).toEqual([]);
  });

  test('is none of the commit where an image was rejected', async () => {
    const commit = freshCommit();
    const image = await signedImage('image-rejected', commit);
    const other = await signedImage('image-not-rejected', commit);
    await here.document('review', 'reject', image, ...by('bob', commit));
    await here.document('review', 'approve', other, ...by('alice', commit));
    expect(await admit(other)).toEqual([]);
  });

  test('of the commit alone is not taken back by an approval of a file, nor for other images by that of one', async () => {
    const commit = freshCommit();
    const bundle = join(here.folder, commit);
    await here.document('review', 'reject', ...by('bob', commit), '--bundle', bundle);
    const [image, other] = [await signedImage('of-commit', commit), await signedImage('of-commit-other', commit)];
    for (const one of [image, other]) await here.document('review', 'approve', one, ...by('alice', commit));
    await aSecondLater();
    const file = here.file(`${commit}.js`, 'one');
    await here.document('review', 'approve', file, ...by('bob', commit));
    expect(await admit(image)).toEqual(['review_rejected']);
    await here.document('review', 'approve', image, ...by('bob', commit));
    expect(await admit(image)).toEqual([]);
    expect(await admit(other)).toEqual(['review_rejected']);
    await here.document('review', 'approve', ...by('bob', commit), '--bundle', `${bundle}.yes`);
    expect(await admit(other)).toEqual([]);
  });
});

describe('an approval of an index', () => {
  test('approves the index, and no manifest that it lists', async () => {
    const commit = freshCommit();
    const { child, index, withMissing, missing } = await builtIndex('index-alone', commit);
    const bundle = join(here.folder, `${commit}.json`);
    const ran = await here.run('review', 'approve', withMissing, ...by('alice', commit), '--bundle', bundle);
    expect(ran.stderr).toContain('none of the 2 manifests in it; --platforms');
    const { subject, predicate } = statementIn(bundle);
    expect(subject.map(({ digest }) => digest)).toEqual([subjectOf(withMissing).digest, { gitCommit: commit }]);
    expect(predicate).toMatchObject({ target: { kind: 'image', digest: digestIn(withMissing) } });
    expect(JSON.stringify(subject)).not.toContain(missing.slice('sha256:'.length));
    expect(await admit(withMissing)).toEqual([]);
    expect(await admit(child)).toEqual(['review_missing']);
    await attach(child, readFileSync(bundle));
    await attach(index, readFileSync(bundle));
    expect(await admit(child)).toEqual(['review_other_image']);
    expect(await admit(index)).toEqual(['review_other_image']);
    const refused = await here.run('admit', child, '--policy', policy);
    expect(refused.stdout + refused.stderr).toContain('--platforms');
  });

  test('approves no manifest either where an older program named them all', async () => {
    const commit = freshCommit();
    const { child, withMissing, missing } = await builtIndex('index-before', commit);
    const repository = subjectOf(withMissing).name as string;
    const named = [withMissing, child, `${repository}@${missing}`].map(subjectOf);
    const bundle = await reviewOf('alice', named, { commit_sha: commit });
    for (const image of [withMissing, child]) await attach(image, bundle);
    expect(await admit(withMissing)).toEqual([]);
    expect(await admit(child)).toEqual(['review_other_image']);
    const pinned = [
      '--require',
      `{ issuer: ${here.url}, subject: "reviewer:alice@example.com", predicateType: ${TYPE} }`,
    ];
    expect((await here.run('verify', withMissing, ...pinned)).exitCode).toBe(0);
    expect((await here.run('verify', child, ...pinned)).exitCode).toBe(12);
    // Of one image alone nothing else can be meant.
    await attach(child, await reviewOf('alice', [subjectOf(child)], { commit_sha: commit }));
    expect(await admit(child)).toEqual([]);
  });

  test('leaves the reviewer’s own rejection of a manifest in it standing, until that is approved by name', async () => {
    const commit = freshCommit();
    const { child, index } = await builtIndex('index-child-rejected', commit);
    await here.document('review', 'reject', child, ...by('alice', commit));
    await aSecondLater();
    await here.document('review', 'approve', index, ...by('alice', commit));
    const { name } = subjectOf(index);
    const older = await reviewOf('alice', [subjectOf(index), subjectOf(child)], { commit_sha: commit });
    expect(name).toBe(`${here.registry}/webshop-index-child-rejected`);
    await attach(index, older);
    await here.document('evidence', 'import', here.file('older.json', older));
    expect(await admit(index)).toEqual(['review_rejected']);
    expect(await isListed(digestIn(child))).toBe(true);
    await here.document('review', 'approve', child, ...by('alice', commit));
    expect(await isListed(digestIn(child))).toBe(false);
    expect(await admit(child)).toEqual([]);
  });

  test('takes a rejection of the index back, its manifests with it', async () => {
    const commit = freshCommit();
    const { child, withMissing, missing } = await builtIndex('index-rejected', commit);
    await here.document('review', 'reject', withMissing, ...by('alice', commit));
    await here.document('review', 'approve', child, ...by('bob', commit));
    for (const digest of [digestIn(withMissing), digestIn(child), missing]) expect(await isListed(digest)).toBe(true);
    expect(await admit(child)).toEqual(['review_rejected']);
    await aSecondLater();
    await here.document('review', 'approve', withMissing, ...by('alice', commit));
    for (const digest of [digestIn(withMissing), digestIn(child), missing]) expect(await isListed(digest)).toBe(false);
    expect(await admit(withMissing)).toEqual([]);
    expect(await admit(child)).toEqual([]);
  });

  test('approves each manifest that is there where that is asked for, shown with its platform', async () => {
    const commit = freshCommit();
    const { child, index, withMissing, missing } = await builtIndex('index-platforms', commit);
    const line = ['--platforms', ...by('alice', commit)];
    const refusal = await here.refusal('review', 'approve', withMissing, ...line);
    expect(refusal).toMatchObject({ exitCode: 11, code: 'registry.not_found' });
    expect(refusal.message).toContain(`${missing} (unknown/unknown)`);
    expect(await admit(withMissing)).toEqual(['review_missing']);
    const approved = await here.document('review', 'approve', index, ...line);
    expect(approved).toMatchObject({
      target: { kind: 'image', digest: digestIn(index) },
      platforms: [{ digest: digestIn(child), platform: 'linux/amd64' }],
    });
    expect(await admit(index)).toEqual([]);
    expect(await admit(child)).toEqual([]);
    const shown = await here.run('review', 'approve', index, ...line);
    expect(shown.stderr).toContain(`approves linux/amd64 ${digestIn(child)}`);
  });

  test('is the only one that takes --platforms', async () => {
    const file = here.file('no-index.txt', 'x');
    const image = await here.push('no-index');
    for (const target of [[file], [image], []]) {
      const line = ['review', 'approve', ...target, '--platforms', ...by('alice', COMMIT)];
      expect(await here.refusal(...line)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
    }
    const reject = await here.refusal('review', 'reject', image, '--platforms', ...by('alice', COMMIT));
    expect(reject).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });
});

describe('an approval that says otherwise than it is signed for', () => {
  test.each([
    ['of a file', (digest: string) => ({ target: { kind: 'file', digest } })],
    ['of another image', () => ({ target: { kind: 'image', digest: `sha256:${'b'.repeat(64)}` } })],
    [
      'of the commit alone',
      (_: string, commit: string) => ({ target: { kind: 'commit', digest: `gitCommit:${commit}` } }),
    ],
  ])('%s, approves no image', async (_title, about) => {
    const commit = freshCommit();
    const image = await signedImage(`other-target-${commit}`, commit);
    const bundle = await reviewOf('alice', [subjectOf(image)], {
      commit_sha: commit,
      ...about(digestIn(image), commit),
    });
    await attach(image, bundle);
    expect(await admit(image)).toEqual(['review_other_image']);
  });
});

function statementIn(file: string): Statement {
  const { dsseEnvelope } = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.parse(Buffer.from(dsseEnvelope.payload, 'base64').toString());
}
