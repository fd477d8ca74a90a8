import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_RUN, CONTEXT, type Installation, install } from './installation.ts';

// What is confirmed and what is claimed, through the program: an agent names whom it likes, and nobody takes it for theirs.
const ALICE = 'alice@example.com';
const BOB = 'bob@example.com';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let sbom: string;

beforeAll(async () => {
  here = await install(cleanup);
  sbom = here.file('bom.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    version: 1,
    components: [{ type: 'file', 'bom-ref': 'f', name: 'src/shop.ts' }],
  });
});
const commitOf = (digit: string) => digit.repeat(40);
const replaced = (words: readonly string[], flag: string, value: string) =>
  words.map((word, index) => (words[index - 1] === flag ? value : word));
const contextOf = (commit: string, reviewer = ALICE) =>
  replaced(replaced(CONTEXT, '--commit-sha', commit), '--human-reviewer', reviewer);

/** An agent run over `src/shop.ts` at a commit, which claims in token and predicate that somebody reviewed it. */
async function runAt(commit: string, reviewer = ALICE): Promise<string> {
  const bundle = join(here.folder, `run-${commit.slice(0, 4)}.sigstore.json`);
  const predicate = here.file('run.json', {
    ...AGENT_RUN,
    human_review: { ...AGENT_RUN.human_review, reviewer },
    git: { commit_sha: commit, files_changed: ['src/shop.ts'] },
  });
  const built = here.file(`built-${commit.slice(0, 4)}.txt`, `built ${commit}`);
  const type = ['--type', 'agent-run', '--predicate', predicate, '--bundle', bundle];
  await here.document('attest-blob', ...type, ...contextOf(commit, reviewer), built);
  return bundle;
}

/** What an agent signs as if it were a review. */
async function selfMadeReview(commit: string, agent = 'code-writer'): Promise<string> {
  const predicate = here.file('self.json', {
    human_reviewer: ALICE,
    review_timestamp: '2026-11-21T12:00:00Z',
    decision: 'approved',
    commit_sha: commit,
  });
  const bundle = join(here.folder, `self-${agent}-${commit.slice(0, 4)}.sigstore.json`);
  const built = here.file(`self-${commit.slice(0, 4)}.txt`, `self ${commit}`);
  const context = replaced(contextOf(commit), '--agent-name', agent);
  await here.document(
    'attest-blob',
    '--type',
    'agent-review',
    '--predicate',
    predicate,
    '--bundle',
    bundle,
    ...context,
    built,
  );
  return bundle;
}

async function review(decision: 'approve' | 'reject', commit: string, reviewer = ALICE): Promise<string> {
  const bundle = join(here.folder, `${decision}-${reviewer}-${commit.slice(0, 4)}.sigstore.json`);
  const built = here.file(`built-${commit.slice(0, 4)}.txt`, `built ${commit}`);
  const about = ['--reviewer', reviewer, '--commit-sha', commit, '--bundle', bundle];
  await here.document('review', decision, ...about, built);
  return bundle;
}

/** What the marked component says, and what the command reported. */
async function marked(...by: string[]) {
  const out = join(here.folder, 'marked.cdx.json');
  const record = await here.document('sbom', 'attribute', sbom, ...by, ...here.pinned, '--out', out);
  const text = readFileSync(out, 'utf8');
  const properties = (JSON.parse(text).components[0].properties ?? []) as Array<{ name: string; value: string }>;
  return { text, record, says: Object.fromEntries(properties.map(({ name, value }) => [name, value])) };
}

describe('the reviewer in an SBOM', () => {
  test('an agent that names one in its own request: nobody', async () => {
    await runAt(commitOf('1'), BOB);
    const { text, says } = await marked('--commit', commitOf('1'));
    expect(says).toMatchObject({ 'colophon:ai:agent': 'code-writer' });
    expect(says).not.toHaveProperty('colophon:ai:reviewed_by');
    expect(says).not.toHaveProperty('colophon:ai:reviewed_at');
    expect(text).not.toContain('@example.com');
  });

  test('an agent that signs a review of its own: nobody', async () => {
    const run = await runAt(commitOf('2'));
    const claimed = await selfMadeReview(commitOf('2'), 'unlisted');
    for (const by of [
      ['--commit', commitOf('2')],
      ['--bundle', run],
    ]) {
      expect((await marked(...by)).text).not.toContain('@example.com');
    }
    expect(
      (await here.refusal('sbom', 'attribute', sbom, '--bundle', run, '--bundle', claimed, ...here.pinned)).code,
    ).toBe('identity.subject_mismatch');
  });

  test.each(['store', 'bundle'])('alice’s own signature over that commit, from the %s: alice', async (from) => {
    const commit = commitOf(from === 'store' ? '3' : '4');
    const run = await runAt(commit);
    const approval = await review('approve', commit);
    const by = from === 'store' ? ['--commit', commit] : ['--bundle', run, '--bundle', approval];
    const { says, record } = await marked(...by);
    expect(says).toMatchObject({
      'colophon:ai:reviewed_by': ALICE,
      'colophon:ai:basis:reviewed_by': `review, signed by reviewer:${ALICE}`,
      'colophon:ai:basis:reviewed_at': `review, signed by reviewer:${ALICE}`,
      'colophon:ai:basis:agent': 'declared, signed by agent:code-writer',
      'colophon:ai:basis:model': 'declared, signed by agent:code-writer',
      // A mark is worth what the least of its fields is.
      'colophon:ai:basis': 'declared',
    });
    expect(record.supported[0].attribution.field_basis.reviewed_by).toEqual({
      source: 'review',
      signer: `reviewer:${ALICE}`,
    });
  });

  test('her approval alone: there is no run to mark by, and it says what the bundle holds', async () => {
    const approval = await review('approve', commitOf('b'));
    const refused = await here.refusal('sbom', 'attribute', sbom, '--bundle', approval, ...here.pinned);
    expect(refused).toEqual({
      exitCode: 10,
      code: 'evidence.no_run',
      message: 'there is no agent run to mark by',
      checked: approval,
      expected: 'a bundle with an agent-run attestation beside it',
      found: '1 review',
    });
  });

  test('her rejection: nobody', async () => {
    await runAt(commitOf('5'));
    await review('reject', commitOf('5'));
    expect((await marked('--commit', commitOf('5'))).text).not.toContain('@example.com');
  });

  test('her approval, and then her rejection: nobody; bob’s approval stays his', async () => {
    await runAt(commitOf('6'));
    await review('approve', commitOf('6'));
    await review('reject', commitOf('6'));
    expect((await marked('--commit', commitOf('6'))).text).not.toContain('@example.com');
    await review('approve', commitOf('6'), BOB);
    expect((await marked('--commit', commitOf('6'))).says).toMatchObject({ 'colophon:ai:reviewed_by': BOB });
  });

  test('her approval of another commit: nobody', async () => {
    const run = await runAt(commitOf('7'));
    const other = await review('approve', commitOf('8'));
    expect((await marked('--commit', commitOf('7'))).text).not.toContain('@example.com');
    expect((await marked('--bundle', run, '--bundle', other)).text).not.toContain('@example.com');
  });
});

describe('query', () => {
  const ask = async (question: string) => (await here.document('query', question)).rows;

  test('reviews holds what reviewers signed, and another set what agents say that they did', async () => {
    const commit = commitOf('9');
    await runAt(commit);
    await selfMadeReview(commit, 'unlisted');
    expect(await ask(`reviews where commit = ${commit}`)).toEqual([]);
    expect(await ask(`commits where human_reviewer = ${ALICE} and commit = ${commit}`)).toEqual([]);
    expect(await ask(`commits where reviewer = ${ALICE} and commit = ${commit}`)).toEqual([]);
    expect(await ask(`review-claims where reviewer = ${ALICE} and commit = ${commit}`)).toMatchObject([
      {
        kind: 'review-claim',
        certificate_identity: { subject: 'agent:unlisted' },
        basis: { human_reviewer: { source: 'declared', signer: 'agent:unlisted' } },
      },
    ]);
    await review('approve', commit);
    expect(await ask(`reviews where reviewer = ${ALICE} and commit = ${commit}`)).toMatchObject([
      { kind: 'review', basis: { human_reviewer: { source: 'review', signer: `reviewer:${ALICE}` } } },
    ]);
    expect(await ask(`commits where reviewer = ${ALICE} and commit = ${commit}`)).toHaveLength(1);
  });

  test('the table says what each name rests on', async () => {
    const commit = commitOf('a');
    await runAt(commit);
    await review('approve', commit);
    const table = async (set: string) => (await here.run('query', `${set} where commit = ${commit}`, '--wide')).stdout;
    expect(await table('runs')).toContain(`${ALICE} (declared)`);
    expect(await table('runs')).toContain('large-model-2026-05-14 (declared)');
    expect(await table('reviews')).toContain(`${ALICE} (review)`);
  });

  test('a digest is shown whole on 80 columns, for it is there to be copied', async () => {
    await runAt(commitOf('d'));
    const [{ digest }] = await ask('artifacts limit 1');
    const { stdout } = await here.run('query', 'artifacts limit 1');
    expect(stdout).toContain(digest);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('parts in another order are told their order, and no word is guessed for itself', async () => {
    const { exitCode, stderr } = await here.run('query', 'reviews limit 2 order by time');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('where comes first, then order by, then limit');
    expect(stderr).not.toMatch(/did you mean/i);
  });

  test('a set that is meant is found', async () => {
    expect(await here.refusal('query', 'review_claims')).toMatchObject({ code: 'query.unknown_set' });
    const ran = await here.run('query', 'review_claims');
    expect(ran.stderr).toContain('review-claims');
  });
});
