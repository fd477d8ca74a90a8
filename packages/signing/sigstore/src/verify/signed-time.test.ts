import { draftBlob, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { parseBundle } from '../bundle/parse-bundle.ts';
import type { PinnedRoot } from '../trusted-root/trust-material.ts';
import { type SignedTime, timestampsOf } from './signed-time.ts';

type Authority = PinnedRoot['library']['timestampAuthorities'][number];

const SIGNATURE = Buffer.from('signature');
const local = new LocalSigstore();
const TIME = local.now;
const [root] = local.trust.roots;
const pinned = root.library.timestampAuthorities[0] as Authority;

/** The times that these authorities gave the signature, where one of them is `pinned`. */
function timesBy(...timestampAuthorities: Authority[]): readonly Date[] {
  const json = draftBlob(local);
  const signedTimestamp = local.timestamp(SIGNATURE, TIME).toString('base64');
  json.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] };
  const changed = { ...root, library: { ...root.library, timestampAuthorities } };
  return timestampsOf(parseBundle(toBytes(json)), SIGNATURE, changed).map(({ time }) => time);
}

const inForce = (from: number, to: number): Authority => ({
  ...pinned,
  validFor: { start: new Date(TIME.getTime() + from), end: new Date(TIME.getTime() + to) },
});

/** The authority, whose certificate at this place of the chain was not valid at any time. */
const withExpired = (place: number): Authority => ({
  ...pinned,
  certChain: pinned.certChain.map((one, at) =>
    at === place ? Object.assign(Object.create(one), { validForDate: () => false }) : one,
  ),
});

test.each<[title: string, count: number, authorities: readonly Authority[]]>([
  ['by no authority', 0, []],
  ['by the pinned one', 1, [pinned]],
  ['by one of two', 1, [new LocalSigstore().trust.roots[0].library.timestampAuthorities[0] as Authority, pinned]],
  ['by one beside another without certificates', 1, [{ ...pinned, certChain: [] }, pinned]],
  ['by one that was in force from that moment', 1, [inForce(0, 1)]],
  ['by one that was in force until that moment', 1, [inForce(-1, 0)]],
  ['by one that was in force later', 0, [inForce(1, 2)]],
  ['by one that was in force before', 0, [inForce(-2, -1)]],
  ['by one whose own certificate was not valid', 0, [withExpired(0)]],
  ['by one whose root was not valid', 0, [withExpired(1)]],
])('a timestamp %s: counts %s times', (_, count, authorities) => {
  expect(timesBy(...authorities)).toEqual(Array.from({ length: count }, () => TIME));
});

test('a timestamp that was verified is none of another signature or by another key', () => {
  const json = draftBlob(local);
  const signedTimestamp = local.timestamp(SIGNATURE, TIME).toString('base64');
  json.verificationMaterial.timestampVerificationData = { rfc3161Timestamps: [{ signedTimestamp }] };
  const [signed] = timestampsOf(parseBundle(toBytes(json)), SIGNATURE, root);
  const { timestamp } = signed as Extract<SignedTime, { by: 'timestamp-authority' }>;
  const { publicKey } = local.tsa;
  for (const _ of [1, 2]) {
    expect(() => timestamp.verify(SIGNATURE, publicKey)).not.toThrow();
    expect(() => timestamp.verify(Buffer.from('another'), publicKey)).toThrow();
    expect(() => timestamp.verify(SIGNATURE, local.ct.publicKey)).toThrow();
  }
});
