import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openKeyFile } from '../key-file/key-file.ts';
import { KeyRing } from './key-ring.ts';
import { revokeRingKey, rotateRing } from './ring-change.ts';
import { type RingPlace, ringFile } from './ring-place.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SIGNS = NOW + 305_000;
const GONE = SIGNS + 960_000;
const fails = (code: string) => expect.objectContaining({ name: 'KeyError', code });

function newPlace(): RingPlace {
  return { firstKey: join(temporaryFolder(onTestFinished), 'issuer.pem'), alg: 'ES256' };
}

const kidsAt = (ring: KeyRing, now: number) => ring.at(now).published.map(({ kid }) => kid);

test('a ring of a new folder makes one key, and no state', () => {
  const place = newPlace();
  const ring = new KeyRing(place, NOW);
  expect(readdirSync(join(place.firstKey, '..'))).toEqual(['issuer.pem']);
  expect(kidsAt(ring, NOW)).toEqual([openKeyFile(place.firstKey, 'ES256').kid]);
});

test('a ring that is refreshed has the next key, and each signs in its time', () => {
  const place = newPlace();
  const ring = new KeyRing(place, NOW);
  expect(ring.refresh(NOW)).toBe(false);
  const [first, second] = rotateRing(place, { now: NOW }).map(({ kid }) => kid);
  expect(kidsAt(ring, NOW)).toEqual([first]);
  expect(ring.refresh(NOW)).toBe(true);
  expect(ring.refresh(NOW)).toBe(false);
  for (const opened of [ring, new KeyRing(place, NOW)]) {
    // Back and forth: what was asked before does not matter.
    for (const [now, signs, published] of [
      [NOW, first, [first, second]],
      [GONE, second, [second]],
      [SIGNS, second, [first, second]],
      [SIGNS - 1, first, [first, second]],
      [NOW - 1, first, [first]],
      [GONE - 1, second, [first, second]],
    ] as const) {
      expect([opened.at(now).signer.kid, kidsAt(opened, now)]).toEqual([signs, published]);
    }
  }
});

test('an issuer whose tokens live longer than a rotation counted with keeps the old key for as long as it needs', () => {
  const place = newPlace();
  rotateRingOf(place);
  const [first, second] = kidsAt(new KeyRing(place, NOW), NOW);
  const endOf = (ring: KeyRing) => {
    for (let now = SIGNS; ; now += 1000) if (!kidsAt(ring, now).includes(first!)) return now;
  };
  expect(endOf(new KeyRing(place, NOW))).toBe(GONE);
  const hourly = { cacheSeconds: 300, tokenSeconds: 3600 };
  expect(endOf(new KeyRing(place, NOW, hourly))).toBe(SIGNS + 3960_000);
  // Opened when the state says that it is gone, too.
  expect(kidsAt(new KeyRing(place, GONE, hourly), GONE)).toEqual([first, second]);
  expect(endOf(new KeyRing(place, NOW, { cacheSeconds: 10, tokenSeconds: 60 }))).toBe(GONE);
  // The one that came after it was revoked, and another one signs: that puts nothing off.
  revokeRingKey(place, second!, SIGNS + 60_000);
  expect(endOf(new KeyRing(place, NOW))).toBe(GONE);
});

test('a ring says since when a key signs, and until when', () => {
  const place = newPlace();
  const ring = new KeyRing(place, NOW);
  expect(ring.signing(NOW)).toEqual({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  rotateRing(place, { now: NOW });
  ring.refresh(NOW);
  expect(ring.signing(NOW)).toEqual({ from: Number.NEGATIVE_INFINITY, until: SIGNS });
  expect(ring.signing(SIGNS)).toEqual({ from: SIGNS, until: Number.POSITIVE_INFINITY });
});

test('as long as nothing changes a ring answers with the same object', () => {
  const place = newPlace();
  rotateRingOf(place);
  const ring = new KeyRing(place, NOW);
  expect(ring.at(NOW + 1)).toBe(ring.at(SIGNS - 1));
  expect(ring.at(SIGNS)).not.toBe(ring.at(SIGNS - 1));
  expect(ring.at(SIGNS - 1)).toBe(ring.at(NOW));
});

function rotateRingOf(place: RingPlace): void {
  openKeyFile(place.firstKey, place.alg);
  rotateRing(place, { now: NOW });
}

test('a revoked key is out of force with the next refresh', () => {
  const place = newPlace();
  const ring = new KeyRing(place, NOW);
  const { kid } = ring.at(NOW).signer;
  revokeRingKey(place, kid, NOW);
  ring.refresh(NOW);
  for (const now of [NOW - 1, NOW, GONE]) {
    expect(ring.at(now).signer.kid).not.toBe(kid);
    expect(kidsAt(ring, now)).not.toContain(kid);
  }
});

test('the file of a key that has left the key set is not needed any more; that of another is', () => {
  const place = newPlace();
  rotateRingOf(place);
  rmSync(place.firstKey);
  expect(() => new KeyRing(place, GONE - 1)).toThrow(fails('key.unavailable'));
  expect(kidsAt(new KeyRing(place, GONE), GONE)).toHaveLength(1);
});

test('a pipe in the place of a key that comes next is refused, and not waited for', () => {
  const place = newPlace();
  const ring = new KeyRing(place, NOW);
  const before = kidsAt(ring, NOW);
  const next = rotateRing(place, { now: NOW })
    .map(({ file }) => file)
    .at(-1)!;
  const path = join(place.firstKey, '..', next);
  rmSync(path);
  execFileSync('mkfifo', ['-m', '600', path]);
  expect(() => ring.refresh(NOW)).toThrow(fails('key.unavailable'));
  expect(kidsAt(ring, NOW)).toEqual(before);
});

describe('a state file', () => {
  const entries = (place: RingPlace) => JSON.parse(readFileSync(ringFile(place, 'ring.json'), 'utf8'));
  /** What is wrong with it: the document, changed. */
  // biome-ignore lint/suspicious/noExplicitAny: it is about to be made wrong
  const WRONG: ReadonlyArray<[string, (ring: any) => unknown]> = [
    ['a member that nobody knows', (ring) => ({ ...ring, more: 1 })],
    ['a later format', (ring) => ({ ...ring, format: 2 })],
    ['no format', ({ keys }) => ({ keys })],
    ['no keys', (ring) => ({ ...ring, keys: [] })],
    ['no list', (ring) => ({ ...ring, keys: {} })],
    ['a list in place of the document', (ring) => [ring]],
    [
      'a key with a member that nobody knows',
      ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], revoked: true }] }),
    ],
    ['a key that is no object', ({ keys }) => ({ format: 1, keys: [...keys, 'issuer-3.pem'] })],
    ['a file of another folder', ({ keys }) => ({ format: 1, keys: [{ ...keys[0], file: '../issuer.pem' }] })],
    ['a file that is no key', ({ keys }) => ({ format: 1, keys: [{ ...keys[0], file: 'issuer.ring.json' }] })],
    ['a kid that is none', ({ keys }) => ({ format: 1, keys: [{ ...keys[0], kid: 'x' }, keys[1]] })],
    ['one kid twice', ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], kid: keys[0].kid }] })],
    ['one file twice', ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], file: keys[0].file }] })],
    ['a time that is none', ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], signs_from: '2026-11-21' }] })],
    [
      'a time at an offset',
      ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], signs_from: '2026-11-21T13:05:05+01:00' }] }),
    ],
    ['a revocation that is no time', ({ keys }) => ({ format: 1, keys: [{ ...keys[0], revoked_at: false }, keys[1]] })],
    ['a second key without its times', ({ keys: [one, { file, kid }] }) => ({ format: 1, keys: [one, { file, kid }] })],
    [
      'a key that signs before it is published',
      ({ keys: [one, two] }) => ({ format: 1, keys: [one, { ...two, published_at: '2027-01-01T00:00:00Z' }] }),
    ],
    ['keys in another order', ({ keys: [one, two] }) => ({ format: 1, keys: [two, one] })],
    [
      'a key that ends before it signs',
      ({ keys: [one, two] }) => ({ format: 1, keys: [one, { ...two, published_until: two.signs_from }] }),
    ],
    ['every key at its end', ({ keys: [one] }) => ({ format: 1, keys: [one] })],
    [
      'every key revoked',
      ({ keys: [one, two] }) => ({ format: 1, keys: [one, { ...two, revoked_at: two.signs_from }] }),
    ],
    [
      'another key than its file has',
      ({ keys }) => ({ format: 1, keys: [keys[0], { ...keys[1], kid: 'k'.repeat(43) }] }),
    ],
  ];

  test.each(WRONG)('with %s keeps a ring from opening, and leaves what is in force', (_, wrong) => {
    const place = newPlace();
    rotateRingOf(place);
    const ring = new KeyRing(place, NOW);
    const inForce = ring.at(NOW);
    writeFileSync(ringFile(place, 'ring.json'), JSON.stringify(wrong(entries(place))));
    expect(() => new KeyRing(place, NOW)).toThrow(fails('key.ring_invalid'));
    expect(() => ring.refresh(NOW)).toThrow(fails('key.ring_invalid'));
    expect(ring.at(NOW)).toBe(inForce);
  });

  test.each(['', '{', '{"format":1,"format":1,"keys":[]}', '\u{feff}{}', 'x'.repeat(2 ** 21)])(
    'that is no strict JSON is refused (%#)',
    (text) => {
      const place = newPlace();
      rotateRingOf(place);
      writeFileSync(ringFile(place, 'ring.json'), text);
      expect(() => new KeyRing(place, NOW)).toThrow(fails('key.ring_invalid'));
      expect(() => rotateRing(place, { now: NOW })).toThrow(fails('key.ring_invalid'));
      expect(readFileSync(ringFile(place, 'ring.json'), 'utf8')).toBe(text);
    },
  );

  test('that others may write is refused', () => {
    const place = newPlace();
    rotateRingOf(place);
    chmodSync(ringFile(place, 'ring.json'), 0o620);
    expect(() => new KeyRing(place, NOW)).toThrow(fails('key.exposed'));
  });

  test('that disappears under a ring brings no revoked key back', () => {
    const place = newPlace();
    rotateRingOf(place);
    const ring = new KeyRing(place, NOW);
    rmSync(ringFile(place, 'ring.json'));
    expect(() => ring.refresh(NOW)).toThrow(fails('key.ring_invalid'));
    expect(kidsAt(ring, NOW)).toHaveLength(2);
  });

  test('that names a key whose file comes later is taken once that is there', () => {
    const place = newPlace();
    const ring = new KeyRing(place, NOW);
    rotateRing(place, { now: NOW });
    const file = join(place.firstKey, '..', 'issuer-2.pem');
    const pem = readFileSync(file);
    rmSync(file);
    expect(() => ring.refresh(NOW)).toThrow(fails('key.unavailable'));
    writeFileSync(file, pem, { mode: 0o600 });
    expect(ring.refresh(NOW)).toBe(true);
  });
});
