import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { WitnessBook } from '@colophon/issuer';
import type { JsonValue } from '@colophon/json';
import { SigningKey } from '@colophon/keys';
import { DEFAULT_PREDICATE_BASE } from '@colophon/records';
import { Witness } from '@colophon/witness';
import { expect, it } from 'vitest';
import { verifyKnownReceipt } from './known-receipt.ts';

const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const HASH = `sha256:${'a'.repeat(64)}`;
const places = ['isolated', 'same-host'] as const;

async function receiptOf(place: (typeof places)[number], predicateBase = DEFAULT_PREDICATE_BASE): Promise<JsonValue> {
  const random = { bytes: (length: number) => randomBytes(length), uuid: () => randomUUID() };
  const witness = new Witness({ key, place, upstreams: [], predicateBase, random });
  const asked = { agentName: 'code-writer', agentVersion: '1', promptHash: HASH, policyPackHash: HASH, caller: 'gone' };
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

it('a receipt of a caller that shows none any more is a record all the same', async () => {
  const read = verifyKnownReceipt(await receiptOf('isolated'), bookOf('isolated'));
  expect(read).toMatchObject({ ok: true, known: { receipt: { caller: 'gone' } } });
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
