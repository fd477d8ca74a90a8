import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runCommand } from '../src/run-command/run-command.ts';
import { recordingSession } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;

const BIN = join(import.meta.dirname, '../bin/colophon.js');
const BY_ALICE = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT];
const BY_BOB = ['--reviewer', 'bob@example.com'];
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

beforeAll(async () => {
  here = await install(cleanup);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const FORGED_LIST = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'standing-negatives', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://colophon.example/predicates/standing-negatives/v2',
  predicate: { sequence: 1_000_000, time: '2026-11-22T10:00:00Z', pages: [] },
};

/** A place for a bundle in the scratch folder. */
const place = (name: string) => join(here.folder, name);
const digestIn = (reference: string) => reference.slice(reference.indexOf('@') + 1);
const idOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** What a line prints where its output is a terminal, which shows colours; each escape as `⎋`. */
async function onTerminal(...line: string[]): Promise<string> {
  const session = recordingSession(here.env);
  const { stdout, ...others } = session.terminal;
  await runCommand(line, { ...session, terminal: { ...others, stdout: { ...stdout, isTTY: true } } });
  return session.ran().stdout.replaceAll('\u001b', '⎋');
}

/** Pushes an index of other indexes and images, each given by its reference; answers with its own reference. */
async function pushIndex(
  repository: string,
  members: ReadonlyArray<{ digest: string; size: number; mediaType: string }>,
) {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: members }));
  const client = new RegistryClient();
  await client.putManifest({ registry: here.registry, repository }, 'latest', { bytes, mediaType: INDEX });
  return {
    reference: `${here.registry}/${repository}@${digestOf(bytes)}`,
    digest: digestOf(bytes),
    size: bytes.length,
  };
}

/** The evidence store of the machine takes nothing, and everything else goes on. */
function breakEvidenceStore(): void {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (...call: Parameters<typeof fetch>) =>
    String(call[0]).endsWith('/evidence') ? Promise.reject(new TypeError('fetch failed')) : fetch(...call),
  );
}

test('a rejection of an image index names every manifest in it, at any depth', async () => {
  const child = await here.push('shop-index');
  const manifest = { digest: digestIn(child), size: 1, mediaType: MANIFEST };
  const inner = await pushIndex('shop-index', [manifest]);
  const outer = await pushIndex('shop-index', [{ digest: inner.digest, size: inner.size, mediaType: INDEX }]);
  await here.document('review', 'reject', outer.reference, ...BY_ALICE, '--comment', 'not yet');
  const { rejections } = await here.document('review', 'list');
  const images = [outer.digest, inner.digest, digestIn(child)];
  expect(rejections.find((one: { images: string[] }) => one.images.includes(outer.digest))).toMatchObject({
    person: 'alice@example.com',
    images,
    commits: [COMMIT],
  });
});

test('a commit is rejected without any image, and the rejection stands in the list', async () => {
  const commit = 'c'.repeat(40);
  const bundle = place('commit.json');
  const line = ['--reviewer', 'alice@example.com', '--commit-sha', commit, '--bundle', bundle];
  const { signatures } = await here.document('review', 'reject', ...line);
  expect(signatures[0]).toMatchObject({
    artifact: `commit ${commit}`,
    bundle,
    certificate_identity: { subject: 'reviewer:alice@example.com' },
  });
  const { rejections } = await here.document('review', 'list');
  expect(rejections.find(({ id }: { id: string }) => id === idOf(bundle))).toMatchObject({
    images: [],
    commits: [commit],
  });
  expect((await here.run('review', 'list', '--wide')).stdout).toContain(idOf(bundle));
});

test('somebody else withdraws a rejection with a reason: attached to the image and in the list', async () => {
  const image = await here.push('shop-withdrawn');
  await here.document('review', 'reject', image, ...BY_ALICE);
  const before = await here.document('review', 'list');
  const { id } = before.rejections.find((one: { images: string[] }) => one.images.includes(digestIn(image)));
  const integrity = `sha256-${Buffer.from(id, 'hex').toString('base64')}`;
  const words = ['--rejection', integrity, '--reason', 'alice left, carol reviewed it again'];
  await here.document('review', 'withdraw', image, ...words, ...BY_BOB);
  const { withdrawals, sequence } = await here.document('review', 'list');
  expect(sequence).toBeGreaterThan(before.sequence);
  expect(withdrawals).toContainEqual(
    expect.objectContaining({ rejection: id, subject: 'reviewer:bob@example.com', reason: words[3] }),
  );
  const pinned = ['--certificate-identity', 'reviewer:bob@example.com', '--certificate-oidc-issuer', here.url];
  const attached = await here.document('verify-attestation', '--type', 'review-withdrawal', ...pinned, image);
  expect(attached.signatures[0].statement).toMatchObject({
    predicate: { rejection: id, reason: words[3] },
    subject: [{ digest: { sha256: digestIn(image).slice(7) } }, { digest: { gitCommit: COMMIT } }],
  });
  expect((await here.run('review', 'list', '--wide')).stdout).toContain('alice left, carol reviewed it again');
});

test('a withdrawal is about a rejection that is there, and about what it rejects', async () => {
  const image = await here.push('shop-other');
  const other = await here.push('shop-else');
  await here.document('review', 'approve', other, ...BY_ALICE);
  await here.document('review', 'reject', image, ...BY_ALICE);
  const { rejections } = await here.document('review', 'list');
  const { id } = rejections.find((one: { images: string[] }) => one.images.includes(digestIn(image)));
  const reason = ['--reason', 'left'];
  const refusal = (...line: string[]) => here.refusal('review', 'withdraw', ...line, ...reason);
  expect(await refusal(other, '--rejection', id, ...BY_BOB)).toMatchObject({
    exitCode: 12,
    code: 'evidence.no_rejection',
  });
  const unknown = await refusal('--rejection', 'f'.repeat(64), ...BY_BOB);
  expect(unknown).toMatchObject({ exitCode: 20, code: 'evidence.not_found' });
  expect(await refusal('--rejection', 'x', ...BY_BOB)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  expect(await refusal('--rejection', id)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  const approval = await here.document('query', 'reviews where decision = approved limit 1');
  const notOne = await refusal('--rejection', approval.rows[0].id, ...BY_BOB);
  expect(notOne).toMatchObject({ exitCode: 12, code: 'evidence.no_rejection' });
});

test('an agent withdraws nothing: refused before it is logged, and what it signs otherwise stands in no list', async () => {
  const bundle = place('rejected-commit.json');
  const about = ['--reviewer', 'alice@example.com', '--commit-sha', 'd'.repeat(40)];
  await here.document('review', 'reject', ...about, '--bundle', bundle);
  const rejection = idOf(bundle);
  const entries = async () => (await here.document('query', 'entries limit 1000')).rows.length;
  const before = await entries();
  const token = here.file('agent.jwt', (await here.run('token', ...CONTEXT)).stdout);
  const line = ['--rejection', rejection, '--reason', 'mine', '--identity-token', token];
  const out = place('agent-withdrawal.json');
  expect(await here.refusal('review', 'withdraw', ...line, '--bundle', out)).toMatchObject({
    exitCode: 1,
    code: 'cli.usage',
    found: 'a token of agent:code-writer',
  });
  expect(existsSync(out)).toBe(false);
  expect(await entries()).toBe(before);
  const words = { rejection, reason: 'mine', withdrawn_at: '2026-11-22T10:00:00Z' };
  const type = ['--type', 'review-withdrawal', '--predicate', here.file('agent-words.json', words)];
  await here.document('attest-blob', ...type, '--identity-token', token, '--bundle', out, bundle);
  expect(await entries()).toBe(before + 1);
  const { rejections, withdrawals } = await here.document('review', 'list');
  expect(rejections.map(({ id }: { id: string }) => id)).toContain(rejection);
  expect(withdrawals.filter((one: { rejection: string }) => one.rejection === rejection)).toEqual([]);
});

test('a rejection that the evidence store did not take ends with 3, and its bundle is there to import', async () => {
  const image = await here.push('shop-unkept');
  const bundle = place('unkept.json');
  breakEvidenceStore();
  expect(await here.refusal('review', 'reject', image, ...BY_ALICE, '--bundle', bundle)).toMatchObject({
    exitCode: 3,
    code: 'evidence.unreachable',
    next: `colophon evidence import ${bundle}`,
  });
  const commitBundle = place('unkept-commit.json');
  const alone = await here.refusal('review', 'reject', ...BY_ALICE, '--bundle', commitBundle);
  expect(alone).toMatchObject({ exitCode: 3, next: `colophon evidence import ${commitBundle}` });
  expect((await here.run('review', 'approve', image, ...BY_ALICE)).exitCode).toBe(0);
  vi.unstubAllGlobals();
  const ids = async () => (await here.document('review', 'list')).rejections.map(({ id }: { id: string }) => id);
  expect(await ids()).not.toContain(idOf(bundle));
  await here.document('evidence', 'import', bundle);
  expect(await ids()).toContain(idOf(bundle));
  const pinned = ['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', here.url];
  const attached = await here.document('verify-attestation', '--type', 'agent-review', ...pinned, image);
  expect(attached.signatures[0].statement.predicate.decision).toBe('rejected');
});

test('without the evidence store on purpose a rejection is signed and nothing more', async () => {
  const image = await here.push('shop-registry-only');
  breakEvidenceStore();
  const kept = place('kept.json');
  const ran = await here.run('review', 'reject', image, ...BY_ALICE, '--no-evidence', '--bundle', kept);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain(`colophon evidence import ${kept}`);
  expect(idOf(kept)).toMatch(/^[0-9a-f]{64}$/);
  // Once, however many formats it is signed in.
  expect(ran.stderr.match(/--no-evidence/g)).toHaveLength(1);
  const bundle = place('unlisted.json');
  const alone = await here.run('review', 'reject', ...BY_ALICE, '--bundle', bundle, '--no-evidence');
  expect(alone.exitCode).toBe(0);
  expect(alone.stderr).toContain(`colophon evidence import ${bundle}`);
  const approved = await here.run('review', 'approve', image, ...BY_ALICE, '--no-evidence');
  expect(approved).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a verified rejection says that it is one, and a verified approval what it is', async () => {
  const image = await here.push('shop-verified-word');
  const pinned = ['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', here.url];
  const verified = (...line: string[]) => here.run(...line, '--type', 'agent-review', ...pinned);
  await here.document('review', 'reject', image, ...BY_ALICE, '--duration', '48', '--comment', 'not\u001b[2J yet');
  const said = new RegExp(
    `^verified ${image}: review signed by reviewer:alice@example\\.com \\(issuer ${here.url}, root embedded\\), rejected by alice@example\\.com \\(review\\), log index \\d+\n$`,
  );
  expect((await verified('verify-attestation', image)).stdout).toMatch(said);
  const rejected = (await verified('verify-attestation', '--details', image)).stdout;
  expect(rejected).toMatch(/^ {2}decision +rejected$/m);
  expect(rejected).toMatch(/^ {2}review_duration_seconds +48$/m);
  expect(rejected).toMatch(/^ {2}comment +not\\u\{1b\}\[2J yet$/m);
  const file = here.file('verified-word.txt', 'a file');
  const bundle = place('verified-word.json');
  await here.document('review', 'approve', file, ...BY_ALICE, '--bundle', bundle);
  const checked = ['verify-blob-attestation', file, '--bundle', bundle];
  expect((await verified(...checked)).stdout).toContain(', approved by alice@example.com (review), log index ');
  const approved = (await verified(...checked, '--details')).stdout;
  expect(approved).toMatch(/^ {2}decision +approved$/m);
  expect(approved).not.toContain('review_duration_seconds');
  const ofImage = ['verify-attestation', image, '--type', 'agent-review', ...pinned];
  expect(await onTerminal(...ofImage)).toMatch(/, ⎋\[31mrejected by alice@example\.com \(review\)⎋\[39m, log index/);
  expect(await onTerminal(...ofImage, '--details')).toMatch(/⎋\[31m {2}decision +rejected⎋\[39m\n/);
  const again = [...checked, '--type', 'agent-review', ...pinned];
  expect(await onTerminal(...again)).not.toContain('⎋');
  expect(await onTerminal(...again, '--details')).toBe(approved);
});

test('a verified run says what the agent says of its review', async () => {
  const predicate = here.file('run-unapproved.json', {
    ...AGENT_RUN,
    human_review: { ...AGENT_RUN.human_review, approved: false },
  });
  const file = here.file('run-unapproved.txt', 'built');
  const bundle = place('run-unapproved.sigstore.json');
  const type = ['--type', 'agent-run', '--bundle', bundle];
  await here.document('attest-blob', ...type, '--predicate', predicate, ...CONTEXT, file);
  const line = ['verify-blob-attestation', ...type, ...here.pinned, file];
  expect(await onTerminal(...line)).toMatch(/, ⎋\[31mnot approved by alice@example\.com \(declared\)⎋\[39m, log index/);
  const said = await onTerminal(...line, '--details');
  expect(said).toMatch(/⎋\[31m {2}human_review\.approved +false⎋\[39m\n/);
  expect(said).toMatch(/\n {2}human_review\.review_duration_seconds +48\n/);
});

test('a rejection that is interrupted once it is in the log still reaches the list', async () => {
  const image = await here.push('shop-interrupted');
  const logSize = async () => ((await (await fetch(`${here.url}/api/v1/log`)).json()) as { treeSize: number }).treeSize;
  const before = await logSize();
  const line = ['review', 'reject', image, '--reviewer', 'ivy@example.com', '--commit-sha', COMMIT];
  const child = spawn(process.execPath, [BIN, ...line], { env: { ...process.env, ...here.env }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while ((await logSize()) === before) await sleep(1);
  child.kill('SIGINT');
  expect((await ended)[1]).toBeNull();
  const { rejections } = (await here.document('review', 'list')) as { rejections: Array<{ person: string }> };
  expect(rejections.filter(({ person }) => person === 'ivy@example.com')).toHaveLength(1);
});

test('of an image the bundle is written too where somebody names a file for it', async () => {
  const image = await here.push('shop-named-bundle');
  const bundle = place('approval.json');
  await here.document('review', 'approve', image, ...BY_ALICE, '--bundle', bundle);
  expect(idOf(bundle)).toMatch(/^[0-9a-f]{64}$/);
});

test('a rejection of a commit is withdrawn without an image, and for people reads as a withdrawal', async () => {
  const image = await here.push('shop-commit-only');
  const bundle = place('commit-only.json');
  const commit = 'e'.repeat(40);
  await here.document('review', 'reject', ...BY_ALICE.slice(0, 2), '--commit-sha', commit, '--bundle', bundle);
  const id = idOf(bundle);
  const line = ['--rejection', id, '--reason', 'left', ...BY_BOB];
  expect(await here.refusal('review', 'withdraw', image, ...line)).toMatchObject({
    exitCode: 12,
    code: 'evidence.no_rejection',
    checked: `rejection ${id}`,
    expected: `commit ${commit}`,
    found: image,
    next: `colophon review withdraw --rejection ${id} …`,
  });
  const counts = async () => {
    const [head = ''] = (await here.run('review', 'list', '--wide')).stdout.split('\n');
    const [, all, words = ''] = /^(\d+) rejections? in the list of \S+ \(sequence \d+\)(.*)$/.exec(head) ?? [];
    const taken = words.includes('withdrawn') ? Number(/(\d+) of them/.exec(words)?.[1] ?? all) : 0;
    return [Number(all), taken];
  };
  const [standing, withdrawn] = (await counts()) as [number, number];
  const said = await here.run('review', 'withdraw', ...line, '--bundle', place('commit-only-withdrawal.json'));
  expect(said.exitCode).toBe(0);
  expect(said.stdout).toMatch(new RegExp(`^signed +withdrawal of rejection ${id}\n`));
  expect(said.stdout).toMatch(/^counts .*review\.mayWithdraw.* reviewer:bob@example\.com$/m);
  // It stands, whoever took it back: what that is worth is each policy's to say. Each table stands alone.
  expect(await counts()).toEqual([standing, withdrawn + 1]);
  const list = (await here.run('review', 'list', '--wide')).stdout;
  expect(list.split('\n')[0]).toMatch(/withdrawn; counts for policies whose mayWithdraw names the signer$/);
  expect(list).toMatch(/\n\nREJECTION +BY +ISSUER +SIGNED +IMAGE OR FILE +COMMIT\n/);
  expect(list).toMatch(/\n\nWITHDRAWN +BY +ISSUER +SIGNED +REASON\n/);
});

test('the list shows the image and the commit of a rejection', async () => {
  const image = await here.push('shop-both');
  await here.document('review', 'reject', image, ...BY_ALICE);
  const { stdout } = await here.run('review', 'list', '--wide');
  const row = stdout.split('\n').find((one) => one.includes(digestIn(image).slice(0, 19)));
  expect(row).toContain(COMMIT.slice(0, 12));
  expect(row).toContain(`alice@example.com  ${here.url}  `);
});

test('a commit in capitals is asked for as the same one, and signed as git writes it alone', async () => {
  const commit = 'ab'.repeat(20);
  const line = ['--reviewer', 'alice@example.com', '--bundle', place('capitals.json')];
  const refused = await here.refusal('review', 'reject', ...line, '--commit-sha', commit.toUpperCase());
  expect(refused).toMatchObject({
    exitCode: 1,
    code: 'cli.usage',
    expected: 'a full git commit id, 40 or 64 lower-case hex digits',
    found: commit.toUpperCase(),
  });
  await here.document('review', 'reject', ...line, '--commit-sha', commit);
  for (const question of ['reviews where commit = ', 'entries where commit = ', 'commits where sha = ']) {
    expect((await here.document('query', question + commit.toUpperCase())).rows).toHaveLength(1);
  }
  expect((await here.document('query', `reviews where commit in (${commit.toUpperCase()}, x)`)).rows).toHaveLength(1);
});

test('a list that somebody else signed is no list', async () => {
  const forged = place('forged.json');
  await here.document(
    'attest-blob',
    '--statement',
    here.file('forged-list.json', FORGED_LIST),
    ...CONTEXT,
    '--bundle',
    forged,
  );
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (...call: Parameters<typeof fetch>) =>
    String(call[0]).endsWith('/negatives') ? Promise.resolve(new Response(readFileSync(forged))) : fetch(...call),
  );
  expect(await here.refusal('review', 'list')).toMatchObject({ exitCode: 12, code: 'identity.subject_mismatch' });
});
