import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeBase64, encodeBase64, preAuthenticationEncoding } from '@colophon/encoding';
import type { JsonValue } from '@colophon/json';
import { SigningKey } from '@colophon/keys';
import { createWitnessReceiptStatement, RECEIPT_LIMITS, type WitnessReceipt } from '@colophon/records';
import { changesOf } from '@colophon/testkit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { MOST_RECEIPT_BYTES, type ReceiptEnvelope, readReceipt, signReceipt } from './receipt-envelope.ts';

const IN_TOTO = 'application/vnd.in-toto+json';
const BASE = 'https://acme.example/predicates';
const makeKey = () => new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const key = makeKey();
const keyOf = (keyId: string): KeyObject | undefined => (keyId === key.kid ? key.publicKey : undefined);
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;

const receipt: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: key.kid, place: 'same-host' },
  agent: { name: 'code-writer', version: '1.2.3' },
  input: { prompt_hash: hash('a'), prompt_seen: true },
  policy: { pack_hash: hash('b') },
  started_at: '2026-11-27T10:00:00Z',
  signed_at: '2026-11-27T10:05:00Z',
  upstreams: [{ name: 'anthropic', address: 'https://api.anthropic.com' }],
  models: [{ upstream: 'anthropic', served: 'claude-opus-4-1', answers: 1 }],
};

let envelope: ReceiptEnvelope;
beforeAll(async () => {
  envelope = await signReceipt(receipt, key, BASE);
});

const read = (value: unknown, keys = keyOf) => readReceipt(value as JsonValue, keys, BASE);
const bytes = (text: string) => new TextEncoder().encode(text);

/** An envelope that the key did sign, around anything. */
function signed(payload: Uint8Array, { payloadType = IN_TOTO, by = key } = {}): ReceiptEnvelope {
  const signature = by.signDer(preAuthenticationEncoding({ payloadType, payload }));
  return { payloadType, payload: encodeBase64(payload), signatures: [{ keyid: by.kid, sig: encodeBase64(signature) }] };
}

it('what was signed is read back, with the key and the digest of its statement', () => {
  const again = read(JSON.parse(JSON.stringify(envelope)));
  expect(again).toEqual({
    ok: true,
    receipt,
    keyId: key.kid,
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
});

it('a statement without an installation of its own is read by every installation', async () => {
  const common = await signReceipt(receipt, key, undefined);
  expect(read(common).ok).toBe(true);
  expect(readReceipt(common as unknown as JsonValue, keyOf, undefined).ok).toBe(true);
});

it('the largest receipt that may be is read back', async () => {
  const word = '~'.repeat(256);
  const path = `POST /${'x'.repeat(127)}`;
  const most = Number.MAX_SAFE_INTEGER;
  const list = <Entry>(length: number, entry: Entry) => Array<Entry>(length).fill(entry);
  const largest: WitnessReceipt = {
    ...receipt,
    issuer: word,
    caller: word,
    upstreams: list(RECEIPT_LIMITS.upstreams, { name: word, address: word }),
    models: list(RECEIPT_LIMITS.models, {
      upstream: word,
      requested: word,
      served: word,
      answers: most,
      incomplete: most,
      input_tokens: most,
      output_tokens: most,
      temperature: 0.30000000000000004,
      max_tokens: most,
    }),
    unattributed: list(RECEIPT_LIMITS.unattributed, {
      reason: 'answer_unreadable',
      upstream: word,
      request: path,
      answers: most,
    }),
    failed_answers: most,
    response_ids: list(RECEIPT_LIMITS.responseIds, word),
    response_ids_hash: hash('c'),
    tools_invoked: list(RECEIPT_LIMITS.tools, { name: word, count: most }),
    more_tools: most,
  };
  const read_ = read(await signReceipt(largest, key, BASE));
  expect(read_).toMatchObject({ ok: true, receipt: largest });
});

it('a receipt that would not be read back is not signed', async () => {
  const wrong = { ...receipt, models: [{ upstream: 'a', served: 'not a name', answers: 1 }] };
  await expect(signReceipt(wrong, key, BASE)).rejects.toThrow(TypeError);
});

describe('a receipt is refused', () => {
  it('with any byte of its payload, its type or its signature changed', () => {
    const { payloadType, payload, signatures } = envelope;
    const parts = {
      payload: decodeBase64(payload)!,
      payloadType: bytes(payloadType),
      sig: decodeBase64(signatures[0].sig)!,
    };
    const place = fc.constantFrom(...(['payload', 'payloadType', 'sig'] as const)).chain((part) =>
      fc.record({
        part: fc.constant(part),
        at: fc.nat({ max: parts[part].length - 1 }),
        flip: fc.integer({ min: 1, max: 255 }),
      }),
    );
    fc.assert(
      fc.property(place, ({ part, at, flip }) => {
        const changed = parts[part].with(at, parts[part][at]! ^ flip);
        const again = {
          payloadType: part === 'payloadType' ? String.fromCharCode(...changed) : payloadType,
          payload: part === 'payload' ? encodeBase64(changed) : payload,
          signatures: [{ ...signatures[0], sig: part === 'sig' ? encodeBase64(changed) : signatures[0].sig }],
        };
        expect(read(again)).toEqual({ ok: false, fault: 'signature-invalid' });
      }),
      { numRuns: 300 },
    );
  });

  it('with any member of its envelope changed', () => {
    const places = [...changesOf(envelope)];
    expect(places.map(([path]) => path)).toHaveLength(6);
    for (const [path, by] of places)
      for (const other of [undefined, null, true, 5, '', 'AAAA', [], {}])
        expect(read(by(other)), `${path}: ${JSON.stringify(other)}`).toMatchObject({ ok: false });
  });

  it('by a key that nobody lists', () => {
    const other = makeKey();
    expect(read(signed(bytes('{}'), { by: other }))).toEqual({ ok: false, fault: 'key-unknown' });
    expect(read(envelope, () => undefined)).toEqual({ ok: false, fault: 'key-unknown' });
  });

  it('under the name of a listed key that did not sign it', () => {
    const { signatures, ...rest } = signed(decodeBase64(envelope.payload)!, { by: makeKey() });
    const renamed = { ...rest, signatures: [{ ...signatures[0], keyid: key.kid }] };
    expect(read(renamed)).toEqual({ ok: false, fault: 'signature-invalid' });
  });

  it('where its predicate names another witness than the one that signed', async () => {
    const { kid } = makeKey();
    const other = await signReceipt({ ...receipt, witness: { key_id: kid, place: 'isolated' } }, key, BASE);
    expect(read(other)).toEqual({ ok: false, fault: 'malformed' });
  });

  it.each([
    ['of another installation', JSON.stringify(createWitnessReceiptStatement(receipt, 'https://evil.example/p'))],
    [
      'of another type',
      JSON.stringify({ ...createWitnessReceiptStatement(receipt, BASE), predicateType: `${BASE}/agent-run/v1` }),
    ],
    [
      'whose predicate is not whole',
      JSON.stringify({ ...createWitnessReceiptStatement(receipt, BASE), predicate: { ...receipt, models: undefined } }),
    ],
    ['that is no statement', '{}'],
    ['that is no JSON', 'receipt'],
    [
      'with two members of one name',
      JSON.stringify(createWitnessReceiptStatement(receipt, BASE)).replace('{', '{"_type":"",'),
    ],
  ])('although signed, with a statement %s', (_, statement) => {
    expect(read(signed(bytes(statement)))).toEqual({ ok: false, fault: 'malformed' });
  });

  it('although signed, as something else than a statement', () => {
    const payloadType = 'text/plain';
    expect(read(signed(decodeBase64(envelope.payload)!, { payloadType }))).toEqual({ ok: false, fault: 'malformed' });
  });

  it.each<[string, (signature: ReceiptEnvelope['signatures'][0]) => unknown]>([
    ['two signatures', (signature) => [signature, signature]],
    ['no signature', () => []],
    ['a signature without a key', ({ sig }) => [{ sig }]],
    ['a key without a signature', ({ keyid }) => [{ keyid }]],
    ['a signature that is no list', (signature) => signature],
    ['a signature that is no base64', ({ keyid }) => [{ keyid, sig: '?' }]],
    ['a signature that is text', ({ sig }) => [sig]],
    ['an empty list in the list', () => [[]]],
  ])('with %s', (_, signatures) => {
    expect(read({ ...envelope, signatures: signatures(envelope.signatures[0]) })).toEqual({
      ok: false,
      fault: 'malformed',
    });
  });

  it('that is larger than receipts are, before its signature is looked at', () => {
    const statement = JSON.stringify(createWitnessReceiptStatement(receipt, BASE));
    const largest = bytes(statement.padEnd(MOST_RECEIPT_BYTES - 1));
    expect(read(signed(largest)).ok).toBe(true);
    expect(read(signed(bytes(statement.padEnd(MOST_RECEIPT_BYTES + 3))))).toEqual({ ok: false, fault: 'malformed' });
  });

  it('that is anything, without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(read(value)).toEqual({ ok: false, fault: 'malformed' });
      }),
    );
    const text = fc.oneof(fc.string(), fc.base64String());
    const like = fc.record({
      payloadType: text,
      payload: text,
      signatures: fc.array(fc.record({ keyid: fc.constantFrom(key.kid, '__proto__', ''), sig: text }), {
        maxLength: 2,
      }),
    });
    fc.assert(
      fc.property(like, (value) => {
        expect(read(value).ok).toBe(false);
      }),
    );
  });
});
