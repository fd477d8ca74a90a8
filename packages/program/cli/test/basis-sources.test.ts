import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentReviewType, CLAIM_SOURCES, type ClaimSource } from '@colophon/records';
import { gitRepository, temporaryFolder } from '@colophon/testkit';
import { ARTIFACT, draftStatement, STATEMENT, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN } from './installation.ts';

// Each output over each source that a certificate can name: what is confirmed is told from what is claimed everywhere.
const local = new LocalSigstore();
const undo: Array<() => void> = [];
let folder: string;
let commit: string;
let repository: string;
const ANN = 'ann@example.com';
const SIGNER = 'agent:code-writer';

beforeAll(() => {
  folder = temporaryFolder((work) => void undo.push(work));
  const git = gitRepository((work) => void undo.push(work));
  commit = git.commit('agent', { 'src/shop.ts': 'export {};\n' });
  repository = git.folder;
  file('artifact', ARTIFACT);
  file('root.json', Buffer.from(JSON.stringify(local.trustedRootJson())));
  const components = [{ type: 'file', 'bom-ref': 'f', name: 'src/shop.ts' }];
  file('bom.json', Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, components })));
});
afterAll(() => {
  for (const work of undo) work();
});

const path = (name: string) => join(folder, name);
function file(name: string, bytes: Uint8Array): string {
  writeFileSync(path(name), bytes);
  return path(name);
}

const RUN = {
  ...AGENT_RUN,
  agent: { name: CLAIMS.agent_name, version: CLAIMS.agent_version },
  model: { id: CLAIMS.model_id, provider: CLAIMS.model_provider },
  input: { prompt_hash: CLAIMS.prompt_hash },
  policy: { pack_hash: CLAIMS.policy_pack_hash },
  human_review: { reviewer: ANN, reviewed_at: CLAIMS.review_timestamp, approved: true },
};

/** A run whose certificate has all its claims from this source. */
function runFrom(source: ClaimSource): string {
  const names = ['agent_name', 'model_id', 'prompt_hash', 'human_reviewer', 'review_timestamp', 'commit_sha'];
  const claim_sources = names.map((claim) => `${claim}=${source}`).join(';');
  const predicate = { ...RUN, git: { commit_sha: commit, files_changed: ['src/shop.ts'] } };
  const claims = { ...CLAIMS, commit_sha: commit, claim_sources };
  const bundle = draftStatement(local, { ...STATEMENT, predicate }, { claims });
  return file(`${source}.sigstore.json`, toBytes(bundle));
}

/** A review by somebody over the run's commit. */
function reviewBy(sub: string, decision = 'approved'): string {
  const predicate = {
    human_reviewer: ANN,
    review_timestamp: CLAIMS.review_timestamp,
    decision,
    commit_sha: commit,
  };
  const bundle = draftStatement(
    local,
    { ...STATEMENT, predicateType: agentReviewType(), predicate },
    { claims: { iss: ISSUER, aud: 'sigstore', sub, ...(sub.startsWith('agent:') && { agent_name: sub.slice(6) }) } },
  );
  return file('review.sigstore.json', toBytes(bundle));
}

const pinned = () => [
  ...['--certificate-identity', SIGNER, '--certificate-oidc-issuer', ISSUER],
  ...['--trusted-root', path('root.json')],
];
async function json(...line: string[]) {
  const ran = await runLine([...line, '--output', 'json'], { HOME: folder });
  const document = documentOf(ran);
  if (ran.exitCode !== 0) throw new Error(JSON.stringify(document));
  return document;
}
async function markBy(...bundles: string[]): Promise<Record<string, string>> {
  const by = bundles.flatMap((bundle) => ['--bundle', bundle]);
  const at = ['--repository', repository, '--out', path('marked.json')];
  await json('sbom', 'attribute', path('bom.json'), ...by, ...pinned(), ...at);
  const { properties } = JSON.parse(readFileSync(path('marked.json'), 'utf8')).components[0];
  return Object.fromEntries(
    (properties as Array<{ name: string; value: string }>).map(({ name, value }) => [name, value]),
  );
}

test.each(CLAIM_SOURCES)('claims from %s', async (source) => {
  const bundle = runFrom(source);
  const basis = { source, signer: SIGNER };
  const text = `${source}, signed by ${SIGNER}`;
  const fields = {
    'claims.human_reviewer': basis,
    'claims.model_id': basis,
    'agent.name': basis,
    'model.id': basis,
    'human_review.reviewer': basis,
    // Nobody named a source for these.
    'agent.version': { source: 'declared', signer: SIGNER },
  };
  const verify = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', bundle, ...pinned(), path('artifact')];
  expect((await json(...verify)).basis).toMatchObject(fields);
  expect((await runLine([...verify, '--details'], { HOME: folder })).stdout).toMatch(
    new RegExp(`human_review\\.reviewer +${ANN}  \\(${text}\\)`),
  );
  const { content } = await json('inspect', bundle);
  expect(content.content.basis).toMatchObject(fields);
  expect(content.signer.certificate.basis).toMatchObject({ 'claims.model_id': basis });
  expect((await runLine(['inspect', bundle])).stdout).toContain(`human_review.reviewer: ${text}`);

  const says = await markBy(bundle);
  const isReviewed = source === 'review-event';
  expect(says).toMatchObject({
    'colophon:ai:basis': source === 'declared' || source === 'witness-same-host' ? 'declared' : 'verified',
    'colophon:ai:basis:agent': text,
    'colophon:ai:basis:model': text,
    'colophon:ai:basis:prompt': text,
    'colophon:ai:basis:generated_at': 'log',
    'colophon:ai:basis:content': text,
  });
  expect(says['colophon:ai:reviewed_by']).toBe(isReviewed ? ANN : undefined);
  expect(says['colophon:ai:basis:reviewed_by']).toBe(isReviewed ? text : undefined);
  expect(JSON.stringify(says).includes(ANN)).toBe(isReviewed);
});

test.each([
  ['the reviewer', `reviewer:${ANN}`, true],
  ['another reviewer in her name', 'reviewer:bob@example.com', false],
  ['a review service that certifies nobody', 'reviews:issuer.example', false],
])('a review signed by %s', async (_title, subject, counts) => {
  const says = await markBy(runFrom('declared'), reviewBy(subject));
  expect(says['colophon:ai:reviewed_by']).toBe(counts ? ANN : undefined);
  expect(says['colophon:ai:basis:reviewed_by']).toBe(counts ? `review, signed by ${subject}` : undefined);
});

test('a confirmed review event falls by the reviewer’s own rejection', async () => {
  const says = await markBy(runFrom('review-event'), reviewBy(`reviewer:${ANN}`, 'rejected'));
  expect(says).not.toHaveProperty('colophon:ai:reviewed_by');
});

test('a document that says what its fields rest on is read again, and a false basis is refused', async () => {
  await markBy(runFrom('witness-isolated'));
  const marked = readFileSync(path('marked.json'), 'utf8');
  expect((await runLine(['sbom', 'validate', path('marked.json')], { HOME: folder })).stdout).not.toContain(
    'sbom.ai_field',
  );
  const forged = file('forged.json', Buffer.from(marked.replace('witness-isolated, signed by', 'trusted, signed by')));
  const ran = await runLine(['sbom', 'validate', forged, '--output', 'json'], { HOME: folder });
  expect(JSON.stringify(documentOf(ran))).toContain('sbom.ai_field_invalid');
});
