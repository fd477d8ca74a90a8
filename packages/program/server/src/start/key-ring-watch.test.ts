import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing, revokeRingKey, rotateRing } from '@colophon/keys';
import { temporaryFolder } from '@colophon/testkit';
import type { FastifyBaseLogger } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchKeyRing } from './key-ring-watch.ts';

/** A ring that is watched under a clock of its own, and the codes that were logged as errors. */
function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder(onTestFinished);
  const place = { firstKey: join(folder, 'issuer.pem'), alg: 'ES256' } as const;
  const ring = new KeyRing(place, Date.now());
  const codes: unknown[] = [];
  const logger = {
    info: () => {},
    error: (fields: { code?: string }) => void codes.push(fields.code),
  } as unknown as FastifyBaseLogger;
  const { close: end, problem } = watchKeyRing(ring, logger);
  onTestFinished(end);
  const kids = () => ring.at(Date.now()).published.map(({ kid }) => kid);
  return { place, state: join(folder, 'issuer.ring.json'), kids, codes, end, problem };
}

test('a change of the keys is in force within a second', () => {
  const { place, kids, codes } = watched();
  const [first] = kids();
  rotateRing(place, { now: Date.now() });
  expect(kids()).toEqual([first]);
  vi.advanceTimersByTime(1000);
  expect(kids()).toHaveLength(2);
  revokeRingKey(place, first!, Date.now());
  vi.advanceTimersByTime(1000);
  expect(kids()).toHaveLength(1);
  expect(kids()).not.toContain(first);
  expect(codes).toEqual([]);
});

test('a state that cannot be used is logged once for each change, and the keys stay in force', () => {
  const { place, state, kids, codes, problem } = watched();
  rotateRing(place, { now: Date.now() });
  vi.advanceTimersByTime(1000);
  const good = readFileSync(state);
  const before = kids();
  for (const text of ['{"format":2}', undefined, '{']) {
    if (text === undefined) rmSync(state);
    else writeFileSync(state, text, { mode: 0o600 });
    vi.advanceTimersByTime(5000);
    expect(kids()).toEqual(before);
    expect(problem()).toBe('key.ring_invalid');
  }
  expect(codes).toEqual(Array(3).fill('key.ring_invalid'));
  // Whole again, and then wrong in the same way: that is another change.
  writeFileSync(state, good);
  vi.advanceTimersByTime(1000);
  expect(problem()).toBe(undefined);
  writeFileSync(state, '{');
  vi.advanceTimersByTime(1000);
  expect(codes).toHaveLength(4);
  expect(kids()).toEqual(before);
});

test('a ring that is watched no longer is not read any more', () => {
  const { place, kids, end } = watched();
  end();
  rotateRing(place, { now: Date.now() });
  vi.advanceTimersByTime(10_000);
  expect(kids()).toHaveLength(1);
});
