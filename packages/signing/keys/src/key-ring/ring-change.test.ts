import { execFile, spawnSync } from 'node:child_process';
import fs, { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { fillDisk, smallDisk, temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openKeyFile } from '../key-file/key-file.ts';
import { KeyRing } from './key-ring.ts';
import { listRing, revokeRingKey, rotateRing } from './ring-change.ts';
import { type RingPlace, ringFile } from './ring-place.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const fails = (code: string) => expect.objectContaining({ name: 'KeyError', code });

/** A ring as every folder has one that no key was ever rotated in. */
function newRing(folder = temporaryFolder(onTestFinished)): RingPlace {
  const place = { firstKey: join(folder, 'issuer.pem'), alg: 'ES256' } as const;
  openKeyFile(place.firstKey, 'ES256');
  return place;
}

const states = (place: RingPlace, now = NOW) => listRing(place, now).map(({ state }) => state);
const pemFiles = ({ firstKey }: RingPlace) =>
  readdirSync(join(firstKey, '..'))
    .filter((name) => name.endsWith('.pem'))
    .sort();

/** A program that changes the ring in a process of its own. */
function changing(place: RingPlace, call: string): string[] {
  const source = JSON.stringify(join(import.meta.dirname, 'ring-change.ts'));
  const program = `
    import { revokeRingKey, rotateRing } from ${source};
    const place = ${JSON.stringify(place)};
    try { ${call}; } catch (error) { process.stdout.write(String(error.code)); }`;
  return ['--input-type=module', '-e', program];
}

describe('a ring', () => {
  test('that no key was rotated in is the one key, and listing it writes nothing', () => {
    const place = newRing();
    const { kid } = openKeyFile(place.firstKey, 'ES256');
    expect(listRing(place, NOW)).toEqual([{ file: 'issuer.pem', kid, state: 'signing' }]);
    expect(readdirSync(join(place.firstKey, '..'))).toEqual(['issuer.pem']);
  });

  test('keeps its files to its owner', () => {
    const place = newRing();
    rotateRing(place, { now: NOW });
    const folder = join(place.firstKey, '..');
    const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(modes.sort()).toEqual(
      ['issuer-2.pem', 'issuer.pem', 'issuer.ring.json', 'issuer.ring.lock'].map((name) => [name, '600']),
    );
  });

  test('is rotated again and again, and each key signs in its turn', () => {
    const place = newRing();
    for (let turn = 0; turn < 5; turn += 1) rotateRing(place, { now: NOW + turn * HOUR });
    expect(states(place, NOW + 4 * HOUR)).toEqual(['retired', 'retired', 'retired', 'retired', 'signing', 'next']);
    expect(states(place, NOW + 5 * HOUR)).toEqual(['retired', 'retired', 'retired', 'retired', 'retired', 'signing']);
  });

  test('whose rotation is under way is not rotated, and stays as it is', () => {
    const place = newRing();
    rotateRing(place, { now: NOW });
    const before = readFileSync(ringFile(place, 'ring.json'));
    expect(() => rotateRing(place, { now: NOW })).toThrow(fails('key.rotation_under_way'));
    expect(readFileSync(ringFile(place, 'ring.json')).equals(before)).toBe(true);
    expect(pemFiles(place)).toEqual(['issuer-2.pem', 'issuer.pem']);
  });

  test('knows no key of another kid', () => {
    expect(() => revokeRingKey(newRing(), 'k'.repeat(43), NOW)).toThrow(fails('key.unknown'));
  });

  test.skipIf(process.getuid?.() !== 0)(
    'of another user is not changed, and gets no file that he could not read',
    () => {
      const place = newRing();
      spawnSync('/bin/chown', ['54321', place.firstKey]);
      expect(() => rotateRing(place, { now: NOW })).toThrow(fails('key.foreign_owner'));
      expect(readdirSync(join(place.firstKey, '..'))).toEqual(['issuer.pem']);
    },
  );

  test('on a full disk stays as it is, and is rotated when there is room', ({ skip }) => {
    const disk = smallDisk(1, onTestFinished);
    if (disk === undefined) return skip('a small disk cannot be mounted here');
    const place = newRing(disk);
    const makeRoom = fillDisk(disk);
    expect(() => rotateRing(place, { now: NOW })).toThrow(fails('key.unavailable'));
    expect(states(place)).toEqual(['signing']);
    makeRoom();
    rotateRing(place, { now: NOW });
    expect(states(place)).toEqual(['signing', 'next']);
  });
});

describe('a revoked key', () => {
  test('is deleted, and neither used nor published, though its file comes back', () => {
    const place = newRing();
    const pem = readFileSync(place.firstKey);
    const { kid } = openKeyFile(place.firstKey, 'ES256');
    revokeRingKey(place, kid, NOW);
    expect(pemFiles(place)).toEqual(['issuer-2.pem']);
    writeFileSync(place.firstKey, pem, { mode: 0o600 });
    for (const now of [NOW - HOUR, NOW, NOW + HOUR]) {
      const { signer, published } = new KeyRing(place, now).at(now);
      expect([signer.kid, ...published.map((key) => key.kid)]).not.toContain(kid);
    }
    expect(states(place)).toEqual(['revoked', 'signing']);
  });

  test('is not taken for a new one where somebody copies its file to the next name', () => {
    const place = newRing();
    cpSync(place.firstKey, join(place.firstKey, '..', 'issuer-2.pem'));
    const { kid } = openKeyFile(place.firstKey, 'ES256');
    expect(() => revokeRingKey(place, kid, NOW)).toThrow(fails('key.ring_invalid'));
    expect(() => rotateRing(place, { now: NOW })).toThrow(fails('key.ring_invalid'));
  });

  test('is deleted by the same call again where it was not', () => {
    const place = newRing();
    const pem = readFileSync(place.firstKey);
    const { kid } = openKeyFile(place.firstKey, 'ES256');
    const after = revokeRingKey(place, kid, NOW);
    writeFileSync(place.firstKey, pem, { mode: 0o600 });
    expect(revokeRingKey(place, kid, NOW + HOUR)).toEqual(after);
    expect(existsSync(place.firstKey)).toBe(false);
  });
});

test('of several processes that rotate at once one does, and no key is lost', async () => {
  const place = newRing();
  const call = `rotateRing(place, { now: ${NOW} }); process.stdout.write('rotated')`;
  const run = () => promisify(execFile)(process.execPath, changing(place, call));
  const said = (await Promise.all([run(), run(), run(), run()])).map(({ stdout }) => stdout);
  expect(said.sort()).toEqual([...Array(3).fill('key.rotation_under_way'), 'rotated']);
  expect(states(place)).toEqual(['signing', 'next']);
  expect(pemFiles(place)).toEqual(['issuer-2.pem', 'issuer.pem']);
});

test('processes that rotate and revoke at once all have their way', async () => {
  const place = newRing();
  const { kid } = openKeyFile(place.firstKey, 'ES256');
  const calls = [`rotateRing(place, { now: ${NOW} })`, `revokeRingKey(place, '${kid}', ${NOW})`];
  await Promise.all(calls.map((call) => promisify(execFile)(process.execPath, changing(place, call))));
  // The next key signs at once, or a new one does and is then rotated: either order is right.
  expect([['revoked', 'signing'].join(), ['revoked', 'signing', 'next'].join()]).toContain(states(place).join());
});

/** Runs `work` as if the process ended in place of its `n`th call that changes a file; true where it got that far. */
function diedAt(n: number, work: () => void): boolean {
  const names = ['openSync', 'writeFileSync', 'fchmodSync', 'fsyncSync', 'linkSync', 'renameSync', 'rmSync'] as const;
  const real = names.map((name) => fs[name]);
  let calls = 0;
  for (const [index, name] of names.entries()) {
    // Nothing that comes after its end is done either, what tidies up included.
    const mortal = (...args: unknown[]) => {
      calls += 1;
      if (calls >= n) throw Object.assign(new Error('the process has ended'), { code: 'EIO' });
      return (real[index] as (...args: unknown[]) => unknown)(...args);
    };
    Object.assign(fs, { [name]: mortal });
  }
  syncBuiltinESMExports();
  try {
    work();
  } catch (error) {
    if (calls < n) throw error;
  } finally {
    for (const [index, name] of names.entries()) Object.assign(fs, { [name]: real[index] });
    syncBuiltinESMExports();
  }
  return calls >= n;
}

test.each([
  ['a rotation', (place: RingPlace, _: string) => rotateRing(place, { now: NOW }), ['signing', 'next']],
  ['a revocation', (place: RingPlace, kid: string) => revokeRingKey(place, kid, NOW), ['revoked', 'signing']],
] as const)('%s that ends anywhere leaves a ring that opens, and the same call again ends it', (_, change, wanted) => {
  const template = newRing();
  const { kid } = openKeyFile(template.firstKey, 'ES256');
  let n = 1;
  for (let died = true; died; n += 1) {
    const place = { ...template, firstKey: join(temporaryFolder(onTestFinished), 'issuer.pem') };
    cpSync(template.firstKey, place.firstKey);
    died = diedAt(n, () => void change(place, kid));
    const left = states(place);
    expect([['signing'], wanted]).toContainEqual(left);
    const { signer } = new KeyRing(place, NOW).at(NOW);
    expect(signer.kid === kid).toBe(left[0] === 'signing');
    if (left[1] === 'next') expect(() => change(place, kid)).toThrow(fails('key.rotation_under_way'));
    else change(place, kid);
    expect(states(place)).toEqual(wanted);
    const keys = listRing(place, NOW).filter(({ state }) => state !== 'revoked');
    expect(pemFiles(place)).toEqual(keys.map(({ file }) => basename(file)).sort());
  }
  // Two files are made and named durably: one that never died would have shown nothing.
  expect(n).toBeGreaterThan(10);
});
