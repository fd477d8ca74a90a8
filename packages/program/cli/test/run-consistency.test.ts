import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentRunType, STATEMENT_TYPE, type Statement } from '@colophon/records';
import { attestImage, imageToFetch, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignSigner } from './foreign-signer.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let report: string;

const OTHER = 'f'.repeat(40);
const TIME = '2026-11-21T12:00:00Z';
const ADDRESS = 'https://github.com/acme/webshop';
const FULL = [...CONTEXT, '--review-timestamp', TIME, '--repo-uri', ADDRESS];
const TOKEN_REQUEST = {
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'large-model-2026-05-14',
  model_provider: 'anthropic',
  prompt_hash: '5a'.repeat(32),
  policy_pack_hash: 'c3'.repeat(32),
  human_reviewer: 'alice@example.com',
  review_timestamp: TIME,
  repo: 'acme/webshop',
  repo_uri: ADDRESS,
  commit_sha: COMMIT,
};
const RUN = { ...AGENT_RUN, git: { ...AGENT_RUN.git, repo: 'acme/webshop', repo_uri: `${ADDRESS}.git` } };

/** One contradiction for each claim, and two that hide: a subject, and an address against a name. */
const CONTRADICTIONS: ReadonlyArray<readonly [path: string, run: object, gitCommit: string]> = [
  ['/agent/name', { ...RUN, agent: { ...RUN.agent, name: 'code-fixer' } }, COMMIT],
  ['/agent/version', { ...RUN, agent: { ...RUN.agent, version: '2.4.2' } }, COMMIT],
  ['/model/id', { ...RUN, model: { ...RUN.model, id: 'better-model' } }, COMMIT],
  ['/model/provider', { ...RUN, model: { ...RUN.model, provider: 'other' } }, COMMIT],
  ['/input/prompt_hash', { ...RUN, input: { prompt_hash: `sha256:${'00'.repeat(32)}` } }, COMMIT],
  ['/policy/pack_hash', { ...RUN, policy: { pack_hash: `sha256:${'00'.repeat(32)}` } }, COMMIT],
  ['/human_review/reviewer', { ...RUN, human_review: { ...RUN.human_review, reviewer: 'bob@example.com' } }, COMMIT],
  [
    '/human_review/reviewed_at',
    { ...RUN, human_review: { ...RUN.human_review, reviewed_at: '2026-11-21T12:00:01Z' } },
    COMMIT,
  ],
  ['/git/repo', { ...RUN, git: { ...RUN.git, repo: 'acme/other' } }, COMMIT],
  ['/git/repo_uri', { ...RUN, git: { ...RUN.git, repo_uri: 'https://github.com/evil/webshop' } }, COMMIT],
  ['/git/commit_sha', { ...RUN, git: { ...RUN.git, commit_sha: OTHER } }, COMMIT],
  ['/subject/1/digest/gitCommit', RUN, OTHER],
];

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

/** A statement about the report; a second subject names a commit. */
function statementOf(predicate: object, gitCommit = COMMIT): Statement {
  return {
    _type: STATEMENT_TYPE,
    subject: [
      { name: 'report.txt', digest: { sha256: sha256('built') } },
      { name: 'head', digest: { gitCommit } },
    ],
    predicateType: agentRunType(),
    predicate,
  };
}

const pathsOf = ({ issues }: { issues: ReadonlyArray<{ path: string }> }) => issues.map(({ path }) => path);
const counts = async () => {
  const { entries } = await here.document('log', 'search', '--artifact', report).catch(() => ({ entries: [] }));
  return { tokens: (await here.document('ledger', 'verify')).count, entries: entries?.length };
};

beforeAll(async () => {
  here = await install(cleanup);
  report = here.file('report.txt', 'built');
});
describe('a run that contradicts the one who signs it', () => {
  test.each(CONTRADICTIONS)('%s: is not signed as a statement, and no entry is logged', async (path, run, commit) => {
    const before = await here.run('log', 'search', '--sha', sha256('built'), '--output', 'json');
    const file = here.file('statement.json', statementOf(run, commit));
    const refused = await here.refusal('attest-blob', '--statement', file, ...FULL);
    expect(refused).toMatchObject({ exitCode: 20, code: 'signing.run_contradicted' });
    expect(pathsOf(refused)).toEqual([path]);
    const after = await here.run('log', 'search', '--sha', sha256('built'), '--output', 'json');
    expect(after.stdout).toBe(before.stdout);
  });

  test.each(CONTRADICTIONS.filter(([, , commit]) => commit === COMMIT))(
    '%s: is refused before a token is minted where the predicate is given',
    async (path, run) => {
      const { tokens } = await counts();
      const predicate = here.file('run.json', run);
      const type = ['--type', 'agent-run', '--predicate', predicate];
      const refused = await here.refusal('attest-blob', ...type, ...FULL, report);
      expect(refused).toMatchObject({ exitCode: 20, code: 'signing.run_contradicted' });
      expect(pathsOf(refused)).toEqual([path]);
      const image = await here.push('webshop-refused');
      const ofImage = await here.refusal('attest', ...type, ...FULL, image);
      expect(ofImage).toMatchObject({ exitCode: 20, code: 'signing.run_contradicted' });
      expect((await counts()).tokens).toBe(tokens);
    },
  );

  test.each(CONTRADICTIONS)(
    '%s: signed by another program, it is neither kept nor marks anything',
    async (path, run, commit) => {
      const { bundle } = await foreignSigner(here.url, TOKEN_REQUEST).signStatement(statementOf(run, commit));
      const file = here.file('foreign.json', bundle);
      const refused = await here.refusal('evidence', 'import', file);
      expect(refused).toMatchObject({ code: 'evidence.contradicts_certificate' });
      expect(pathsOf(refused)).toEqual([path]);
      const bom = here.file('bom.json', { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1 });
      const marked = await here.refusal('sbom', 'attribute', bom, ...here.pinned, '--bundle', file);
      expect(marked).toMatchObject({ exitCode: 12, code: 'evidence.contradicts_certificate' });
      expect(pathsOf(marked)).toEqual([path]);
    },
  );

  test.each(CONTRADICTIONS)('%s: signed by another program, it admits nothing', async (path, run, commit) => {
    const reference = await here.push(`webshop${path.replaceAll('/', '-').toLowerCase().replaceAll('_', '-')}`);
    const digest = reference.split('@sha256:')[1] as string;
    const { subject, ...rest } = statementOf(run, commit);
    const statement = { ...rest, subject: [{ name: 'webshop', digest: { sha256: digest } }, ...subject.slice(1)] };
    const client = new RegistryClient();
    const image = await client.resolve(imageToFetch(reference));
    const signer = foreignSigner(here.url, TOKEN_REQUEST);
    await attestImage({ client, image, signer, attestation: { statement } });
    await here.document('review', 'approve', reference, '--reviewer', 'alice@example.com', '--commit-sha', COMMIT);
    const policy = here.file('policy.yaml', policyText(here.url, here.registry));
    const refused = await here.run('admit', reference, '--policy', policy, '--output', 'json');
    expect(refused.exitCode).toBe(20);
    expect(refused.stdout).toContain('admission.run_contradicts_certificate');
  });

  test.each([
    ['complete', RUN],
    ['nearly empty', {}],
    ['with a malformed field', { ...RUN, input: { prompt_hash: 'bad' } }],
  ])('under another base, %s: is neither signed nor kept', async (_, run) => {
    const lie = { ...run, model: { ...RUN.model, id: 'better-model' } };
    const statement = { ...statementOf(lie), predicateType: 'https://other.example/agent-run/v1' };
    const refused = await here.refusal('attest-blob', '--statement', here.file('statement.json', statement), ...FULL);
    expect(refused).toMatchObject({ exitCode: 20, code: 'signing.run_contradicted' });
    expect(pathsOf(refused)).toContain('/model/id');
    const { bundle } = await foreignSigner(here.url, TOKEN_REQUEST).signStatement(statement);
    const kept = await here.refusal('evidence', 'import', here.file('foreign.json', bundle));
    expect(kept).toMatchObject({ code: 'evidence.contradicts_certificate' });
    expect(pathsOf(kept)).toContain('/model/id');
  });

  test('what says the same in other words is signed, kept, admitted and found', async () => {
    const file = here.file('statement.json', statementOf(RUN));
    const bundle = join(here.folder, 'good.sigstore.json');
    await here.document('attest-blob', '--statement', file, ...FULL, '--bundle', bundle);
    expect(readFileSync(bundle, 'utf8')).toContain('dsseEnvelope');
    const { rows } = await here.document('query', `runs where artifact = sha256:${sha256('built')}`);
    // All that contradicted was tried before, and none of it is here.
    expect(rows).toMatchObject([{ statement: { predicate: RUN } }]);
  });
});

/** The statement in a bundle. */
function statementIn(bundle: string): Statement {
  const { payload } = JSON.parse(readFileSync(bundle, 'utf8')).dsseEnvelope;
  return JSON.parse(Buffer.from(payload, 'base64').toString());
}

describe('a run that is filled from the context', () => {
  const FILLED = {
    agent: { name: 'code-writer', version: '2.4.1' },
    model: { id: 'large-model-2026-05-14', provider: 'anthropic' },
    input: { prompt_hash: `sha256:${'5a'.repeat(32)}` },
    policy: { pack_hash: `sha256:${'c3'.repeat(32)}` },
    human_review: { reviewer: 'alice@example.com', reviewed_at: TIME },
    git: { commit_sha: COMMIT },
  };
  const type = ['--type', 'agent-run'];
  const attest = async (...flags: string[]) => {
    const bundle = join(here.folder, 'filled.sigstore.json');
    await here.document('attest-blob', ...type, '--bundle', bundle, ...flags, report);
    return statementIn(bundle).predicate;
  };

  test('flags, a file, and a token that was handed in are the context', async () => {
    expect(await attest(...FULL)).toEqual(FILLED);
    expect(await attest('--context', here.file('context.json', TOKEN_REQUEST))).toEqual(FILLED);
    const token = (await here.run('token', ...FULL)).stdout.trim();
    expect(await attest('--identity-token', token)).toEqual(FILLED);
  });

  test('what only the orchestrator knows is kept, and the rest is filled', async () => {
    const known = {
      model: { temperature: 0.2 },
      tools_invoked: [{ name: 'edit', count: 2 }],
      human_review: { review_duration_seconds: 48, approved: true },
      git: { files_changed: ['src/cart.js'] },
    };
    const predicate = here.file('known.json', known);
    expect(await attest('--predicate', predicate, ...FULL)).toEqual({
      ...FILLED,
      tools_invoked: known.tools_invoked,
      model: { ...FILLED.model, ...known.model },
      human_review: { ...FILLED.human_review, ...known.human_review },
      git: { ...FILLED.git, ...known.git },
    });
  });

  test('of an image too, and it stands for the agent’s signature', async () => {
    const image = await here.push('webshop-filled');
    await here.document('attest', ...type, ...FULL, image);
    await here.document('review', 'approve', image, '--reviewer', 'alice@example.com', '--commit-sha', COMMIT);
    const policy = here.file('policy.yaml', policyText(here.url, here.registry));
    expect((await here.run('admit', image, '--policy', policy)).exitCode).toBe(0);
    const { rows } = await here.document('query', `runs where artifact = ${image.split('@')[1]}`);
    expect(rows).toMatchObject([{ statement: { predicate: FILLED } }]);
  });

  test('what is missing is refused by name with the flag that adds it, and no token is spent', async () => {
    const { tokens } = await counts();
    const six = CONTEXT.slice(0, 6).concat(CONTEXT.slice(8, 14));
    const refused = await here.refusal('attest-blob', ...type, ...six, report);
    expect(refused).toMatchObject({ exitCode: 20, code: 'cli.predicate_invalid' });
    expect(refused.issues).toMatchObject([
      { path: '--model-provider', code: 'cli.option_missing' },
      { path: '--commit-sha', code: 'cli.option_missing' },
    ]);
    expect(refused['next']).toMatch(/ --model-provider NAME --commit-sha SHA$/);
    expect((await counts()).tokens).toBe(tokens);
  });

  test('a token that says otherwise than the predicate is not exchanged', async () => {
    const token = (await here.run('token', ...FULL)).stdout.trim();
    const predicate = here.file('other.json', { model: { id: 'better-model' } });
    const refused = await here.refusal(
      'attest-blob',
      ...type,
      '--predicate',
      predicate,
      '--identity-token',
      token,
      report,
    );
    expect(refused).toMatchObject({ exitCode: 20, code: 'signing.run_contradicted' });
    expect(refused.issues).toMatchObject([
      { path: '/model/id', expected: 'large-model-2026-05-14', found: 'better-model' },
    ]);
    expect(JSON.stringify(refused)).not.toContain(token);
  });

  test('a key, or nobody, fills nothing', async () => {
    expect(await here.refusal('attest-blob', ...type, report)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
    expect(await here.refusal('attest-blob', ...type, '--key', 'k', report)).toMatchObject({ code: 'cli.usage' });
    expect(await here.refusal('attest-blob', ...FULL, report)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });
});

test.each([
  ['acme/webshop', 'https://github.com/evil/webshop'],
  ['acme/webshop', 'https://github.com/acme/other.git'],
  ['acme/webshopp', ADDRESS],
  ['acme/webshop', 'https://evil.example/webshop'],
  ['acme/webshop', 'https://evil.example/'],
  ['acme/webshop', 'https://github.com/evil/acme/webshop'],
  ['acme/webshop', 'https://github.com/acme/evil/webshop'],
])('a request that calls its repository %s and %s is refused', async (repo, address) => {
  const context = CONTEXT.map((word) => (word === 'acme/webshop' ? repo : word));
  const refused = await here.refusal('sign-blob', ...context, '--repo-uri', address, report);
  expect(refused).toMatchObject({ exitCode: 20, code: 'issuer.refused' });
  expect(refused.message).toContain('[issuance.claim_contradicted] (field repo_uri)');
});
