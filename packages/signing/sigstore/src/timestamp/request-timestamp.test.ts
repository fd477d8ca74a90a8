import { createHash } from 'node:crypto';
import { element, integer, nothing, oid, sequence } from '@colophon/testkit/local-sigstore/der-writer';
import { LocalSigstore, TSA_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { readTimestampQuery, timestampRefusalOf } from '@colophon/testkit/local-sigstore/timestamp-writer';
import { RFC3161Timestamp } from '@sigstore/core';
import { describe, expect, it } from 'vitest';
import { signingFailure as failure } from '../../test/signing-failure.ts';
import { requestTimestamp } from './request-timestamp.ts';
import { MOST_REPLY_BYTES } from './timestamp-reply.ts';

const SIGNATURE = Buffer.from('a signature');
const DIGEST = createHash('sha256').update(SIGNATURE).digest();
const SHA1 = sequence(oid('1.3.14.3.2.26'), nothing());
const SHA512 = sequence(oid('2.16.840.1.101.3.4.2.3'), nothing());

const request = (local: LocalSigstore, url = TSA_URL) =>
  requestTimestamp(url, SIGNATURE, { fetch: local.fetch, retries: 0 });

/** An authority that answers each query in its own way. */
function answering(answer: (local: LocalSigstore, query: string) => Buffer, status = 200): LocalSigstore {
  const local = new LocalSigstore();
  local.answer = (_method, _url, query) => new Response(new Uint8Array(answer(local, query)), { status });
  return local;
}

/** A right answer that has other elements between time and nonce. */
function withExtra(local: LocalSigstore, query: string, extra: Uint8Array, status = 0): Buffer {
  const { nonce } = readTimestampQuery(Buffer.from(query, 'base64'));
  return local.answerTimestampQuery(query, { status, nonce: Buffer.concat([extra, nonce]) });
}

/** A right answer of the thirteenth month. */
function atNoTime(local: LocalSigstore, query: string): Buffer {
  local.now = { toISOString: () => '2026-13-01T00:00:00Z' } as Date;
  return local.answerTimestampQuery(query);
}

describe('a timestamp', () => {
  it('is asked for by digest, with a new nonce each time, and comes back as it was given', async () => {
    const local = new LocalSigstore();
    const first = RFC3161Timestamp.parse(Buffer.from(await request(local)));
    await request(local);
    expect(first.tstInfo.messageImprintHashedMessage).toEqual(DIGEST);
    const queries = local.requests.map(({ body }) => readTimestampQuery(Buffer.from(body, 'base64')));
    expect(queries.map(({ digest }) => Buffer.from(digest))).toEqual([DIGEST, DIGEST]);
    expect(queries[0]?.nonce).not.toEqual(queries[1]?.nonce);
    expect(queries[0]?.nonce.length).toBeGreaterThan(6);
  });

  it.each([
    ['with changes', 1, Buffer.of()],
    ['with an accuracy and an order', 0, Buffer.concat([sequence(integer(1)), element(0x01, Buffer.of(0xff))])],
  ])('may be granted %s', async (_title, status, between) => {
    const local = answering((own, query) => withExtra(own, query, between, status));
    expect((await request(local)).length).toBeGreaterThan(100);
  });

  it.each([
    ['http://localhost:7080', ['/', '/api/v1/timestamp']],
    ['http://localhost:7080/', ['/', '/api/v1/timestamp']],
    ['http://localhost:7080/api/v1/timestamp', ['/api/v1/timestamp']],
  ])('comes from a timestamp-server that is named %s', async (url, paths) => {
    const local = new LocalSigstore();
    await request(local, url);
    expect(local.requests.map(({ path }) => path)).toEqual(paths);
  });

  it.each(['http://tsa.example', 'http://tsa.example/tsr', 'http://tsa.example/tsr/'])(
    'comes from an authority of another kind at its own address, %s',
    async (url) => {
      const local = answering((own, query) => own.answerTimestampQuery(query));
      await request(local, url);
      expect(local.requests).toHaveLength(1);
      expect(local.requests[0]?.path).toBe(new URL(url).pathname);
    },
  );
});

describe('an answer is refused', () => {
  it.each<[title: string, answer: (local: LocalSigstore, query: string) => Buffer]>([
    ['is no DER', () => Buffer.from('hello')],
    ['is empty', () => Buffer.of()],
    ['has bytes behind it', (own, query) => Buffer.concat([own.answerTimestampQuery(query), Buffer.of(0)])],
    ['has no status', () => sequence()],
    ['has a status that is no number', () => sequence(sequence(oid('1.2.3')))],
    ['is granted without a timestamp', () => sequence(sequence(integer(0)))],
    ['has another thing in the timestamp’s place', () => sequence(sequence(integer(0)), sequence(oid('1.2.3')))],
    ['is over another digest', (own, query) => own.answerTimestampQuery(query, { digest: Buffer.alloc(32) })],
    ['says that the digest is of SHA-1', (own, query) => own.answerTimestampQuery(query, { hashAlgorithm: SHA1 })],
    ['says that the digest is of SHA-512', (own, query) => own.answerTimestampQuery(query, { hashAlgorithm: SHA512 })],
    ['has no nonce', (own, query) => own.answerTimestampQuery(query, { nonce: Buffer.of() })],
    ['has another nonce', (own, query) => own.answerTimestampQuery(query, { nonce: integer(7) })],
    ['has a time that does not exist', atNoTime],
    ['is too long', (own, query) => withExtra(own, query, element(0x80, Buffer.alloc(MOST_REPLY_BYTES)))],
  ])('that %s: signing.timestamp_answer_invalid', async (_title, answer) => {
    const error = await failure(request(answering(answer)));
    expect([error.code, error.url]).toEqual(['signing.timestamp_answer_invalid', TSA_URL]);
  });

  it('that was given to somebody else before', async () => {
    let kept: Buffer | undefined;
    const local = answering((own, query) => {
      kept ??= own.answerTimestampQuery(query);
      return kept;
    });
    await request(local);
    expect((await failure(request(local))).code).toBe('signing.timestamp_answer_invalid');
  });

  it.each([
    ['refuses what it was asked', 2, 2, 'signing.timestamp_refused', 'badRequest: a\\b'],
    ['does not know our digest', 2, 0, 'signing.timestamp_refused', 'badAlg: a\\b'],
    ['wants to be asked again', 3, 30, 'signing.timestamp_refused', ': a\\b'],
    ['is without a clock', 2, 14, 'signing.timestamp_unavailable', 'timeNotAvailable: a\\b'],
    ['fails', 2, 25, 'signing.timestamp_unavailable', 'systemFailure: a\\b'],
  ])('when the authority %s: status %i, bit %i, %s', async (_title, status, bit, code, reason) => {
    const error = await failure(request(answering(() => timestampRefusalOf(status, 'a\\b\u0007', bit))));
    expect([error.code, error.status]).toEqual([code, 200]);
    expect(error.message).toContain(reason);
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
  });

  it('when the authority refuses and says no more', async () => {
    const error = await failure(request(answering(() => sequence(sequence(integer(2))))));
    expect([error.code, error.message]).toEqual(['signing.timestamp_refused', expect.stringContaining('no reason')]);
  });

  it.each([
    [400, 'signing.timestamp_refused'],
    [404, 'signing.timestamp_refused'],
    [302, 'signing.timestamp_refused'],
    [429, 'signing.timestamp_unavailable'],
    [500, 'signing.timestamp_unavailable'],
    [503, 'signing.timestamp_unavailable'],
  ])('with status %i: %s', async (status, code) => {
    expect((await failure(request(answering(() => Buffer.of(), status)))).code).toBe(code);
  });
});
