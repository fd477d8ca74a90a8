import { createHash } from 'node:crypto';
import type { WitnessReceipt } from '@colophon/records';
import { openDatabase } from '@colophon/store';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEvidence, EvidenceError } from '../src/index.ts';
import {
  ARTIFACT,
  bytesOf,
  COMMIT,
  PROMPT,
  type RunChanges,
  receiptOf,
  STRANGER,
  served,
  verifyReceipt,
  WITNESS,
  witnessedRuns,
} from './witnessed-runs.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const envelopeIn = (bytes: Uint8Array) => JSON.parse(text(bytes)!) as Record<string, never> & { payload: string };
const OTHER_HASH = `sha256:${'e'.repeat(64)}`;

describe('a receipt of a listed witness', () => {
  it('is kept under the hash of its payload, byte for byte', async () => {
    const { evidence } = witnessedRuns(onTestFinished);
    const bytes = receiptOf();
    const payload = Buffer.from(envelopeIn(bytes).payload, 'base64');
    const id = createHash('sha256').update(payload).digest('hex');
    expect(evidence.receipt(id)).toBeUndefined();
    expect(await evidence.importReceipt(bytes)).toEqual({ id, isNew: true });
    expect(text(evidence.receipt(id))).toBe(text(bytes));
    for (const other of [`sha256:${id}`, id.toUpperCase(), 'f'.repeat(64), '../x', '']) {
      expect(evidence.receipt(other)).toBeUndefined();
    }
  });

  it('is kept once, as it came first, however its envelope is written or signed again', async () => {
    const { evidence, db } = witnessedRuns(onTestFinished);
    const first = receiptOf();
    // The signature has a random part, so this one is another.
    const [again, spaced] = [receiptOf(), bytesOf(JSON.stringify(envelopeIn(first), null, 2))];
    expect(text(again)).not.toBe(text(first));
    const { id } = await evidence.importReceipt(first);
    for (const bytes of [first, again, spaced]) {
      expect(await evidence.importReceipt(bytes)).toEqual({ id, isNew: false });
    }
    expect(text(evidence.receipt(id))).toBe(text(first));
    expect(db.sqlite.prepare('SELECT count(*) AS n FROM evidence_receipt_model').get()).toEqual({ n: 1 });
  });

  it('is kept once when it comes many times at once', async () => {
    const { evidence } = witnessedRuns(onTestFinished);
    const all = await Promise.all(Array.from({ length: 20 }, () => evidence.importReceipt(receiptOf())));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('is kept as the bytes that were verified, whatever becomes of the caller’s', async () => {
    const db = openDatabase(':memory:');
    onTestFinished(() => db.close());
    const bytes = receiptOf();
    const before = text(bytes);
    const { importReceipt, receipt } = createEvidence({
      db,
      verify: () => expect.fail('no bundle'),
      verifyReceipt: (envelope) => {
        bytes.fill(0x20);
        return verifyReceipt(envelope);
      },
    });
    expect(text(receipt((await importReceipt(bytes)).id))).toBe(before);
  });

  it('stays over a restart', async () => {
    const kept = witnessedRuns(onTestFinished);
    const id = await kept.keepReceipt();
    kept.reopen();
    expect(kept.evidence.receipt(id)).toBeDefined();
    expect(await kept.evidence.importReceipt(receiptOf())).toEqual({ id, isNew: false });
  });
});

describe('a receipt that is refused', () => {
  const changed = (member: string, value: unknown) =>
    bytesOf(JSON.stringify({ ...envelopeIn(receiptOf()), [member]: value }));

  it.each<[string, () => Uint8Array, string]>([
    ['of a witness that is not listed', () => receiptOf({}, STRANGER), 'key-unknown'],
    ['with another payload', () => changed('payload', 'e30='), 'signature-invalid'],
    ['with another type', () => changed('payloadType', 'text/plain'), 'signature-invalid'],
    ['without signatures', () => changed('signatures', []), 'malformed'],
    [
      'that names another witness',
      () => receiptOf({ witness: { key_id: STRANGER.kid, place: 'isolated' } }),
      'malformed',
    ],
    ['that is empty', () => new Uint8Array(), 'malformed'],
    ['that is no JSON', () => bytesOf('receipt'), 'malformed'],
    ['with a member twice', () => bytesOf(text(receiptOf())!.replace('{', '{"payload":"",')), 'malformed'],
    ['that is no UTF-8', () => new Uint8Array([0x7b, 0xff, 0x7d]), 'malformed'],
    ['that is larger than receipts are', () => bytesOf(text(receiptOf())!.padEnd(128 * 1024 + 1)), 'malformed'],
  ])('%s writes nothing and says why', async (_which, bytes, reason) => {
    const { evidence, db } = witnessedRuns(onTestFinished);
    const refused = await evidence.importReceipt(bytes()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EvidenceError);
    expect(refused).toMatchObject({ code: 'evidence.receipt_refused', reason });
    for (const table of ['evidence_receipt', 'evidence_receipt_model', 'evidence_entry']) {
      expect(db.sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
    }
  });

  it('is every one where the store knows no witnesses', async () => {
    const db = openDatabase(':memory:');
    onTestFinished(() => db.close());
    const { importReceipt } = createEvidence({ db, verify: () => expect.fail('no bundle') });
    await expect(importReceipt(receiptOf())).rejects.toMatchObject({
      code: 'evidence.receipt_refused',
      reason: 'key-unknown',
    });
  });

  it('may be as large as it can be', async () => {
    const { evidence } = witnessedRuns(onTestFinished);
    expect(await evidence.importReceipt(bytesOf(text(receiptOf())!.padEnd(128 * 1024)))).toMatchObject({ isNew: true });
  });
});

describe('the models of a receipt', () => {
  const opus = served('claude-opus-4-1', { requested: 'claude-opus-4-1', output_tokens: 900 });
  const haiku = served('claude-haiku-4-5', { requested: 'claude-opus-4-1', output_tokens: 100 });
  const gpt = served('gpt-4o', { upstream: 'openai', output_tokens: 10 });

  it.each<[string, boolean]>([
    ['models.served = claude-opus-4-1', true],
    ['models.served = claude-haiku-4-5', true],
    ['served = claude-haiku-4-5', true],
    ['models.served = claude-opus-4', false],
    ['models.served ~ "claude-haiku-.*"', true],
    ['models.served in (gpt-4, gpt-4o)', true],
    ['models.served in (gpt-4, gpt-5)', false],
    ['models.requested = claude-opus-4-1', true],
    ['models.requested = claude-haiku-4-5', false],
    ['models.upstream = openai', true],
    ['models.upstream = gateway', false],
    ['models.substituted = true', true],
    ['models.substituted = false', true],
    ['models.served = gpt-4o and models.upstream = openai', true],
    ['models.served = gpt-4o and agent = code-writer', true],
    ['models.served = gpt-4o and agent = code-fixer', false],
  ])('find its run, its artifact and its commit by %s: %s', async (condition, isFound) => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const run = await keepRun({ receipt: await keepReceipt({ models: [opus, haiku, gpt] }) });
    await keepRun({ artifact: 'b'.repeat(64), commit: '2'.repeat(40) });
    expect(find(`runs where ${condition}`)).toEqual(isFound ? [run] : []);
    expect(find(`artifacts where ${condition}`)).toEqual(isFound ? [ARTIFACT] : []);
    expect(find(`commits where ${condition}`)).toEqual(isFound ? [COMMIT] : []);
  });

  it('find it whichever of run and receipt comes first', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const receipt = createHash('sha256')
      .update(Buffer.from(envelopeIn(receiptOf({ models: [haiku] })).payload, 'base64'))
      .digest('hex');
    const run = await keepRun({ receipt, model: { id: 'claude-haiku-4-5' } });
    const asked = () =>
      ['models.served = claude-haiku-4-5', 'model.substituted = true'].map((of) => find(`runs where ${of}`));
    expect(asked()).toEqual([[], []]);
    expect(await keepReceipt({ models: [haiku] })).toBe(receipt);
    expect(asked()).toEqual([[run], [run]]);
  });

  it('say of a model that nobody requested by name neither that it was substituted nor that it was not', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    await keepRun({ model: { id: 'gpt-4o' }, receipt: await keepReceipt({ models: [gpt] }) });
    expect(find('runs where models.substituted = true or models.substituted = false')).toEqual([]);
    expect(find('runs where models.served = gpt-4o')).toHaveLength(1);
  });

  it.each<[string, RunChanges, Partial<WitnessReceipt>]>([
    ['another agent', { agent: { name: 'code-fixer' } }, {}],
    ['another version', { agent: { version: '2.0.0' } }, {}],
    ['another prompt', { prompt: OTHER_HASH }, {}],
    ['another policy pack', { pack: OTHER_HASH }, {}],
    ['another policy pack, by the receipt', {}, { policy: { pack_hash: OTHER_HASH } }],
    ['another agent, by the receipt', {}, { agent: { name: 'code-fixer', version: '1.4.0' } }],
    ['another prompt, by the receipt', {}, { input: { prompt_hash: OTHER_HASH, prompt_seen: true } }],
  ])('do not find a run that names the receipt of %s, nor what it is about', async (_which, run, receipt) => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const id = await keepReceipt({ models: [haiku], ...receipt });
    const stranger = await keepRun({ ...run, receipt: id });
    for (const condition of [
      'models.served = claude-haiku-4-5',
      'models.substituted = true',
      'models.upstream = anthropic',
    ]) {
      for (const set of ['runs', 'artifacts', 'commits']) expect(find(`${set} where ${condition}`)).toEqual([]);
    }
    expect(find('runs where model.substituted = true')).toEqual([]);
    // That it names it is its own word, and stays.
    expect(find(`runs where receipt = ${id}`)).toEqual([stranger]);
  });

  it('do not find a run for which no single model stands, whatever it names', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const unattributed = [{ reason: 'answer_not_seen', answers: 1 }] as const;
    await keepRun({ receipt: await keepReceipt({ models: [opus], unattributed: [...unattributed] }) });
    expect(find('runs where models.served = claude-opus-4-1 or models.place = isolated')).toEqual([]);
  });

  // The last one answered, though less than another.
  it.each(['gpt-evil', 'claude-opus-4-1-20250805', 'CLAUDE-OPUS-4-1', 'claude-haiku-4-5'])(
    'do not find a run by %s, which is not the one that stands for it, but leave it marked where one was substituted',
    async (id) => {
      const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
      const run = await keepRun({ model: { id }, receipt: await keepReceipt({ models: [opus, haiku] }) });
      for (const condition of ['models.served = claude-opus-4-1', 'models.place = isolated']) {
        for (const set of ['runs', 'artifacts', 'commits']) expect(find(`${set} where ${condition}`)).toEqual([]);
      }
      expect(find('runs where model.substituted = true')).toEqual([run]);
    },
  );

  it.each(['isolated', 'same-host'] as const)('find their run by the place of the witness, %s', async (place) => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const receipt = await keepReceipt({ witness: { key_id: WITNESS.kid, place } });
    const run = await keepRun({ receipt });
    const other = place === 'isolated' ? 'same-host' : 'isolated';
    expect(find(`runs where models.place = ${place} and models.served = claude-opus-4-1`)).toEqual([run]);
    expect(find(`artifacts where models.place = ${place}`)).toEqual([ARTIFACT]);
    expect(find(`runs where models.place = ${other}`)).toEqual([]);
  });

  it('do not find a run that names no receipt, or one that is not there', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    await keepReceipt({ models: [haiku] });
    await keepRun();
    await keepRun({ receipt: 'f'.repeat(64) });
    expect(find('runs where models.served ~ ".*"')).toEqual([]);
  });

  it('find every run of it that is one of its agent and prompt, as many as there are', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const receipt = await keepReceipt({ models: [haiku, opus] });
    const runs = [await keepRun({ receipt }), await keepRun({ receipt, commit: '2'.repeat(40) })];
    await keepRun({ receipt, prompt: OTHER_HASH, commit: '3'.repeat(40) });
    expect([...find('runs where models.upstream = anthropic')].sort()).toEqual([...runs].sort());
    expect(find('commits where models.upstream = anthropic')).toEqual([COMMIT, '2'.repeat(40)]);
  });

  it('that were substituted mark their run, also where the run names its own model only', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const substituted = await keepRun({ receipt: await keepReceipt({ models: [opus, haiku] }) });
    const faithful = await keepRun({
      receipt: await keepReceipt({ models: [opus] }),
      model: { requested: 'claude-opus-4-1' },
    });
    const own = await keepRun({ model: { id: 'gpt-4o', requested: 'claude-opus-4-1' } });
    expect(find('runs where model.substituted = true order by sequence')).toEqual([substituted, own]);
    expect(find('runs where model.substituted = false')).toEqual([faithful]);
    expect(find('runs where model.requested = claude-opus-4-1 order by sequence')).toEqual([faithful, own]);
  });
});

describe('the receipts of a server', () => {
  async function served() {
    const { evidence } = witnessedRuns(onTestFinished);
    const app = Fastify();
    await evidence.register(app);
    onTestFinished(async () => void (await app.close()));
    const post = (payload: Uint8Array | string, type = 'application/json') =>
      app.inject({
        method: 'POST',
        url: '/receipts',
        payload: Buffer.from(payload),
        headers: { 'content-type': type },
      });
    return { app, post };
  }

  it('are taken with 201, with 200 again, and given back', async () => {
    const { app, post } = await served();
    const bytes = receiptOf();
    const first = await post(bytes);
    const { id } = first.json<{ id: string }>();
    expect([first.statusCode, first.headers.location]).toEqual([201, `/receipts/${id}`]);
    const again = await post(receiptOf());
    expect([again.statusCode, again.json()]).toEqual([200, { id }]);
    const back = await app.inject(`/receipts/${id}`);
    expect([back.statusCode, back.headers['content-type'], back.body]).toEqual([200, 'application/json', text(bytes)]);
  });

  it.each<[string, () => Uint8Array | string, string, number, string]>([
    ['of a stranger', () => receiptOf({}, STRANGER), 'application/json', 422, 'evidence.receipt_refused'],
    ['that are none', () => '{}', 'application/json', 422, 'evidence.receipt_refused'],
    ['that are empty', () => '', 'application/json', 422, 'evidence.receipt_refused'],
    ['that are too large', () => ' '.repeat(128 * 1024 + 1), 'application/json', 413, 'evidence.too_large'],
    ['that are plain text', () => '{}', 'text/plain', 415, 'evidence.media_type'],
  ])('are not taken: those %s', async (_which, payload, type, status, code) => {
    const { post } = await served();
    const answer = await post(payload(), type);
    expect(answer.headers['content-type']).toMatch('application/problem+json');
    expect(answer.json()).toMatchObject({ status, code });
  });

  it.each(['f'.repeat(64), 'x', '..%2fx', PROMPT])('are not found by %s', async (id) => {
    const { app } = await served();
    expect((await app.inject(`/receipts/${id}`)).json()).toMatchObject({ status: 404, code: 'evidence.not_found' });
  });
});
