import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { encodeBase64, preAuthenticationEncoding } from '@colophon/encoding';
import type { ListedWitness, WitnessBook } from '@colophon/issuer';
import type { JsonValue } from '@colophon/json';
import { SigningKey } from '@colophon/keys';
import { createWitnessReceiptStatement, DEFAULT_PREDICATE_BASE, type WitnessReceipt } from '@colophon/records';
import { Witness } from '@colophon/witness';
import { expect, it } from 'vitest';
import { verifyKnownReceipt } from './known-receipt.ts';

const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const HASH = `sha256:${'a'.repeat(64)}`;
const places = ['isolated', 'same-host'] as const;

async function receiptOf(place: (typeof places)[number], predicateBase = DEFAULT_PREDICATE_BASE): Promise<JsonValue> {
  const random = { bytes: (length: number) => randomBytes(length), uuid: () => randomUUID() };
  const witness = new Witness({ key, place, upstreams: [], predicateBase, random });
  const asked = { agentName: 'code-writer', agentVersion: '1', promptHash: HASH, policyPackHash: HASH, caller: 'ci' };
  const envelope = await witness.receipt(witness.open(asked).run);
  return JSON.parse(JSON.stringify(envelope)) as JsonValue;
}

const bookOf = (place: (typeof places)[number]): WitnessBook => ({
  byKeyId: new Map([
    [key.kid, { name: 'ci-witness', keyId: key.kid, place, publicKey: key.publicKey, callers: ['ci'] }],
  ]),
  predicateBase: DEFAULT_PREDICATE_BASE,
});

it.each(places.flatMap((listed) => places.map((own) => [listed, own] as const)))(
  'a receipt of a witness that is listed as %s and says %s is worth the lower one',
  async (listed, own) => {
    const read = verifyKnownReceipt(await receiptOf(own), bookOf(listed));
    const place = listed === 'isolated' && own === 'isolated' ? 'isolated' : 'same-host';
    expect(read).toMatchObject({ ok: true, known: { witness: 'ci-witness', place } });
    if (!read.ok) return;
    // What it says of itself stays in it.
    expect(read.known.receipt.witness.place).toBe(own);
    expect(read.known.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  },
);

const ISSUER = 'https://issuer.example';
const RECEIPT: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: key.kid, place: 'isolated' },
  issuer: ISSUER,
  caller: 'ci',
  agent: { name: 'code-writer', version: '1' },
  input: { prompt_hash: HASH, prompt_seen: true },
  policy: { pack_hash: HASH },
  started_at: '2026-11-21T09:00:00Z',
  ended_at: '2026-11-21T09:05:00Z',
  signed_at: '2026-11-21T09:05:00Z',
  upstreams: [{ name: 'anthropic', address: 'https://api.anthropic.com' }],
  models: [{ upstream: 'anthropic', served: 'claude-opus-4-1', answers: 1 }],
};

/** A receipt that the witness signed, without the members that are undefined. */
function signed(
  changes: { readonly [member in keyof WitnessReceipt]?: WitnessReceipt[member] | undefined },
): JsonValue {
  const receipt = JSON.parse(JSON.stringify({ ...RECEIPT, ...changes })) as WitnessReceipt;
  const payloadType = 'application/vnd.in-toto+json';
  const statement = createWitnessReceiptStatement(receipt, DEFAULT_PREDICATE_BASE);
  const payload = new TextEncoder().encode(JSON.stringify(statement));
  const sig = encodeBase64(key.signDer(preAuthenticationEncoding({ payloadType, payload })));
  return { payloadType, payload: encodeBase64(payload), signatures: [{ keyid: key.kid, sig }] };
}

const listed = (changes: Partial<ListedWitness>): WitnessBook => ({
  byKeyId: new Map([[key.kid, { ...bookOf('isolated').byKeyId.get(key.kid)!, ...changes }]]),
  predicateBase: DEFAULT_PREDICATE_BASE,
});
const at = (name: string, address: string) => ({ upstreams: [...RECEIPT.upstreams, { name, address }] });

it.each<[string, Parameters<typeof signed>[0], string]>([
  ['for another issuer', { issuer: 'https://other.example' }, 'other-issuer'],
  ['for no issuer', { issuer: undefined }, 'other-issuer'],
  ['of a caller that is not listed', { caller: 'gone' }, 'other-caller'],
  ['of no caller', { caller: undefined }, 'other-caller'],
  ['of an upstream that is not listed', at('openai', 'https://api.openai.com'), 'upstream-unknown'],
  ['of an upstream at another address', at('anthropic', 'https://evil.example'), 'upstream-unknown'],
  ['of an upstream that every object has', at('constructor', 'https://evil.example'), 'upstream-unknown'],
])('a receipt %s counts for nothing where the operator lists the witness', (_which, changes, fault) => {
  const book = listed({ upstreams: { anthropic: 'https://api.anthropic.com/' } });
  expect(verifyKnownReceipt(signed({}), book, ISSUER)).toMatchObject({ ok: true });
  expect(verifyKnownReceipt(signed(changes), book, ISSUER)).toEqual({ ok: false, fault });
});

it('what an entry does not list is free, and the issuer where there is one user', () => {
  const { callers: _, ...open } = bookOf('same-host').byKeyId.get(key.kid)!;
  const book = { byKeyId: new Map([[key.kid, open]]), predicateBase: DEFAULT_PREDICATE_BASE };
  const receipt = signed({ issuer: undefined, caller: undefined, ...at('own', 'http://127.0.0.1:9') });
  expect(verifyKnownReceipt(receipt, book)).toMatchObject({ ok: true });
  expect(verifyKnownReceipt(receipt, book, ISSUER)).toEqual({ ok: false, fault: 'other-issuer' });
});

it.each<[string, (envelope: JsonValue) => readonly [JsonValue, WitnessBook | undefined], string]>([
  ['of nobody who is listed', (envelope) => [envelope, { ...bookOf('isolated'), byKeyId: new Map() }], 'key-unknown'],
  ['where there is no list', (envelope) => [envelope, undefined], 'key-unknown'],
  ['that is none', () => [{}, bookOf('isolated')], 'malformed'],
  [
    'that was changed',
    (envelope) => [{ ...(envelope as object), payload: 'e30=' } as JsonValue, bookOf('isolated')],
    'signature-invalid',
  ],
])('a receipt %s counts for nothing', async (_which, change, fault) => {
  const [envelope, book] = change(await receiptOf('isolated'));
  expect(verifyKnownReceipt(envelope, book)).toEqual({ ok: false, fault });
});

it('a receipt of another installation counts for nothing', async () => {
  const other = await receiptOf('isolated', 'https://other.example/p');
  expect(verifyKnownReceipt(other, bookOf('isolated'))).toEqual({ ok: false, fault: 'malformed' });
});
