import { createHash } from 'node:crypto';
import { DEFAULT_PREDICATE_BASE, type Statement, type VerifiedSignature } from '@colophon/records';
import { type Database, openDatabase } from '@colophon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { MAX_PREDICATE_BYTES } from '../import/evidence-columns.ts';
import { QUERY_FIELDS, QUERY_SETS } from '../query/query-field.ts';
import { createEvidence, type Evidence } from './evidence.ts';
import { MAX_ANSWER_BYTES } from './query-answer.ts';

const SHA256 = 'a'.repeat(64);
const COMMIT = '1'.repeat(40);
const RUN = {
  agent: { name: 'code-writer', version: '1.4.0' },
  model: { id: 'model-x-2026', provider: 'acme-ai', temperature: 0.5, max_tokens: 4096 },
  input: { prompt_hash: `sha256:${'c'.repeat(64)}`, context_token_count: 812 },
  policy: { pack_hash: `sha256:${'d'.repeat(64)}`, rules_evaluated: 12, rules_violated: 0 },
  human_review: {
    reviewer: 'dana@example.com',
    reviewed_at: '2026-11-21T09:00:00Z',
    review_duration_seconds: 75,
    approved: true,
  },
  git: { commit_sha: COMMIT, lines_added: 10, lines_removed: 2 },
};
const REVIEW = { human_reviewer: 'dana@example.com', review_timestamp: '2026-11-21T09:00:00Z', decision: 'approved' };

let logIndex = 0;

function verified(more: Partial<VerifiedSignature> = {}): VerifiedSignature {
  const claims = { repo: 'acme/app', commit_sha: COMMIT };
  return {
    certificate_identity: {
      issuer: 'https://issuer.example',
      subject: 'agent:code-writer',
      claims,
      sources: { repo: 'declared' },
    },
    log_entry: { log_index: logIndex++, log_id: 'ee', integrated_at: '2026-11-21T10:00:00Z' },
    ...more,
  };
}

function statement(predicateType: string, predicate: unknown, sha256 = SHA256): Statement {
  const subject = [{ name: 'app', digest: { sha256 } }];
  return { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
}

/** A run, by a certificate that says the same as the predicate unless `by` says otherwise. */
function run(
  predicate: unknown = RUN,
  sha256 = SHA256,
  by?: Partial<VerifiedSignature['certificate_identity']>,
): VerifiedSignature {
  const { agent, git } = (predicate ?? RUN) as typeof RUN;
  const { certificate_identity: identity } = verified();
  const claims = { repo: 'acme/app', agent_name: agent.name, commit_sha: git.commit_sha };
  return verified({
    certificate_identity: { ...identity, claims, ...by },
    statement: statement(`${DEFAULT_PREDICATE_BASE}/agent-run/v1`, predicate, sha256),
  });
}
/** A review, signed by the reviewer whom it names unless `subject` says otherwise. */
const review = (predicate: unknown = REVIEW, subject = `reviewer:${(predicate as typeof REVIEW).human_reviewer}`) =>
  verified({
    certificate_identity: {
      issuer: 'https://issuer.example',
      subject,
      claims: subject.startsWith('reviews:') ? { human_reviewer: 'dana@example.com' } : {},
      sources: {},
    },
    statement: statement(`${DEFAULT_PREDICATE_BASE}/agent-review/v1`, predicate),
  });

const bytesOf = (text: string) => new TextEncoder().encode(text);

let db: Database;
let evidence: Evidence;
let answer: () => VerifiedSignature;

beforeEach(() => {
  db = openDatabase(':memory:');
  evidence = createEvidence({ db, verify: () => answer(), maxBundleBytes: 1000, clock: { now: () => 1_000 } });
});
afterEach(() => db.close());

let nextBundle = 0;
async function keep(signature: VerifiedSignature) {
  answer = () => signature;
  return evidence.importBundle(bytesOf(`bundle ${nextBundle++}`));
}

function ask(text: string) {
  const result = evidence.query(text);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

describe('importing a bundle', () => {
  it('keeps runs and reviews under its own base and under the placeholder, and others as attestations', async () => {
    const predicateBase = 'https://acme.example/p';
    evidence = createEvidence({ db, verify: () => answer(), predicateBase });
    const under = (base: string, of: VerifiedSignature, kind: string) =>
      keep({ ...of, statement: { ...of.statement!, predicateType: `${base}/${kind}/v1` } });
    for (const base of [predicateBase, DEFAULT_PREDICATE_BASE]) {
      expect(await under(base, run(), 'agent-run')).toMatchObject({ kind: 'run' });
      expect(await under(base, review(), 'agent-review')).toMatchObject({ kind: 'review' });
    }
    expect(await under('https://other.example/p', review(), 'agent-review')).toMatchObject({ kind: 'attestation' });
  });

  it('keeps what was verified, and the bundle byte for byte', async () => {
    answer = () => run();
    const bytes = bytesOf('{"the": "bundle"}');
    const imported = await evidence.importBundle(bytes);
    const id = createHash('sha256').update(bytes).digest('hex');
    expect(imported).toMatchObject({ id, kind: 'run', isNew: true });
    expect(Buffer.from(evidence.bundle(id)!)).toEqual(Buffer.from(bytes));
    expect(evidence.bundle('f'.repeat(64))).toBeUndefined();
    expect(evidence.bundle('../x')).toBeUndefined();
    const { rows } = ask('runs');
    expect(rows).toEqual([
      {
        id,
        kind: 'run',
        log_entry: imported.log_entry,
        certificate_identity: run().certificate_identity,
        statement: run().statement,
        basis: expect.objectContaining({
          'claims.repo': { source: 'declared', signer: 'agent:code-writer' },
          'human_review.reviewer': { source: 'declared', signer: 'agent:code-writer' },
        }),
      },
    ]);
  });

  it('keeps the same bundle once', async () => {
    answer = () => run();
    const first = await evidence.importBundle(bytesOf('same'));
    const second = await evidence.importBundle(bytesOf('same'));
    expect([first.isNew, second.isNew, second.id]).toEqual([true, false, first.id]);
    expect(ask('entries').rows).toHaveLength(1);
  });

  it('keeps the same bundle once when it comes many times at once', async () => {
    answer = () => run();
    const all = await Promise.all(Array.from({ length: 20 }, () => evidence.importBundle(bytesOf('same'))));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(ask('artifacts').rows).toMatchObject([{ entry_count: 1 }]);
  });

  it('keeps the bytes that were verified, whatever becomes of the caller’s', async () => {
    const bytes = bytesOf('honest');
    evidence = createEvidence({
      db,
      verify: (seen) => {
        expect(Buffer.from(seen).toString()).toBe('honest');
        bytes.set(bytesOf('forged'));
        return run();
      },
    });
    const { id } = await evidence.importBundle(bytes);
    expect(Buffer.from(evidence.bundle(id)!).toString()).toBe('honest');
  });

  it('hands the artifact’s digest to the verifier', async () => {
    const seen: unknown[] = [];
    evidence = createEvidence({
      db,
      verify: (_bundle, options) => {
        seen.push(options);
        return verified({ artifact_digest: `sha256:${SHA256}` });
      },
    });
    await evidence.importBundle(bytesOf('a'), { artifactSha256: SHA256 });
    await evidence.importBundle(bytesOf('b'));
    expect(seen).toEqual([{ artifactSha256: SHA256 }, {}]);
  });

  it.each([
    ['does not verify', 'signature.invalid', 'evidence.not_verified'],
    ['is no bundle', 'bundle.malformed', 'evidence.bundle_malformed'],
  ])('that %s writes nothing and says why', async (_title, reason, code) => {
    answer = () => {
      throw Object.assign(new Error('no'), { code: reason });
    };
    await expect(evidence.importBundle(bytesOf('x'))).rejects.toMatchObject({ name: 'EvidenceError', code, reason });
    expect(ask('entries').rows).toEqual([]);
    expect(EvidenceError.codes).toContain(code);
  });

  it('passes on what is no fault of the bundle', async () => {
    answer = () => {
      throw new RangeError('bug');
    };
    await expect(evidence.importBundle(bytesOf('x'))).rejects.toThrow(RangeError);
  });

  it('takes a bundle of the greatest size, and not one byte more, which it does not even verify', async () => {
    answer = () => run();
    await evidence.importBundle(new Uint8Array(1000));
    answer = () => expect.fail('it was verified');
    await expect(evidence.importBundle(new Uint8Array(1001))).rejects.toMatchObject({ code: 'evidence.too_large' });
  });

  it.each([
    ['a run', run({ ...RUN, model: { id: 'x' } }), '/model/provider'],
    ['a run', run(null), ''],
    ['a review', review({ human_reviewer: '', review_timestamp: 'x' }), '/human_reviewer'],
  ])('refuses %s without what its type promises: %#', async (_title, signature, path) => {
    const error = await keep(signature).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(EvidenceError);
    expect((error as EvidenceError).code).toBe('evidence.statement_malformed');
    expect((error as EvidenceError).issues.map((issue) => issue.path)).toContain(path);
    expect(ask('entries').rows).toEqual([]);
  });

  const OTHER = '2'.repeat(40);

  it.each([
    ['another agent by the claim', { agent_name: 'fixer' }, 'agent:code-writer', ['/agent/name']],
    ['another agent by the subject', {}, 'agent:fixer', ['/agent/name']],
    ['another agent by the subject, the claim unknown', { agent_name: 'unknown' }, 'agent:fixer', ['/agent/name']],
    ['another commit', { commit_sha: OTHER }, 'agent:code-writer', ['/git/commit_sha']],
    ['both', { commit_sha: OTHER }, 'agent:fixer', ['/agent/name', '/git/commit_sha']],
    ['another model', { model_id: 'other' }, 'agent:code-writer', ['/model/id']],
    [
      'another prompt and policy',
      { prompt_hash: '0', policy_pack_hash: '0' },
      'agent:code-writer',
      ['/input/prompt_hash', '/policy/pack_hash'],
    ],
    ['no agent', {}, 'https://ci.example/build', ['/agent/name']],
    ['no agent but unknown', { agent_name: 'unknown', commit_sha: '' }, 'x', ['/agent/name']],
  ])('refuses a run whose certificate says %s', async (_title, claims, subject, paths) => {
    const error = await keep(run(RUN, SHA256, { subject, claims })).catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'evidence.contradicts_certificate' });
    expect((error as EvidenceError).issues.map(({ path }) => path)).toEqual(paths);
    expect(EvidenceError.codes).toContain('evidence.contradicts_certificate');
    expect(ask('entries').rows).toEqual([]);
  });

  it.each([
    ['nothing but the agent', {}, 'agent:code-writer'],
    ['nothing but unknown', { agent_name: 'unknown', commit_sha: '' }, 'agent:code-writer'],
    ['the name in its claim alone', { agent_name: 'code-writer' }, 'agent:1234'],
  ])('keeps a run whose certificate says %s to the contrary', async (_title, claims, subject) => {
    await keep(run(RUN, SHA256, { subject, claims }));
    expect(ask('runs where agent = code-writer').rows).toHaveLength(1);
  });

  it.each([
    ['run', (comment: string) => run({ ...RUN, comment }), { ...RUN, comment: '' }],
    ['review', (comment: string) => review({ ...REVIEW, comment }), { ...REVIEW, comment: '' }],
  ])('takes a %s with a predicate of the greatest size, and not one byte more', async (_title, signed, bare) => {
    const room = MAX_PREDICATE_BYTES - JSON.stringify(bare).length;
    await keep(signed('x'.repeat(room)));
    await expect(keep(signed('x'.repeat(room + 1)))).rejects.toMatchObject({ code: 'evidence.too_large' });
    await expect(keep(signed(`\u00e9${'x'.repeat(room - 1)}`))).rejects.toMatchObject({ code: 'evidence.too_large' });
    expect(ask('entries').rows).toHaveLength(1);
  });

  it('takes other attestations of any size that a bundle has', async () => {
    const predicate = { text: 'x'.repeat(MAX_PREDICATE_BYTES) };
    await keep(verified({ statement: statement('https://slsa.dev/provenance/v1', predicate) }));
    expect(ask('entries').rows).toHaveLength(1);
  });

  it('refuses a log entry without a time', async () => {
    const log = { log_index: 1, log_id: 'ee', integrated_at: 'never' };
    await expect(keep(verified({ log_entry: log }))).rejects.toMatchObject({ code: 'evidence.statement_malformed' });
  });

  it('tells signatures, runs, reviews and other attestations apart', async () => {
    await keep(verified({ artifact_digest: `sha256:${SHA256}` }));
    await keep(run());
    await keep(review());
    await keep(verified({ statement: statement('https://slsa.dev/provenance/v1', {}) }));
    await keep(verified());
    await keep(review(REVIEW, 'agent:code-writer'));
    await keep(review(REVIEW, 'reviewer:eve@example.com'));
    await keep(review(REVIEW, 'dana@example.com'));
    await keep(review(REVIEW, 'reviews:issuer.example'));
    const kinds = (text: string) => ask(text).rows.map((row) => ('kind' in row ? row.kind : ''));
    const claims = ['review-claim', 'review-claim', 'review-claim'];
    const all = ['signature', 'run', 'review', 'attestation', 'signature', ...claims, 'review'];
    expect(kinds('entries order by index')).toEqual(all);
    expect(kinds('runs')).toEqual(['run']);
    expect(kinds('reviews')).toEqual(['review', 'review']);
    expect(kinds('review-claims')).toEqual(claims);
    expect(ask('artifacts where human_reviewer = dana@example.com').rows).toHaveLength(1);
    expect(ask('reviews where subject = reviewer:eve@example.com').rows).toEqual([]);
    expect(kinds('entries where type = "https://slsa.dev/provenance/v1"')).toEqual(['attestation']);
    expect(ask('artifacts').rows).toEqual([
      {
        digest: `sha256:${SHA256}`,
        name: 'app',
        first_seen_at: '2026-11-21T10:00:00Z',
        last_seen_at: '2026-11-21T10:00:00Z',
        entry_count: 8,
      },
    ]);
    expect(ask('commits').rows).toMatchObject([{ commit_sha: COMMIT, entry_count: 1 }]);
  });

  it('survives a restart', async () => {
    await keep(run());
    const again = createEvidence({ db, verify: () => run() });
    expect(again.query('runs')).toMatchObject({ ok: true, value: { rows: [{ kind: 'run' }] } });
  });
});

describe('asking', () => {
  beforeEach(async () => {
    await keep(run());
    const short = { ...RUN.human_review, review_duration_seconds: 12, approved: false, reviewer: 'eve@example.com' };
    await keep(run({ ...RUN, agent: { name: 'fixer', version: '2' }, human_review: short }, 'b'.repeat(64)));
    const { human_review: _, ...unreviewed } = RUN;
    await keep(run({ ...unreviewed, git: { commit_sha: '2'.repeat(40) } }, 'e'.repeat(64)));
    await keep(review());
    await keep(
      review({ ...REVIEW, human_reviewer: 'eve@example.com', review_timestamp: 'yesterday', commit_sha: COMMIT }),
    );
  });

  const agents = (text: string) =>
    ask(text).rows.map((row) => {
      const { agent } = (row as { statement: { predicate: typeof RUN } }).statement.predicate;
      return agent.name;
    });

  it.each([
    ['runs where review.duration < 60s', ['fixer']],
    ['runs where human_review.review_duration_seconds < 60', ['fixer']],
    ['runs where review.duration >= 12s order by review.duration', ['fixer', 'code-writer']],
    ['runs where review.duration >= 12s order by review.duration desc limit 1', ['code-writer']],
    ['runs where review.duration > 75s', []],
    ['runs where review.duration != 75s', ['fixer']],
    ['runs where review.duration in (12s, 13s)', ['fixer']],
    ['runs where agent = fixer or review.duration = 75', ['code-writer', 'fixer']],
    ['runs where agent = fixer and review.duration = 75', []],
    ['runs where agent ~ "code-.*" order by index', ['code-writer', 'code-writer']],
    ['runs where agent ~ code', []],
    ['runs where reviewer ~ ".*@example\\\\.com" order by agent', ['code-writer', 'fixer']],
    ['runs where approved = true', ['code-writer']],
    [
      'runs where review.time >= 2026-11-21T09:00:00Z and review.time < 2026-11-22 order by agent',
      ['code-writer', 'fixer'],
    ],
    ['runs where model.temperature = 0.5 and agent = fixer', ['fixer']],
    [`runs where commit = ${'2'.repeat(40)}`, ['code-writer']],
    [`runs where artifact = sha256:${'b'.repeat(64)}`, ['fixer']],
    [`runs where artifact.name = app and agent = fixer`, ['fixer']],
    ['runs where claims.repo = acme/app and agent = fixer', ['fixer']],
    ['runs where claims.repo = acme/other', []],
    ['runs where sources.repo = declared and agent = fixer', ['fixer']],
    ['runs where sources.commit_sha = declared', []],
    ['runs where issuer = "https://issuer.example" and subject = agent:code-writer and agent = fixer', ['fixer']],
    [`runs where prompt = ${'c'.repeat(64)} and policy = ${'d'.repeat(64)} and agent = fixer`, ['fixer']],
    ['runs where agent = "x\' or 1=1 --"', []],
  ])('%s', (text, expected) => {
    const found = agents(text);
    expect(text.includes('order by') ? found : found.sort()).toEqual(expected);
  });

  it.each([
    ['reviews where decision = approved', 2],
    ['reviews where review_timestamp > 2026-01-01', 1],
    [`reviews where commit_sha = ${COMMIT}`, 1],
    ['reviews where reviewer = eve@example.com', 1],
    ['entries where kind = run', 3],
    ['entries where kind in (run, review) and time >= 2026-11-21', 5],
    ['artifacts where review.duration < 60s', 1],
    ['artifacts where agent = code-writer and human_reviewer = eve@example.com', 1],
    ['artifacts where agent = fixer and human_reviewer = eve@example.com', 0],
    ['artifacts where human_reviewer ~ "eve@.*"', 1],
    ['artifacts where reviewer = eve@example.com', 1],
    ['commits where reviewer = eve@example.com', 1],
    ['commits where reviewer = dana@example.com', 0],
    ['commits where human_review.reviewer = dana@example.com', 1],
    ['review-claims', 0],
    [`entries where commit = ${COMMIT} and kind = review`, 1],
    [`entries where commit_sha in (${COMMIT}, ${'2'.repeat(40)})`, 4],
    ['artifacts where claims.repo = acme/app order by sha256', 3],
    ['artifacts where name = app and last_seen < 2026-11-22', 3],
    [`commits where commit = ${COMMIT}`, 1],
    ['commits where agent = fixer', 1],
    ['commits where agent = code-writer order by first_seen', 2],
    [`commits where artifact = ${'e'.repeat(64)}`, 1],
  ])('%s finds %i', (text, count) => {
    expect(ask(text).rows).toHaveLength(count);
  });

  it('says when there is more than the limit, and not when there is not', () => {
    expect(ask('runs limit 2')).toMatchObject({ limit: 2, more: true, rows: [{}, {}] });
    expect(ask('runs limit 3')).toMatchObject({ limit: 3, more: false });
    expect(ask('artifacts limit 1')).toMatchObject({ set: 'artifacts', more: true });
    expect(ask('commits limit 1')).toMatchObject({ set: 'commits', more: true });
  });

  it('stops where the answer would be too large, and says that there is more', async () => {
    const large = { text: 'x'.repeat(1024 * 1024) };
    const size = (rows: readonly unknown[]) => Buffer.byteLength(JSON.stringify(rows));
    const keepLarge = () => keep(verified({ statement: statement('https://slsa.dev/provenance/v1', large) }));
    for (let i = 0; i < 7; i++) await keepLarge();
    expect(ask('entries where kind = attestation')).toMatchObject({ more: false, rows: { length: 7 } });
    for (let i = 0; i < 3; i++) await keepLarge();
    const { more, rows } = ask('entries where kind = attestation');
    expect(more).toBe(true);
    expect(rows).toHaveLength(7);
    expect(size(rows)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    // The store is as it was: a question that was left in the middle holds nothing up.
    await keep(run());
    expect(ask('entries where kind = run').rows).toHaveLength(4);
  });

  it('says what is wrong with a question', () => {
    expect(evidence.query('runs where agnet = a')).toMatchObject({ ok: false, issues: [{ didYouMean: 'agent' }] });
    expect(evidence.explain('runs where agnet = a')).toEqual([]);
  });

  it('the first question is answered over an index, not by reading everything', () => {
    const [first] = evidence.explain('runs where review.duration < 60s');
    expect(first).toMatch(/^SEARCH run USING (COVERING )?INDEX evidence_run_review_duration_seconds/);
    expect(evidence.explain('runs where review.duration < 60s').join('\n')).not.toContain('SCAN');
    expect(evidence.explain('artifacts where review.duration < 60s').join('\n')).not.toContain('SCAN');
  });

  it.each(QUERY_SETS)('every field of %s is a column that SQLite knows', (set) => {
    for (const { name, type } of QUERY_FIELDS[set]) {
      const value = { text: 'x', digest: SHA256, number: '1', duration: '1s', time: '2026-01-01', boolean: 'true' }[
        type
      ];
      expect(() => ask(`${set} where ${name} = ${value}`)).not.toThrow();
    }
  });
});
