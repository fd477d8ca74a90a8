import { SIX_FIELDS } from '@colophon/testkit';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { issuerFixture, REVIEWER_SECRET, recordingLogger, reviewerProof } from '../../test/issuer-fixture.ts';
import { oneLine, RefusalLog } from './refusal-log.ts';

const refusal = { status: 400, error: 'invalid_request', code: 'json.syntax', message: 'm' } as const;

test('the newest refusals are kept, oldest first', () => {
  const log = new RefusalLog(recordingLogger(), [], 3);
  for (let i = 0; i < 5; i += 1) log.add(refusal, `192.0.2.${i}`, i);
  expect(log.records().map(({ address }) => address)).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.4']);
});

test("a field that is not of the contract is the caller's own text and is left out", () => {
  const log = new RefusalLog(recordingLogger(), ['agent_name']);
  log.add({ ...refusal, field: 'agent_name' }, '192.0.2.1', 0);
  log.add({ ...refusal, field: 'secret_of_mine' }, '192.0.2.1', 0);
  expect(log.records().map(({ field }) => field)).toEqual(['agent_name', undefined]);
});

test('text from outside is one line of plain ASCII', () => {
  const hostile = 'a\r\nb\u001b[31mc\u2028d\u202ee\\f\u0000';
  expect(oneLine(hostile)).toBe('a\\u000d\\u000ab\\u001b[31mc\\u2028d\\u202ee\\u005cf\\u0000');
  expect(oneLine('x'.repeat(1000))).toHaveLength(100);
});

test('nothing that a caller sends reaches a log, whether the request is served or refused', async () => {
  const { issuer, logger, clock } = await issuerFixture(onTestFinished);
  const written: string[] = [];
  const app = Fastify({
    trustProxy: true,
    logger: { level: 'trace', stream: { write: (line: string) => written.push(line) } },
  });
  onTestFinished(() => app.close());
  await issuer.register(app);
  let count = 0;
  const canary = () => `canary${++count}`;
  const post = (payload: string | object, headers: Record<string, string> = {}, query = '') =>
    app.inject({
      method: 'POST',
      url: `/oauth/token${query}`,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${canary()}`,
        'user-agent': canary(),
        ...headers,
      },
      payload,
    });
  const full: Record<string, string> = {
    ...SIX_FIELDS,
    model_provider: 'provider',
    review_timestamp: '2026-11-21T11:00:00Z',
    repo: 'acme/web',
    repo_uri: 'https://git.example/acme/web',
    commit_sha: '0'.repeat(40),
    audience: 'sigstore',
  };
  for (const field of Object.keys(full)) {
    for (const value of [canary(), `${canary()}\n`, '', 7, [canary()], { x: canary() }, null, `sha256:${canary()}`]) {
      await post({ ...full, [field]: value });
    }
    await post({ ...full, [field]: field === 'human_reviewer' ? `${canary()}@example.com` : canary() });
    await post({ ...full, [`${field}_${canary()}`]: canary() });
    await post(JSON.stringify(full).replace('{', `{"${field}":"${canary()}",`));
  }
  for (const claim of ['sub', 'jti', 'email', canary()]) await post({ ...full, [claim]: canary() });
  await post(canary());
  await post({ purpose: 'review', human_reviewer: `${canary()}@example.com` });
  const review = JSON.stringify({ purpose: 'review', human_reviewer: `${canary()}@example.com` });
  await post(review, { authorization: `Bearer ${REVIEWER_SECRET}` });
  await post(review, { authorization: reviewerProof(review) });
  await post(full, { 'content-type': `text/${canary()}` });
  await post(`grant_type=${canary()}&client_secret=${canary()}`, {
    'content-type': 'application/x-www-form-urlencoded',
  });
  await post('x'.repeat(20_000) + canary());
  await post(full, {}, `?client_secret=${canary()}`);
  const served = await post(full);
  clock.advance(-10_000);
  await post({ ...full, agent_version: canary() });
  expect(served.statusCode).toBe(200);
  const everything = [...logger.lines, ...written].join('\n');
  expect(logger.lines.length).toBeGreaterThan(100);
  expect(everything).not.toMatch(/canary/);
  expect(everything).not.toContain(REVIEWER_SECRET);
  expect(everything).not.toContain(served.body.split('.')[2]);
  expect(JSON.stringify(issuer.refusals())).not.toMatch(/canary/);
  for (const line of logger.lines) expect(line).toMatch(/^[\x20-\x7e]+$/);
});

test('an address that a proxy forged stays one line', async () => {
  const { issuer, logger } = await issuerFixture(onTestFinished);
  const app = Fastify({ trustProxy: true });
  onTestFinished(() => app.close());
  await issuer.register(app);
  await app.inject({ method: 'GET', url: '/oauth/token', headers: { 'x-forwarded-for': '\u202efake\u001b[2J' } });
  expect(issuer.refusals().at(-1)!.address).toMatch(/^[\x20-\x7e]+$/);
  expect(logger.lines.at(-1)).toMatch(/^[\x20-\x7e]+$/);
});
