// The first question of the contract (§2.3) over many runs, beside the same kind of question without an index; and questions
// over as many decisions of webhooks.
// `--records N` (100,000), `--full` for 1,000,000, which takes 20 minutes and 5 GB in the temporary folder.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEvidence } from '@colophon/evidence';
import { SAVED_QUESTION_NAMES, SAVED_QUESTIONS } from '@colophon/evidence/client';
import { agentRunType } from '@colophon/records';
import { EvidenceStore, type NewEvidence, type NewReceipt, openDatabase } from '@colophon/store';
import { QuestionDesk } from '../packages/program/server/src/questions/question-desk.ts';
import { doing } from './measure/progress.ts';
import { COMMON_REASON, createDecision, imageDigest, RARE_REASON } from './query/new-decision.ts';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '100000' }, full: { type: 'boolean', default: false } },
  strict: false,
});
const records = values.full === true ? 1_000_000 : Number(values.records);
if (!Number.isSafeInteger(records) || records < 1 || records > 1_000_000)
  throw new TypeError('--records: 1 to 1000000');

const BATCH = 5000;
const PACK = `sha256:${'d'.repeat(64)}`;
const OLD_PACK = `sha256:${'e'.repeat(64)}`;
const ASKED = 'runs where review.duration < 60s order by review.duration limit 100';
const FOUND_NOTHING = 'runs where review.duration < 0s';
const SCANNED = 'runs where git.lines_removed < 0';

/** One agent run; about one review in fifty took less than a minute. */
function createRun(index: number): NewEvidence {
  const digest = createHash('sha256').update(`run ${index}`).digest();
  const hex = digest.toString('hex');
  const review_duration_seconds = digest[0]! < 5 ? digest[1]! % 60 : 60 + (digest.readUInt16BE(2) % 3600);
  const commit_sha = hex.slice(0, 40);
  // One run in two hundred was answered by another model than was requested; one in ten thousand has an older policy pack.
  const isSubstituted = index % 200 === 0;
  const agent = { name: `agent-${digest[4]! % 20}`, version: '1.4.0' };
  const model = { id: `model-${digest[5]! % 5}`, provider: 'acme-ai' };
  const reviewer = `reviewer-${digest[6]! % 50}@example.com`;
  const reviewedAt = 1_780_000_000_000 + index * 1000;
  const prompt_hash = `sha256:${hex}`;
  const pack_hash = index % 10_000 === 0 ? OLD_PACK : PACK;
  const predicate = {
    agent,
    model,
    input: { prompt_hash },
    policy: { pack_hash, rules_evaluated: 12, rules_violated: 0 },
    human_review: {
      reviewer,
      reviewed_at: new Date(reviewedAt).toISOString(),
      review_duration_seconds,
      approved: true,
    },
    git: { commit_sha, lines_added: digest[7]!, lines_removed: digest[8]! },
  };
  const subject = [{ name: 'app', digest: { sha256: hex } }];
  const predicateType = agentRunType();
  const issuer = 'https://issuer.example';
  return {
    bundle_sha256: digest,
    bundle: digest,
    kind: 'run',
    predicate_type: predicateType,
    issuer,
    subject: `agent:${agent.name}`,
    log_id: 'ee',
    log_index: index,
    integrated_at: reviewedAt + 60_000,
    imported_at: reviewedAt + 60_000,
    identity: JSON.stringify({ issuer, subject: `agent:${agent.name}`, claims: { commit_sha }, sources: {} }),
    statement: JSON.stringify({ _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate }),
    run: {
      agent_name: agent.name,
      agent_version: agent.version,
      model_id: model.id,
      model_provider: model.provider,
      prompt_hash,
      pack_hash,
      rules_evaluated: 12,
      rules_violated: 0,
      reviewer,
      reviewed_at: reviewedAt,
      review_duration_seconds,
      approved: true,
      commit_sha,
      lines_added: digest[7]!,
      lines_removed: digest[8]!,
      model_requested: isSubstituted ? 'model-9' : model.id,
      model_substituted: isSubstituted,
      receipt_hash: prompt_hash,
    },
    claims: [{ claim: 'commit_sha', value: commit_sha, source: 'declared' }],
    artifacts: [{ sha256: hex, name: 'app' }],
    commits: [commit_sha],
  };
}

/** Its receipt, with the model of the run and a small one beside it. */
function createReceipt(index: number, { run, imported_at }: NewEvidence): NewReceipt {
  const { agent_name, agent_version, prompt_hash, pack_hash, model_id, model_requested = '' } = run!;
  const main = { upstream: 'acme-ai', requested: model_requested, served: model_id, answers: 20, output_tokens: 4000 };
  const small = { upstream: 'acme-ai', requested: 'model-small', served: 'model-small', answers: 3, output_tokens: 90 };
  return {
    receipt_hash: prompt_hash,
    run_id: `run-${index}`,
    witness: 'ci',
    place: 'isolated',
    agent_name,
    agent_version,
    prompt_hash,
    pack_hash,
    main_model: model_id,
    imported_at,
    envelope: Buffer.alloc(2000, index % 256),
    models: [
      { ...main, substituted: model_requested !== model_id },
      { ...small, substituted: false },
    ],
  };
}

/** A reviewer's own word about a run's commit; three runs in four have one. */
function createReview(index: number, of: NewEvidence): NewEvidence {
  const { run: _, commits, integrated_at, ...entry } = of;
  const seconds = index % 50 === 1 ? 20 : 300;
  const bundle_sha256 = createHash('sha256').update(`review ${index}`).digest();
  const human_reviewer = `reviewer-${index % 50}@example.com`;
  return {
    ...entry,
    bundle_sha256,
    kind: 'review',
    subject: `reviewer:${human_reviewer}`,
    log_index: index + records,
    integrated_at,
    review: { human_reviewer, commit_sha: commits[0]!, decision: 'approved', review_duration_seconds: seconds },
    commits,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'));
try {
  const file = join(folder, 'evidence.db');
  const db = openDatabase(file);
  // What is measured is the asking: the records need not survive a power cut.
  db.sqlite.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  const store = new EvidenceStore(db, { compileMatcher: () => () => false });
  doing(`${records} runs are written`);
  const started = performance.now();
  for (let from = 0; from < records; from += BATCH) {
    const writes: Promise<unknown>[] = [];
    for (let index = from; index < Math.min(from + BATCH, records); index += 1) {
      const run = createRun(index);
      writes.push(db.write(() => store.add(run)));
      writes.push(db.write(() => store.addReceipt(createReceipt(index, run))));
      if (index % 4 !== 0) writes.push(db.write(() => store.add(createReview(index, run))));
    }
    await Promise.all(writes);
  }
  const seconds = (performance.now() - started) / 1000;
  const megabytes = statSync(file).size / 1e6;
  console.log(
    `${records} runs written in ${seconds.toFixed(1)} s (${Math.round(records / seconds)}/s), ${megabytes.toFixed(0)} MB`,
  );

  doing(`${records} decisions are written`);
  const decisionsStarted = performance.now();
  for (let from = 0; from < records; from += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, records - from) }, (_, index) => from + index);
    await Promise.all(indexes.map((index) => db.write(() => store.addDecision(createDecision(index)))));
  }
  const decisionSeconds = (performance.now() - decisionsStarted) / 1000;
  console.log(`${records} decisions written in ${decisionSeconds.toFixed(1)} s`);

  const evidence = createEvidence({ db, verify: () => Promise.reject(new Error('nothing is imported here')) });
  const report = (text: string, times: number) => {
    doing(`${times} times: ${text}`);
    const durations: number[] = [];
    let rows = 0;
    for (let i = 0; i < times; i += 1) {
      const before = performance.now();
      const result = evidence.query(text);
      durations.push(performance.now() - before);
      if (!result.ok) throw new Error(result.issues[0].message);
      rows = result.value.rows.length;
    }
    durations.sort((a, b) => a - b);
    const median = durations[Math.floor(times / 2)]!;
    console.log(
      `${median.toFixed(2).padStart(9)} ms median, ${durations.at(-1)!.toFixed(2)} worst, ${rows} rows: ${text}`,
    );
    console.log(`             ${evidence.explain(text)[0]}`);
    return median;
  };
  // As people ask: by a process beside the server, which opens the file for each question.
  const desk = new QuestionDesk(file);
  // Its processes keep no other process alive.
  const alive = setInterval(() => {}, 1000);
  const ask = async (name: string, text: string, times: number) => {
    doing(`${times} times: ${name}`);
    await desk.ask(text);
    const durations: number[] = [];
    let rows = 0;
    for (let i = 0; i < times; i += 1) {
      const before = performance.now();
      const result = await desk.ask(text);
      durations.push(performance.now() - before);
      rows = result.ok ? result.value.rows.length : -1;
    }
    durations.sort((a, b) => a - b);
    const [median, worst] = [durations[Math.floor(times / 2)]!, durations.at(-1)!];
    console.log(`${median.toFixed(2).padStart(9)} ms median, ${worst.toFixed(2)} worst, ${rows} rows: ${name}`);
  };
  await ask('beside the server, indexed', ASKED, 51);
  await ask('beside the server, one model that answered', 'runs where models.served = model-3 limit 100', 51);
  for (const condition of [
    'namespace = team-7',
    `digest = ${imageDigest(7)}`,
    `reason = ${COMMON_REASON}`,
    `reason = ${RARE_REASON}`,
    `reason = ${COMMON_REASON} and namespace = team-7`,
    'time >= 2026-05-28',
  ]) {
    const text = `decisions where ${condition} order by time desc limit 100`;
    await ask(`beside the server: ${text}`, text, 51);
  }
  for (const name of SAVED_QUESTION_NAMES) await ask(`saved: ${name}`, SAVED_QUESTIONS[name].ask(PACK), 11);
  desk.close();
  clearInterval(alive);
  const indexed = Math.max(report(ASKED, 51), report(FOUND_NOTHING, 51));
  const scan = report(SCANNED, 5);
  console.log(`${(scan / indexed).toFixed(0)} times ahead of reading everything; the aim is less than 10 ms`);
  db.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
