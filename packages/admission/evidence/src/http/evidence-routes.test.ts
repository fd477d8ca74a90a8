import type { VerifiedSignature } from '@colophon/records';
import { type Database, openDatabase } from '@colophon/store';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEvidence } from '../evidence/evidence.ts';

const SIGNATURE: VerifiedSignature = {
  certificate_identity: { issuer: 'https://issuer.example', subject: 'agent:x', claims: {}, sources: {} },
  artifact_digest: `sha256:${'a'.repeat(64)}`,
  log_entry: { log_index: 7, log_id: 'ee', integrated_at: '2026-11-21T10:00:00Z' },
};

let db: Database;
let app: FastifyInstance;
let verify: () => VerifiedSignature;

beforeEach(async () => {
  db = openDatabase(':memory:');
  app = Fastify({ bodyLimit: 16 });
  verify = () => SIGNATURE;
  await createEvidence({ db, verify: () => verify(), maxBundleBytes: 100 }).register(app);
});
afterEach(async () => {
  await app.close();
  db.close();
});

const post = (payload: string, type = 'application/json') =>
  app.inject({ method: 'POST', url: '/evidence', payload, headers: { 'content-type': type } });

describe('POST /evidence', () => {
  it('answers 201 to a new bundle and 200 to the same again, and gives it back', async () => {
    const first = await post('{"bundle": "of more than sixteen bytes"}');
    expect(first.statusCode).toBe(201);
    expect(first.json()).toMatchObject({ kind: 'signature', log_entry: { log_index: 7 } });
    const again = await post('{"bundle": "of more than sixteen bytes"}');
    expect(again.statusCode).toBe(200);
    expect(again.json()).toEqual(first.json());
    const { id } = first.json<{ id: string }>();
    expect(first.headers.location).toBe(`/evidence/${id}`);
    const back = await app.inject(`/evidence/${id}`);
    expect(back.body).toBe('{"bundle": "of more than sixteen bytes"}');
  });

  it('takes the media type of bundles', async () => {
    expect((await post('{}', 'application/vnd.dev.sigstore.bundle.v0.3+json')).statusCode).toBe(201);
  });

  const failing = (code?: string) => () => {
    throw Object.assign(new Error('secret text of the bundle'), code === undefined ? {} : { code });
  };

  it.each([
    ['signature.invalid', 422, 'evidence.not_verified'],
    ['bundle.malformed', 400, 'evidence.bundle_malformed'],
    ['store.unavailable', 422, 'evidence.not_verified'],
    [undefined, 500, 'evidence.internal'],
  ])('answers %s of the verifier by %i %s', async (reason, status, code) => {
    verify = failing(reason);
    const response = await post('{}');
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-type']).toMatch('application/problem+json');
    expect(response.json()).toMatchObject({ status, code });
    expect(response.body).not.toContain('secret');
    expect((await app.inject('/query?q=entries')).json()).toMatchObject({ rows: [] });
  });

  it.each([
    ['a bundle that is too large', 'x'.repeat(101), 'application/json', 413, 'evidence.too_large'],
    ['no bundle', '', 'application/json', 400, 'evidence.bundle_malformed'],
    ['a form', 'a=b', 'application/x-www-form-urlencoded', 415, 'evidence.media_type'],
    ['plain text', '{}', 'text/plain', 415, 'evidence.media_type'],
    ['another type that begins alike', '{}', 'application/jsonp', 415, 'evidence.media_type'],
  ])('refuses %s', async (_title, payload, type, status, code) => {
    const response = await post(payload, type);
    expect(response.json()).toMatchObject({ status, code });
  });
});

describe('GET /evidence/{id}', () => {
  it.each(['f'.repeat(64), 'x', '..%2f..%2fetc'])('answers 404 to %s', async (id) => {
    const response = await app.inject(`/evidence/${id}`);
    expect(response.json()).toMatchObject({ status: 404, code: 'evidence.not_found' });
  });
});

describe('GET /query', () => {
  it('answers a question', async () => {
    await post('{}');
    const response = await app.inject({ url: '/query', query: { q: 'entries where subject = agent:x' } });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ set: 'entries', more: false, limit: 100, rows: [{ kind: 'signature' }] });
  });

  it('says where a question is wrong and what was probably meant', async () => {
    const response = await app.inject({ url: '/query', query: { q: 'runs where agnet = a' } });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'query.unknown_field', position: 12, did_you_mean: 'agent' });
  });

  it.each(['/query', '/query?q=runs&q=runs'])('refuses %s', async (url) => {
    expect((await app.inject(url)).json()).toMatchObject({ status: 400, code: 'query.syntax' });
  });

  it('refuses a question without end', async () => {
    const response = await app.inject({ url: '/query', query: { q: `runs${' '.repeat(5000)}` } });
    expect(response.json()).toMatchObject({ status: 400, code: 'query.too_long' });
  });
});

it('leaves the body parsers of other routes alone', async () => {
  const other = Fastify();
  await createEvidence({ db, verify: () => SIGNATURE }).register(other);
  other.post('/other', async (request) => request.body);
  const response = await other.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
  expect(response.json()).toEqual({ a: 1 });
  await other.close();
});
