// What an auditor is told, and what an adversary who may write to registry and store would have them believe.
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { agentRunType, type Statement } from '@colophon/records';
import { attestImage, RegistryClient, type ResolvedImage } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { foreignSigner } from './foreign-signer.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;
let image: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
  image = await here.push('webshop');
  const run = here.file('agent-run.json', AGENT_RUN);
  await here.document('sign', ...CONTEXT, image);
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'), '--duration', '12');
});
const by = (name: string, commit = COMMIT) => ['--reviewer', `${name}@example.com`, '--commit-sha', commit];

/** The exit code, and what was printed. */
async function explain(...line: string[]) {
  const ran = await here.run('explain', ...line, '-o', 'json');
  return { exitCode: ran.exitCode, found: documentOf(ran) };
}

const AGENT_CONTEXT = {
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'large-model-2026-05-14',
  prompt_hash: '5a'.repeat(32),
  policy_pack_hash: 'c3'.repeat(32),
  human_reviewer: 'alice@example.com',
  commit_sha: COMMIT,
};

async function resolvedImage(reference: string) {
  const client = new RegistryClient();
  const [name = '', digest = ''] = reference.split('@');
  const place = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
  return { client, resolved: await client.resolve({ ...place, digest }) };
}

/** Attaches a run that the agent's own token signed, by a program that asks nothing about what it signs. */
async function attestForeign(reference: string, predicate: object): Promise<void> {
  const { client, resolved } = await resolvedImage(reference);
  await attestImage({
    client,
    image: resolved,
    signer: foreignSigner(here.url, AGENT_CONTEXT),
    format: 'bundle',
    attestation: { predicateType: agentRunType(), predicate },
    now: () => new Date(),
  });
}

/** Attaches a bundle, whatever it is about. */
async function attachBundle(client: RegistryClient, image: ResolvedImage, bundle: Uint8Array): Promise<void> {
  const empty = Buffer.from('{}');
  const blob = async (mediaType: string, bytes: Uint8Array) => ({
    mediaType,
    size: bytes.length,
    digest: await client.putBlob(image, bytes),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const artifactType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
  const { digest, size, mediaType: imageType } = image;
  const manifest = {
    schemaVersion: 2,
    mediaType,
    artifactType,
    config: await blob('application/vnd.oci.empty.v1+json', empty),
    layers: [await blob(artifactType, bundle)],
    subject: { mediaType: imageType, size, digest },
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await client.putManifest(image, `sha256:${createHash('sha256').update(bytes).digest('hex')}`, { bytes, mediaType });
}

/** Has the log take an entry about a digest, by a key of nobody. */
async function logAsStranger(url: string, digest: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signature = sign('sha256', Buffer.from('somebody else’s\n'), privateKey).toString('base64');
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64');
  const body = {
    kind: 'hashedrekord',
    apiVersion: '0.0.1',
    spec: {
      data: { hash: { algorithm: 'sha256', value: digest } },
      signature: { content: signature, publicKey: { content: pem } },
    },
  };
  const answer = await fetch(`${url}/api/v1/log/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
}

describe('an image', () => {
  test('is explained by its signers, models, reviewers and what each of them rests on', async () => {
    const { exitCode, found } = await explain(image, '--policy', policy);
    expect(exitCode).toBe(0);
    expect(found.subject).toMatchObject({ kind: 'image', name: image, digest: image.split('@')[1] });
    expect(found.facts).toContainEqual({
      field: 'model_id',
      value: 'large-model-2026-05-14',
      standing: 'claimed',
      source: 'declared',
      signer: 'agent:code-writer',
      root: 'embedded',
      issuer: here.url,
      log_index: 0,
    });
    expect(found.reviews).toMatchObject([
      {
        decision: 'approved',
        reviewer: 'alice@example.com',
        standing: 'confirmed',
        signer: 'reviewer:alice@example.com',
        duration_seconds: 12,
        about: 'subject',
      },
    ]);
    expect(found.claimed_reviews).toContainEqual(
      expect.objectContaining({ standing: 'claimed', reviewer: 'alice@example.com', duration_seconds: 48 }),
    );
    expect(found.signatures.map(({ kind }: { kind: string }) => kind)).toContain('agent-run');
    for (const { certificate_serial: serial } of found.signatures) expect(serial).toMatch(/^[0-9a-f]{16,40}$/);
    expect(found.rejection_lists).toMatchObject([{ from: `${here.url}/negatives`, sequence: expect.any(Number) }]);
    expect(found.admission).toMatchObject({ admitted: true });
    expect(found.sentence).toMatch(/^admitted by .*policy\.yaml: .* model large-model-2026-05-14 \(claimed\)/);
    expect(found.sentence).toContain('approved by alice@example.com in 12 s; 1 difference');
    expect(found.sentence).not.toMatch(/\btrusted\b/);
  });

  test('tells what two documents say differently', async () => {
    const { found } = await explain(image);
    expect(found.contradictions).toEqual([]);
    expect(found.differences).toEqual([
      {
        field: 'review_duration_seconds',
        between: 'documents',
        said: [
          { value: '48 s', by: 'agent-run of agent:code-writer (root embedded)', log_index: expect.any(Number) },
          { value: '12 s', by: 'review of reviewer:alice@example.com (root embedded)', log_index: expect.any(Number) },
        ],
      },
    ]);
    expect(found.admission).toBeUndefined();
    expect(found.sentence).toMatch(/^no policy was asked: /);
  });

  test('is refused by the policy with every reason, and explained all the same', async () => {
    const unreviewed = await here.push('webshop-unreviewed');
    await here.document('sign', ...CONTEXT, unreviewed);
    const { exitCode, found } = await explain(unreviewed, '--policy', policy);
    expect([exitCode, found.ok]).toEqual([20, false]);
    expect(found.admission.reasons.map(({ code }: { code: string }) => code)).toEqual(['admission.review_missing']);
    expect(found.sentence).toMatch(/^refused by .* \(admission\.review_missing\): .*no signed review, but the claim/);
    expect(found.facts).not.toEqual([]);
  });

  test('that no policy covers is refused, and explained all the same', async () => {
    const other = here.file('other.yaml', policyText(here.url, 'ghcr.io/elsewhere'));
    const { exitCode, found } = await explain(image, '--policy', other);
    expect([exitCode, found.admission.reasons[0].code]).toEqual([20, 'admission.image_not_covered']);
    expect(found.reviews).toHaveLength(1);
  });

  test('with a rejection says so until the same person approves later', async () => {
    const rejected = await here.push('webshop-rejected');
    await here.document('sign', ...CONTEXT, rejected);
    await here.document('review', 'reject', rejected, ...by('bob'));
    const { exitCode, found } = await explain(rejected);
    expect(exitCode).toBe(0);
    expect(found.rejections).toMatchObject([{ person: { address: 'bob@example.com' } }]);
    expect(found.sentence).toContain('rejected by bob@example.com');
    expect(found.sentence).toContain('1 rejection of it');
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await here.document('review', 'approve', rejected, ...by('bob'));
    expect((await explain(rejected)).found.rejections).toEqual([]);
  });

  test('whose run contradicts its certificate says both values', async () => {
    const lying = await here.push('webshop-lying');
    await attestForeign(lying, { ...AGENT_RUN, model: { id: 'another-model', provider: 'anthropic' } });
    const { found } = await explain(lying);
    expect(found.contradictions).toContainEqual(
      expect.objectContaining({
        field: 'model.id',
        between: 'run-and-certificate',
        said: [
          expect.objectContaining({ value: 'another-model' }),
          expect.objectContaining({ value: 'large-model-2026-05-14' }),
        ],
      }),
    );
    const model = found.facts.filter(({ field }: { field: string }) => field === 'model_id');
    expect(model.map(({ standing }: { standing: string }) => standing)).toEqual(['claimed', 'claimed']);
  });

  test('with hostile names moves no cursor, hides nothing, and is cut for people', async () => {
    const hostile = await here.push('webshop-hostile');
    const id = `\u001b[2J\u202eadmitted\r\n${'x'.repeat(5000)}`;
    await attestForeign(hostile, { ...AGENT_RUN, model: { id, provider: 'anthropic' } });
    const { stdout } = await here.run('explain', hostile);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(stdout).not.toContain('x'.repeat(400));
    const { stdout: refused } = await here.run('explain', hostile, '--policy', policy);
    expect(refused.replaceAll(/\s+/g, '')).toContain(`(${policy})`);
    expect(stdout).toContain('\\u{1b}[2J\\u{202e}admitted\\u{d}\\u{a}');
  });

  test('with nothing attached but a statement about something else is not explained by it', async () => {
    const bare = await here.push('webshop-about-another');
    const { client, resolved } = await resolvedImage(bare);
    const other = { name: 'other', digest: { sha256: 'ab'.repeat(32) } };
    const statement: Statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [other],
      predicateType: 'https://example.com/note/v1',
      predicate: {},
    };
    const { bundle } = await foreignSigner(here.url, AGENT_CONTEXT).signStatement(statement);
    await attachBundle(client, resolved, bundle);
    const { exitCode, found } = await explain(bare);
    expect([exitCode, found.signatures.map(({ about }: { about: string }) => about)]).toEqual([13, ['other']]);
    expect(found.sentence).toMatch(/^nothing verifies, no policy was asked: .* has no signature that verifies/);
  });

  test('with nothing attached has nothing to explain, and a registry that is down is no absence', async () => {
    const bare = await here.push('webshop-bare');
    expect(await here.refusal('explain', bare)).toMatchObject({ exitCode: 10, code: 'cli.nothing_to_explain' });
    const down = bare.replace(here.registry, 'localhost:1');
    expect(await here.refusal('explain', down)).toMatchObject({ exitCode: 3 });
  });

  test('whose signatures do not verify under the given root ends with 13 and names them', async () => {
    const other = await install(cleanup);
    const root = join(other.dataDir, 'trust', 'trusted_root.json');
    const { exitCode, found } = await explain(image, '--trusted-root', root, '--policy', policy);
    expect([exitCode, found.signatures]).toEqual([13, []]);
    expect(found.unverified.map(({ code }: { code: string }) => code)).toContain('log_entry.untrusted_log');
    expect(found.sentence).toMatch(/^nothing verifies, refused by/);
  });
});

describe('a file or a digest', () => {
  let file: string;
  let digest: string;
  beforeAll(async () => {
    file = here.file('report.txt', 'what the agent wrote\n');
    await here.document('sign-blob', '--bundle', `${file}.sigstore.json`, ...CONTEXT, file);
    const run = join(here.folder, 'agent-run.json');
    const bundle = `${file}.agent-run.sigstore.json`;
    await here.document('attest-blob', '--type', 'agent-run', '--predicate', run, '--bundle', bundle, ...CONTEXT, file);
    digest = (await explain(file)).found.subject.digest;
  });

  test('is explained by the bundles beside it, the store and the log; one bundle in two places is one', async () => {
    const { exitCode, found } = await explain(file);
    expect(exitCode).toBe(0);
    expect(found.signatures.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['signature', 'agent-run']),
    );
    const run = found.signatures.find(
      ({ kind, about }: { kind: string; about: string }) => kind === 'agent-run' && about === 'subject',
    );
    expect(run.found_in).toEqual(['files', 'evidence-store']);
    expect(found.places.map(({ place, state }: { place: string; state: string }) => `${place} ${state}`)).toEqual([
      'files asked',
      'evidence-store asked',
      'log asked',
    ]);
  });

  test('has no review by one of the commit alone', async () => {
    const { found } = await explain(file);
    expect(found.reviews.every(({ about }: { about: string }) => about === 'commit')).toBe(true);
    expect(found.sentence).toContain(
      'no review of it, but a commit that its signers name was approved by alice@example.com in 12 s',
    );
  });

  test('is found by its digest in the store, and what only the log has is said to be there', async () => {
    const { exitCode, found } = await explain(digest);
    expect(exitCode).toBe(0);
    expect(found.signatures.some(({ about }: { about: string }) => about === 'subject')).toBe(true);
    const only = here.file('logged.txt', 'only logged\n');
    const bundle = join(here.folder, 'elsewhere.json');
    await here.document('sign-blob', '--bundle', bundle, ...CONTEXT, only);
    rmSync(bundle);
    const logged = await explain(only);
    expect(logged.found.log_entries.length + logged.found.signatures.length).toBeGreaterThan(0);
  });

  test('says of a store that is down that it is incomplete, and that nothing is missing', async () => {
    const { exitCode, found } = await explain(file, '--evidence-url', 'http://localhost:1');
    expect(exitCode).toBe(0);
    expect(found.places).toContainEqual(expect.objectContaining({ place: 'evidence-store', state: 'incomplete' }));
    expect(found.sentence).toContain('incomplete: evidence-store');
    const none = `sha256:${'ef'.repeat(32)}`;
    expect(await here.refusal('explain', none)).toMatchObject({ exitCode: 10, code: 'cli.nothing_to_explain' });
    expect(await here.refusal('explain', none, '--rekor-url', 'http://localhost:1')).toMatchObject({
      exitCode: 3,
      code: 'cli.nothing_to_explain',
    });
  });

  test('with another file’s bundle beside it does not verify, and ends with 13', async () => {
    const other = here.file('other.txt', 'something else\n');
    here.file('other.txt.sigstore.json', readFileSync(`${file}.sigstore.json`));
    const { exitCode, found } = await explain(other);
    expect([exitCode, found.signatures]).toEqual([13, []]);
    expect(found.unverified).toMatchObject([{ message: expect.stringContaining('other.txt.sigstore.json') }]);
  });

  test('waits for no pipe that lies beside it, and says that it was not read', async () => {
    const other = here.file('piped.txt', readFileSync(file));
    here.file('piped.txt.sigstore.json', readFileSync(`${file}.sigstore.json`));
    execFileSync('mkfifo', [`${other}.review.sigstore.json`]);
    symlinkSync('/dev/null', `${other}.null.sigstore.json`);
    const { exitCode, found } = await explain(other);
    expect(exitCode).toBe(0);
    expect(found.places[0]).toMatchObject({
      place: 'files',
      state: 'incomplete',
      detail: expect.stringContaining('piped.txt.'),
    });
    expect(found.sentence).toContain('incomplete: files');
  });

  test('is decided by no policy, and a flag that would change nothing is refused', async () => {
    for (const line of [
      [file, '--policy', policy],
      [file, '--profile', 'spec'],
      [image, '--profile', 'spec'],
      [image, '--evidence-url', 'http://localhost:1'],
      [image, '--rekor-url', 'http://localhost:1'],
    ]) {
      expect(await here.refusal('explain', ...line), line.join(' ')).toMatchObject({ exitCode: 1, code: 'cli.usage' });
    }
  });

  test('of which the log has only what a stranger wrote is not explained by it', async () => {
    const digest = createHash('sha256').update('somebody else’s\n').digest('hex');
    await logAsStranger(here.url, digest);
    const { exitCode, found } = await explain(`sha256:${digest}`);
    expect([exitCode, found.log_entries.length]).toEqual([13, 1]);
    expect(found.sentence).toContain('has no signature that verifies');
  });
});

test('a log that answers with an entry about something else is no signature of what was asked for', async () => {
  const signed = here.file('signed.txt', 'signed\n');
  await here.document('sign-blob', '--bundle', join(here.folder, 'signed.json'), ...CONTEXT, signed);
  const hash = `sha256:${createHash('sha256').update('signed\n').digest('hex')}`;
  const index = '/api/v1/index/retrieve';
  const found = await fetch(here.url + index, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ hash }),
  });
  const uuids = await found.text();
  expect(JSON.parse(uuids)).toHaveLength(1);
  const lying = createServer(async (request, response) => {
    const answer = request.url === index ? uuids : await (await fetch(here.url + request.url)).text();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => lying.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => void lying.close());
  const url = `http://127.0.0.1:${(lying.address() as AddressInfo).port}`;
  const { exitCode, found: honest } = await explain(hash, '--rekor-url', url);
  expect([exitCode, honest.sentence]).toEqual([
    0,
    expect.stringContaining('has in the log alone a signature by agent:code-writer'),
  ]);
  const unsigned = here.file('unsigned.txt', 'unsigned\n');
  expect(await here.refusal('log', 'search', '--artifact', unsigned, '--rekor-url', url)).toMatchObject({
    exitCode: 12,
    code: 'log.entry_mismatch',
  });
  expect((await here.document('log', 'search', '--artifact', signed, '--rekor-url', url)).entries).toHaveLength(1);
  expect(await here.refusal('explain', unsigned, '--rekor-url', url)).toMatchObject({
    exitCode: 3,
    code: 'cli.nothing_to_explain',
    issues: expect.arrayContaining([
      { code: 'cli.nothing_to_explain', message: expect.stringMatching(/^log: incomplete, .*log\.entry_mismatch/) },
    ]),
  });
});

test('no line for people is wider than 80 columns but for words that are whole', async () => {
  const { stdout } = await here.run('explain', image, '--policy', policy);
  const wide = stdout.split('\n').filter((line) => line.length > 80);
  expect(wide.filter((line) => /\S\s+\S/.test(line.trim()))).toEqual([]);
  expect(stdout).toContain('differences\n');
});
