import { openDatabase } from '@colophon/store';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { decided, logOf } from '../../test/decided.ts';
import { MOST_DECISION_BYTES } from '../decision/decision-lines.ts';
import type { CheckSender } from '../decision/decision-sender.ts';
import { createEvidence } from '../evidence/evidence.ts';

const LINES = 'application/x-ndjson';

async function serve(checkSender?: CheckSender) {
  const db = openDatabase(':memory:');
  const app = Fastify({ bodyLimit: 16 });
  const verify = () => Promise.reject(new Error('nothing is verified here'));
  const evidence = createEvidence({ db, verify, checkSender });
  await evidence.register(app);
  onTestFinished(async () => {
    await app.close();
    db.close();
  });
  return {
    post: (payload: string | Buffer, headers: Record<string, string | string[]> = {}) =>
      app.inject({ method: 'POST', url: '/decisions', payload, headers: { 'content-type': LINES, ...headers } }),
    kept: async () => (await app.inject('/query?q=decisions')).json<{ rows: unknown[] }>().rows.length,
  };
}

test('takes lines and arrays: 201 where one is new, 200 where all were there', async () => {
  const { post, kept } = await serve();
  const records = [decided(), decided()];
  const first = await post(logOf(records));
  expect([first.statusCode, first.json()]).toEqual([201, { stored: 2, known: 0 }]);
  const again = await post(JSON.stringify(records), { 'content-type': 'application/json; charset=utf-8' });
  expect([again.statusCode, again.json()]).toEqual([200, { stored: 0, known: 2 }]);
  expect((await post('')).json()).toEqual({ stored: 0, known: 0 });
  expect(await kept()).toBe(2);
});

test('takes the largest record that a webhook writes: its refused images have whatever names somebody chose', async () => {
  const { post } = await serve();
  const record = decided();
  const [image] = record.images;
  const images = Array.from({ length: 256 }, () => ({ ...image, image: '\u0001'.repeat(4096) }));
  expect((await post(logOf([{ ...record, images }]))).json()).toEqual({ stored: 1, known: 0 });
});

test('one record that is none refuses all, with each problem', async () => {
  const { post, kept } = await serve();
  const answer = await post(logOf([decided(), { ...decided(), mode: 'off' }]));
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([400, 'application/problem+json; charset=utf-8']);
  expect(answer.json()).toMatchObject({
    status: 400,
    code: 'evidence.decisions_malformed',
    issues: [{ line: 2, path: '/mode', code: 'admission_decision.field_invalid' }],
  });
  expect(await kept()).toBe(0);
});

test.each([
  ['more bytes than one request has', 'x'.repeat(MOST_DECISION_BYTES + 1), LINES, 413, 'evidence.too_large'],
  ['a form', 'a=b', 'application/x-www-form-urlencoded', 415, 'evidence.media_type'],
  ['another type that begins alike', '[]', 'application/jsonp', 415, 'evidence.media_type'],
])('refuses %s', async (_what, body, type, status, code) => {
  const { post } = await serve();
  expect((await post(body, { 'content-type': type })).json()).toMatchObject({ status, code });
});

test('whoever may not send them is refused before anything is read', async () => {
  const refusal = { status: 401, code: 'caller.credential_missing', message: 'who?', retryAfterSeconds: 3 };
  const shown: unknown[] = [];
  const { post, kept } = await serve(async (authorizations) => {
    shown.push(authorizations);
    return authorizations[0] === 'Bearer key' ? { ok: true } : { ok: false, refusal };
  });
  const answer = await post('this is no record');
  expect(answer.json()).toEqual({
    type: 'about:blank',
    title: 'Unauthorized',
    status: 401,
    code: 'caller.credential_missing',
    detail: 'who?',
  });
  expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'retry-after': '3', connection: 'close' });
  expect((await post(logOf([decided()]), { authorization: 'Bearer key' })).statusCode).toBe(201);
  expect(shown).toEqual([[], ['Bearer key']]);
  expect(await kept()).toBe(1);
});

test('a credential that counts once is used up by what is kept, and by nothing that is refused', async () => {
  let uses = 0;
  const refusal = { status: 401, code: 'caller.token_used', message: 'used' };
  const spend = () => (uses++ === 0 ? undefined : refusal);
  const { post, kept } = await serve(async () => ({ ok: true, spend }));
  expect((await post('[7]', { 'content-type': 'application/json' })).statusCode).toBe(400);
  expect((await post(logOf([decided()]))).statusCode).toBe(201);
  expect((await post(logOf([decided()]))).json()).toMatchObject({ status: 401, code: 'caller.token_used' });
  expect(await kept()).toBe(1);
});
