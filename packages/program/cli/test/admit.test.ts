// What an adversary without keys tries: who writes to the registry, the log and requests, and has read the code.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { requestToken } from '@colophon/oidc';
import type { Statement } from '@colophon/records';
import { RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { foreignSigner } from './foreign-signer.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const OTHER_COMMIT = 'b'.repeat(40);
const COMMIT_OF_SPELLING = 'd'.repeat(40);
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
});
const by = (name: string, commit = COMMIT) => ['--reviewer', `${name}@example.com`, '--commit-sha', commit];
const policyWith = (name: string, more: string) =>
  here.file(`${name}.yaml`, `${policyText(here.url, here.registry)}${more}\n`);

/** Signed by the agent and approved by alice. */
async function goodImage(name: string): Promise<string> {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  return image;
}

/** The exit code, and the codes of the reasons. */
async function admit(
  image: string,
  file = policy,
  ...more: string[]
): Promise<{ exitCode: number; reasons: string[] }> {
  const ran = await here.run('admit', image, '--policy', file, ...more, '-o', 'json');
  const { reasons = [], error } = documentOf(ran) as { reasons?: Array<{ code: string }>; error?: { code: string } };
  return { exitCode: ran.exitCode, reasons: error === undefined ? reasons.map(({ code }) => code) : [error.code] };
}

/** A token of a reviewer, who has the secret of this machine. */
async function reviewerTokenOf(name: string): Promise<string> {
  const secret = readFileSync(join(here.folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
  const request = { purpose: 'review', human_reviewer: `${name}@example.com`, commit_sha: COMMIT };
  return requestToken(here.url, new TextEncoder().encode(JSON.stringify(request)), { secret });
}

const ADMITTED = { exitCode: 0, reasons: [] };
const refusedFor = (...codes: string[]) => ({ exitCode: 20, reasons: codes.map((code) => `admission.${code}`) });

const requireBob = () => `require:\n  - issuer: ${here.url}\n    subject: reviewer:bob@example.com`;

/** The same image in another repository, with nothing that is attached to it. */
async function copied(image: string, repository: string): Promise<string> {
  const client = new RegistryClient();
  const [name = '', digest = ''] = image.split('@');
  const from = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
  const to = { registry: here.registry, repository };
  const manifest = await client.getManifest(from, digest);
  const { config, layers } = JSON.parse(Buffer.from(manifest!.bytes).toString());
  for (const blob of [config, ...layers]) await client.putBlob(to, await client.getBlob(from, blob.digest, blob.size));
  await client.putManifest(to, digest, manifest!);
  return `${here.registry}/${repository}@${digest}`;
}

/** Attaches something to an image as a referrer. */
async function attach(
  image: string,
  layer: { mediaType: string; bytes: Uint8Array; size?: number },
  artifactType?: string,
) {
  const client = new RegistryClient();
  const [name = '', digest = ''] = image.split('@');
  const place = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
  const subject = await client.resolve({ ...place, digest });
  const written = {
    mediaType: layer.mediaType,
    size: layer.size ?? layer.bytes.length,
    digest: await client.putBlob(place, layer.bytes),
  };
  const config = {
    mediaType: 'application/vnd.oci.empty.v1+json',
    size: 2,
    digest: await client.putBlob(place, Buffer.from('{}')),
  };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const { registry: _, repository: __, ...about } = subject;
  const manifest = {
    schemaVersion: 2,
    mediaType,
    config,
    layers: [written],
    subject: about,
    ...(artifactType ? { artifactType } : {}),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await client.putManifest(place, `sha256:${createHash('sha256').update(bytes).digest('hex')}`, { bytes, mediaType });
}

describe('a rejection', () => {
  test('is no signature that a policy requires of its signer, and refuses', async () => {
    const image = await goodImage('required');
    const file = policyWith('required', requireBob());
    expect(await admit(image, file)).toEqual(refusedFor('required_signature_missing'));
    await here.document('review', 'reject', image, ...by('bob'));
    expect(await admit(image, file)).toEqual(refusedFor('review_rejected', 'required_signature_missing'));
    await here.document('review', 'approve', image, ...by('bob', OTHER_COMMIT));
    expect((await admit(image, file)).reasons).toContain('admission.required_signature_missing');
    // The log's times are whole seconds, and a tie keeps the rejection.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await here.document('review', 'approve', image, ...by('bob'));
    expect(await admit(image, file)).toEqual(ADMITTED);
  });

  test('of another commit is none either', async () => {
    const image = await goodImage('required-other');
    await here.document('review', 'reject', image, ...by('bob', OTHER_COMMIT));
    expect(await admit(image, policyWith('required-other', requireBob()))).toEqual(
      refusedFor('review_rejected', 'required_signature_missing'),
    );
  });

  test('is found in the list where the image was copied without it', async () => {
    const image = await here.push('webshop-original');
    await here.document('sign', ...CONTEXT, image);
    await here.document('review', 'reject', image, ...by('bob'));
    const copy = await copied(image, 'webshop-copy');
    await here.document('sign', ...CONTEXT, copy);
    await here.document('review', 'approve', copy, ...by('alice'));
    expect(await admit(copy)).toEqual(refusedFor('review_rejected'));
    // Without a list there is only the registry, and the verdict says so.
    const none = policyWith('no-list', 'negatives: none');
    expect(await admit(copy, none)).toEqual(ADMITTED);
    expect((await here.run('admit', copy, '--policy', none)).stdout).toContain('rejections: registry only');
    expect((await here.document('admit', copy, '--policy', none)).verdicts[0].rejection_list).toBeUndefined();
    expect((await here.run('admit', copy, '--policy', policy)).stdout).toMatch(
      /rejections: registry, and the list of \S+Z at \S+ \(sequence \d+\)/,
    );
    expect(await admit(image, none)).toEqual(refusedFor('review_rejected'));
  });

  test('of a commit alone refuses an image that is built from it afterwards', async () => {
    const commit = 'c'.repeat(40);
    const context = CONTEXT.map((word) => (word === COMMIT ? commit : word));
    await here.document('review', 'reject', ...by('alice', commit), '--bundle', join(here.folder, 'commit.json'));
    const image = await here.push('webshop-rebuilt');
    await here.document('sign', ...context, image);
    await here.document('review', 'approve', image, ...by('bob', commit));
    expect(await admit(image)).toEqual(refusedFor('review_rejected'));
    // An image of another commit is not touched by it.
    expect(await admit(await goodImage('other-commit'))).toEqual(ADMITTED);
  });

  test('stands under another person’s approval', async () => {
    const image = await goodImage('two-people');
    await here.document('review', 'reject', image, ...by('bob'));
    await here.document('review', 'approve', image, ...by('alice'));
    expect(await admit(image)).toEqual(refusedFor('review_rejected'));
  });
});

describe('a rejection that somebody without keys wants gone', () => {
  const statementAbout = (image: string, predicate: object): Statement => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'webshop', digest: { sha256: image.split('@sha256:')[1] as string } }],
    predicateType: 'https://colophon.example/predicates/agent-review/v1',
    predicate,
  });

  test('is not taken back by an older approval, though the rejection states no time', async () => {
    const image = await goodImage('no-stated-time');
    // As another program may write it, with her certificate.
    const signer = foreignSigner(here.url, await reviewerTokenOf('alice'));
    const { bundle } = await signer.signStatement(statementAbout(image, { decision: 'rejected' }));
    await attach(image, { mediaType: BUNDLE_TYPE, bytes: bundle }, BUNDLE_TYPE);
    expect((await admit(image)).reasons).toContain('admission.review_rejected');
  });

  test('of a manifest in an index is found, whatever the registry calls the index', async () => {
    const child = await here.push('webshop-child');
    const client = new RegistryClient();
    const place = { registry: here.registry, repository: 'webshop-child' };
    const { mediaType, size, digest } = await client.resolve({ ...place, digest: child.split('@')[1] as string });
    const indexType = 'application/vnd.oci.image.index.v1+json';
    const bytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [{ mediaType, size, digest }] }),
    );
    const index = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await client.putManifest(place, index, { bytes, mediaType: indexType });
    const image = `${here.registry}/webshop-child@${index}`;
    await here.document('sign', ...CONTEXT, image);
    await here.document('review', 'approve', image, ...by('alice'));
    await here.document('review', 'reject', child, ...by('bob'));
    expect(await admit(image)).toEqual(refusedFor('review_rejected'));
    const lying = await proxyOf(
      here.url,
      () => false,
      (path) => (path.endsWith(index) ? { 'content-type': 'application/vnd.oci.image.manifest.v1+json' } : {}),
    );
    const host = lying.replace('http://', '');
    const file = here.file('lying.yaml', policyText(here.url, host));
    expect((await admit(image.replace(here.registry, host), file)).reasons).toEqual(['admission.review_rejected']);
  });

  test('is found under any name of the trusted root', async () => {
    const image = await goodImage('other-spelling');
    await here.document(
      'review',
      'reject',
      ...by('bob', COMMIT_OF_SPELLING),
      '--bundle',
      join(here.folder, 'spelling.json'),
    );
    await here.document('sign', ...CONTEXT.map((word) => (word === COMMIT ? COMMIT_OF_SPELLING : word)), image);
    const root = join(here.dataDir, 'trust', '..', 'trust', 'trusted_root.json').replace('/trust/', '/./trust/');
    for (const flags of [[], ['--trusted-root', root]]) {
      expect((await admit(image, policy, ...flags)).reasons).toContain('admission.review_rejected');
    }
  });

  test.each(['application/vnd.in-toto+json', 'application/vnd.dev.cosign.artifact.att.v1+json', undefined])(
    'is read where cosign attaches it without a bundle, as %s',
    async (artifactType) => {
      const image = await goodImage(`cosign-${String(artifactType).length}`);
      await here.document('review', 'reject', image, ...by('bob'));
      const client = new RegistryClient();
      const [name = '', digest = ''] = image.split('@');
      const place = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
      const manifest = await client.getManifest(place, `${digest.replace(':', '-')}.att`);
      const layers = JSON.parse(Buffer.from(manifest!.bytes).toString()).layers;
      const bare = await copied(image, `${place.repository}-bare`);
      await here.document('sign', ...CONTEXT, bare);
      await here.document('review', 'approve', bare, ...by('alice'));
      const to = { registry: here.registry, repository: `${place.repository}-bare` };
      const subject = await client.resolve({ ...to, digest });
      const config = {
        mediaType: 'application/vnd.oci.empty.v1+json',
        size: 2,
        digest: await client.putBlob(to, Buffer.from('{}')),
      };
      for (const layer of layers) await client.putBlob(to, await client.getBlob(place, layer.digest, layer.size));
      const type = 'application/vnd.oci.image.manifest.v1+json';
      const { registry: _, repository: __, ...aboutIt } = subject;
      const referrer = {
        schemaVersion: 2,
        mediaType: type,
        config,
        layers,
        subject: aboutIt,
        ...(artifactType ? { artifactType } : {}),
      };
      const bytes = Buffer.from(JSON.stringify(referrer));
      await client.putManifest(to, `sha256:${createHash('sha256').update(bytes).digest('hex')}`, {
        bytes,
        mediaType: type,
      });
      expect((await admit(bare, policyWith('bare', 'negatives: none'))).reasons).toEqual(['admission.review_rejected']);
    },
  );

  test('stands once in the list, however its bundle is written', async () => {
    const bundle = join(here.folder, 'once.json');
    const commit = 'e'.repeat(40);
    await here.document('review', 'reject', ...by('bob', commit), '--bundle', bundle);
    const copies = [' ', '\n', '  '].map((space, i) => here.file(`once-${i}.json`, `${readFileSync(bundle)}${space}`));
    await here.document('evidence', 'import', ...copies);
    const listed = (await here.document('review', 'list')).rejections.filter(({ commits }: { commits: string[] }) =>
      commits.includes(commit),
    );
    expect(listed).toHaveLength(1);
  });
});

describe('what is attached beside good signatures', () => {
  test('an SBOM of any size and a self-signed rejection change nothing', async () => {
    const image = await goodImage('crowded');
    const huge = { bytes: Buffer.from('{}'), size: 200 * 1024 * 1024 };
    await attach(image, { mediaType: 'application/vnd.cyclonedx+json', ...huge }, 'application/vnd.cyclonedx+json');
    await attach(image, { mediaType: 'application/vnd.cyclonedx+json', ...huge });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = here.file('own.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const forged = join(here.folder, 'forged.sigstore.json');
    const type = 'https://colophon.example/predicates/agent-review/v1';
    const digest = image.split('@')[1] as string;
    const statement = here.file('forged-statement.json', {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'webshop', digest: { sha256: digest.slice('sha256:'.length) } }],
      predicateType: type,
      predicate: {
        human_reviewer: 'alice@example.com',
        review_timestamp: new Date().toISOString(),
        decision: 'rejected',
      },
    });
    await here.document('attest-blob', '--key', key, '--statement', statement, '--bundle', forged);
    await attach(image, { mediaType: BUNDLE_TYPE, bytes: readFileSync(forged) }, BUNDLE_TYPE);
    expect(await admit(image)).toEqual(ADMITTED);
  });

  test.each([
    ['is larger than any signature that is read', BUNDLE_TYPE, BUNDLE_TYPE],
    ['is so and does not say what it is', BUNDLE_TYPE, undefined],
  ])('what may be a signature and %s refuses', async (title, mediaType, artifactType) => {
    const image = await goodImage(`unread-${title.length}`);
    await attach(image, { mediaType, bytes: Buffer.from(`{"${title}":1}`), size: 200 * 1024 * 1024 }, artifactType);
    expect(await admit(image)).toEqual(refusedFor('evidence_incomplete'));
    expect(await admit(image, policyWith('unread', 'negatives: none'))).toEqual(refusedFor('evidence_incomplete'));
  });

  test('an image with more attachments than are looked at is refused by a reason of its own', async () => {
    const image = await goodImage('overcrowded');
    const client = new RegistryClient();
    const [name = '', digest = ''] = image.split('@');
    const place = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
    const layer = {
      mediaType: 'application/vnd.dsse.envelope.v1+json',
      size: 2,
      digest: await client.putBlob(place, Buffer.from('{}')),
    };
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const config = { ...layer, mediaType: 'application/vnd.oci.image.config.v1+json' };
    const manifest = { schemaVersion: 2, mediaType, config, layers: Array(1005).fill(layer) };
    const bytes = Buffer.from(JSON.stringify(manifest));
    await client.putManifest(place, `${digest.replace(':', '-')}.att`, { bytes, mediaType });
    expect(await admit(image)).toEqual(refusedFor('too_many_signatures'));
  });

  test('a registry that loses what it lists was not seen whole', async () => {
    const image = await goodImage('withheld');
    await here.document('review', 'reject', image, ...by('bob'));
    const withholding = await proxyOf(
      here.url,
      (path) => /\/v2\/.*\/(blobs|manifests)\/sha256:/.test(path) && lost.has(path.split('/').at(-1) ?? ''),
    );
    const lost = new Set<string>();
    const listed = await (await fetch(`${here.url}/v2/webshop-withheld/referrers/${image.split('@')[1]}`)).json();
    const { manifests } = listed as { manifests: Array<{ digest: string; annotations: Record<string, string> }> };
    for (const { digest, annotations } of manifests) {
      if (annotations['dev.sigstore.bundle.predicateType']?.endsWith('agent-review/v1')) lost.add(digest);
    }
    const through = image.replace(here.registry, withholding.replace('http://', ''));
    const file = here.file(
      'withheld.yaml',
      `${policyText(here.url, withholding.replace('http://', ''))}negatives: none\n`,
    );
    const { exitCode, reasons } = await admit(through, file);
    expect(exitCode).toBe(20);
    expect(reasons).toContain('admission.evidence_incomplete');
  });
});

/** A peer that passes everything on but what it withholds, with 404. */
async function proxyOf(
  target: string,
  withholds: (path: string) => boolean,
  says: (path: string) => Record<string, string> = () => ({}),
): Promise<string> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (withholds(path)) return void response.writeHead(404).end();
    const answer = await fetch(`${target}${path}`, { headers: { accept: request.headers.accept ?? '*/*' } });
    const headers = Object.fromEntries(
      ['content-type', 'docker-content-digest', 'link'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    response.writeHead(answer.status, { ...headers, ...says(path) }).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

describe('the list of standing rejections', () => {
  const listAt = (from: string, more = '') =>
    `negatives:\n  from: ${from}\n  signer:\n    issuer: ${here.url}\n    subject: evidence:${here.registry}\n${more}`;

  /** Pages are the store's own. */
  async function relayed(path: string, response: ServerResponse): Promise<void> {
    const page = await fetch(here.url + path);
    response.writeHead(page.status).end(Buffer.from(await page.arrayBuffer()));
  }

  test('of a policy is held to its signer, its age and the sequences that were seen', async () => {
    const image = await goodImage('listed');
    const older = Buffer.from(await (await fetch(`${here.url}/negatives`)).arrayBuffer());
    let answer: { status: number; body: Uint8Array; location?: string } = { status: 200, body: older };
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/negatives/pages/')) return void relayed(request.url, response);
      const location = answer.location === undefined ? {} : { location: answer.location };
      response.writeHead(answer.status, { 'content-type': BUNDLE_TYPE, ...location }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const from = `http://localhost:${(server.address() as AddressInfo).port}/negatives`;
    const file = policyWith('listed', listAt(from));
    expect(await admit(image, file)).toEqual(ADMITTED);

    await here.document('review', 'reject', image, ...by('bob'));
    await here.document('review', 'approve', image, ...by('bob', OTHER_COMMIT));
    const newer = Buffer.from(await (await fetch(`${here.url}/negatives`)).arrayBuffer());
    answer = { status: 200, body: newer };
    expect((await admit(image, file)).reasons).toEqual(['admission.review_rejected']);
    // The list from before the rejection verifies, and was good once.
    answer = { status: 200, body: older };
    const clean = await goodImage('listed-clean');
    expect(await admit(clean, file)).toEqual(refusedFor('rejections_incomplete'));
    answer = { status: 200, body: newer };
    expect(await admit(clean, file)).toEqual(ADMITTED);

    for (const broken of [
      { status: 500, body: newer },
      { status: 404, body: Buffer.from('{}') },
      { status: 302, body: newer, location: `${here.url}/negatives` },
      { status: 200, body: Buffer.from('{}') },
      { status: 200, body: Buffer.from(newer.toString().replace('"payload":"', '"payload":"AAAA')) },
    ]) {
      answer = broken;
      expect(await admit(clean, file)).toEqual(refusedFor('rejections_incomplete'));
    }
    answer = { status: 200, body: newer };
    const otherSigner = listAt(from).replace('evidence:', 'evidence:x');
    expect(await admit(clean, policyWith('other-signer', otherSigner))).toEqual(refusedFor('rejections_incomplete'));
    // Old enough by waiting: a second passes on any machine.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await admit(clean, policyWith('too-old', listAt(from, '  maxAge: 1s')))).toEqual(
      refusedFor('rejections_incomplete'),
    );
    expect(await admit(clean, file)).toEqual(ADMITTED);
  });

  test.each(['15 minutes', '0m', '15M', '1.5h'])('of an age that is none (%s) makes no policy', async (maxAge) => {
    const file = policyWith('mistyped-age', listAt(`${here.url}/negatives`, `  maxAge: ${maxAge}`));
    const refused = await here.refusal('admit', `${here.registry}/webshop:1`, '--policy', file);
    expect(refused).toMatchObject({
      exitCode: 1,
      code: 'cli.policy_invalid',
      issues: [{ code: 'policy.value', path: '/negatives/maxAge' }],
    });
  });

  test('that nobody serves refuses, and says where it was looked for', async () => {
    const image = await goodImage('unserved');
    const file = policyWith('unserved', listAt('http://localhost:1/negatives'));
    expect(await admit(image, file)).toEqual(refusedFor('rejections_incomplete'));
    const { stdout } = await here.run('admit', image, '--policy', file);
    expect(stdout).toContain('http://localhost:1/negatives');
  });

  test('leaves its sequence beside the reviewers’ secret, and nothing else', async () => {
    const names = readdirSync(join(here.folder, 'config', 'colophon', 'seen-lists'));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{64}\.\d+$/);
  });
});

test('no registry is asked for an image that no policy covers', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const image = `localhost:${(server.address() as AddressInfo).port}/other:latest`;
  expect(await admit(image)).toEqual(refusedFor('image_not_covered'));
  expect(asked).toBe(0);
});

test('admit names what met each requirement', async () => {
  const image = await goodImage('named');
  const file = policyWith('named', requireBob());
  await here.document('review', 'approve', image, ...by('bob'));
  const { verdicts } = await here.document('admit', image, '--policy', file);
  expect(verdicts[0].requirements).toMatchObject([
    {
      rule: `reviewer:bob@example.com of ${here.url}`,
      signatures: [{ certificate_identity: { subject: 'reviewer:bob@example.com' } }],
    },
  ]);
  const { stdout } = await here.run('admit', image, '--policy', file);
  expect(stdout).toMatch(
    /required reviewer:bob@example\.com of .*: signed by reviewer:bob@example\.com \(root embedded\), log index \d+/,
  );
});

test('a policy that only watches says that it would refuse', async () => {
  const image = await here.push('webshop-watched');
  const { exitCode, stdout } = await here.run('admit', image, '--policy', policyWith('watched', 'mode: audit'));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^admitted /);
  expect(stdout).toMatch(/^policy .*: would refuse \(mode: audit\)$/m);
  expect(stdout).not.toMatch(/: refused$/m);
  expect((await here.run('admit', image, '--policy', policy)).stdout).toMatch(/^policy .*: refused$/m);
});

test('a withdrawn rejection that is attached and in the list is named once', async () => {
  const image = await goodImage('withdrawn-once');
  await here.document('review', 'reject', image, ...by('carol'));
  const { rejections } = await here.document('review', 'list');
  const digest = image.split('@')[1] as string;
  const { id } = rejections.find(({ images }: { images: string[] }) => images.includes(digest));
  const words = ['--rejection', id, '--reason', 'left', '--reviewer', 'bob@example.com'];
  await here.document('review', 'withdraw', image, ...words);
  const may = here.file(
    'may-withdraw.yaml',
    `${policyText(here.url, here.registry)}  mayWithdraw:\n    - issuer: ${here.url}\n      subject: reviewer:bob@example.com\n`,
  );
  const { exitCode, stdout } = await here.run('admit', image, '--policy', may);
  expect(exitCode).toBe(0);
  expect(stdout.match(/withdrawn: .*/g)).toEqual([`withdrawn: rejection ${id} of reviewer:carol@example.com`]);
});

test('a strict policy that lets an agent review is refused when it is read', async () => {
  const file = here.file(
    'agent-reviews.yaml',
    `version: 1\nimages: ["${here.registry}/**"]\nagent: { issuer: ${here.url}, subjectRegExp: "agent:.*" }\nreview: { subjectRegExp: "(reviewer|agent):.*" }\n`,
  );
  const refused = await here.refusal('admit', `${here.registry}/webshop-named:x`, '--policy', file);
  expect(refused).toMatchObject({
    exitCode: 1,
    code: 'cli.policy_invalid',
    issues: [{ code: 'policy.reviewer_is_agent' }],
  });
});
